#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""nginx behind a veth, driven by freshet (af_xdp) and by three tools on the kernel's stack: requests/s
on kept connections, connections/s with one request each, and the CPU time that the generator takes.
usage: veth.py [--csv FILE] [--seconds N] [--rounds N]. Each round runs every tool once, so that the
tools meet the same host. Lines `SKIP what: why` say what could not be run."""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(sys.path[0], "lab"))
from cable import Cable  # noqa: E402
from common.daemons import Nginx  # noqa: E402
from common.freshet import iface, vdev  # noqa: E402
from common.netns import address, sweep  # noqa: E402
from common.process import children  # noqa: E402
from common.results import Table, number  # noqa: E402
from common.suite import FRESHET, Context, Failed, Skipped  # noqa: E402

CONNS = 64
PAGE = 1024
HTTPERF_FDS = 1000  # it uses select()
MODES = (("keep-alive", "requests/s"), ("close", "connections/s"))


class Tool:
    """A generator: command lines and what it says. rate() gets output, seconds and a folder."""

    def __init__(self, name, argv, rate, package, kernel=True):
        self.name, self.argv, self.rate, self.package = name, argv, rate, package
        self.kernel = kernel


def said(pattern):
    def rate(out, seconds, folder):
        m = re.search(pattern, out)
        if m is None:
            raise Failed("no rate in: " + out[-300:])
        return float(m.group(1))
    return rate


def freshet_argv(url, mode, seconds, folder, guess):
    return [FRESHET, "client"] + vdev("af_xdp", "fr0") + ["--"] + iface("10.99.1.2/24") + [
        "--origin", "10.99.1.1:80", "--uri", "/page", "--robots", str(CONNS), "--best_effort",
        "--pconn_use_lmt", "1000000000" if mode == "keep-alive" else "1", "--goal",
        "%dsec" % seconds, "--csv", os.path.join(folder, "run.csv"), "--tw", "1sec"]


def freshet_rate(out, seconds, folder):
    row = Table(os.path.join(folder, "run.csv")).one("run", "all", "client")
    if int(row["failed"]) + int(row["dropped"]) > CONNS:
        raise Failed("%s failed, %s dropped" % (row["failed"], row["dropped"]))
    return number(row, "completed") / number(row, "interval_s")


def wrk_argv(url, mode, seconds, folder, guess):
    return ["wrk", "-t", "1", "-c", str(CONNS), "-d", "%ds" % seconds] + (
        [] if mode == "keep-alive" else ["-H", "Connection: close"]) + [url]


def ab_argv(url, mode, seconds, folder, guess):
    return ["ab", "-q", "-t", str(seconds), "-n", "100000000", "-c", str(CONNS)] + (
        ["-k"] if mode == "keep-alive" else []) + [url]


def httperf_argv(url, mode, seconds, folder, guess):
    """It is an open loop: kept connections ask one after the other; single ones come at 80 % of what
    wrk reached, because it falls apart above what the server does."""
    head = ["httperf", "--hog", "--server", "10.99.1.1", "--uri", "/page"]
    if mode == "keep-alive":
        calls = max(1, int(guess * 0.8 * seconds / CONNS))
        return head + ["--num-conns", str(CONNS), "--num-calls", str(calls), "--rate", "1000"]
    rate = max(1, int(guess * 0.8))
    return head + ["--num-conns", str(rate * seconds), "--num-calls", "1", "--rate", str(rate)]


TOOLS = [
    Tool("freshet", freshet_argv, freshet_rate, None, kernel=False),
    Tool("wrk", wrk_argv, said(r"Requests/sec:\s+([\d.]+)"), "wrk"),
    Tool("ab", ab_argv, said(r"Requests per second:\s+([\d.]+)"), "apache2-utils"),
    Tool("httperf", httperf_argv, said(r"Request rate: ([\d.]+)"), "httperf"),
]


def cpu_of(pids):
    """CPU seconds of processes so far."""
    ticks = 0
    for pid in pids:
        with open("/proc/%d/stat" % pid, encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(tool, mode, seconds, guess):
    """@return rate, CPU seconds per second of the generator, and of nginx."""
    ctx = Context("bench")
    try:
        cable = Cable(ctx)
        nginx = Nginx(ctx, cable.kernel, server="access_log off; keepalive_requests 1000000000;")
        nginx.page("page", PAGE)
        if tool.kernel:
            address(cable.ours, cable.link, "10.99.1.2/24")
            cable.ours.run("sysctl", "-qw", "net.ipv4.ip_local_port_range=1024 65535",
                           "net.ipv4.tcp_tw_reuse=1")
        server = children(nginx.process.pid)
        before = cpu_of(server)
        argv = tool.argv("http://10.99.1.1/page", mode, seconds, ctx.dir, guess)
        with open(ctx.path("out"), "wb") as f:
            begin = time.monotonic()
            child = subprocess.Popen(cable.ours.prefix() + argv, stdin=subprocess.DEVNULL, stdout=f,
                                     stderr=subprocess.STDOUT)
            ctx.defer(child.kill)
            _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        with open(ctx.path("out"), encoding="utf-8", errors="replace") as f:
            out = f.read()
        if child.returncode != 0:
            raise Failed("exit %d: %s" % (child.returncode, " ".join(out.split())[-300:]))
        return (tool.rate(out, seconds, ctx.dir), (usage.ru_utime + usage.ru_stime) / wall,
                (cpu_of(server) - before) / wall)
    finally:
        ctx.close()


def runnable():
    """Tools that can be run here; a line for each that can't."""
    why = None
    if os.geteuid() != 0:
        why = "network namespaces need root"
    elif shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        why = "nginx is not installed"
    elif shutil.which("ip") is None or shutil.which("ethtool") is None:
        why = "iproute2 or ethtool is not installed"
    if why is not None:
        print("SKIP nginx over veth: " + why)
        return []
    there = []
    for tool in TOOLS:
        if tool.package is None or shutil.which(tool.name) is not None:
            there.append(tool)
        else:
            print("SKIP %s: package %s is not installed" % (tool.name, tool.package))
    return there


def rounds(tools, mode, args):
    """{tool: [(rate, generator's CPU, server's CPU)]}"""
    got = {tool.name: [] for tool in tools}
    for _ in range(args.rounds):
        guess = 1000
        for tool in list(tools):
            try:
                one = measured(tool, mode, args.seconds, guess)
            except (Failed, Skipped) as e:
                print("SKIP %s, %s: %s" % (tool.name, mode, e))
                tools.remove(tool)
                continue
            got[tool.name].append(one)
            if tool.name == "wrk":
                guess = one[0]
    return got


def table(mode, unit, got, csv):
    print("\nnginx over veth, %s, %d connections, %d bytes" % (mode, CONNS, PAGE))
    print("  %-12s %9s %9s %9s  %-14s %9s %9s" % ("", "min", "median", "max", "", "CPU s/s",
                                                 "nginx"))
    for name, values in got.items():
        if not values:
            continue
        rates = [v[0] for v in values]
        cpu = statistics.median(v[1] for v in values)
        row = (min(rates), statistics.median(rates), max(rates))
        print("  %-12s %9.0f %9.0f %9.0f  %-14s %9.2f %9.2f" %
              ((name,) + row + (unit, cpu, statistics.median(v[2] for v in values))))
        if csv is not None:
            csv.write("veth-%s,%s,%s,%d,%.1f,%.1f,%.1f,,,%.3f\n" %
                      ((mode, name, unit, len(rates)) + row + (cpu,)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--csv")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    tools = runnable()
    if not tools:
        return 0
    sweep()
    csv = open(args.csv, "a", encoding="utf-8") if args.csv else None
    for mode, unit in MODES:
        table(mode, unit, rounds(list(tools), mode, args), csv)
    if csv is not None:
        csv.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
