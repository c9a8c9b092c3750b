# SPDX-License-Identifier: BSD-3-Clause
"""Other people's clients against freshet server: no error, and counts that agree."""
import os
import re
import signal

from cable import Cable
from common.freshet import closed
from common.process import Process, command
from common.suite import FULL, check, equal, within

URL = "http://10.99.1.2/some/page?x=1"
SIZE = 3000
LONG = 4 if FULL else 1


def serve(ctx, driver="af_packet", size="const:%d" % SIZE):
    cable = Cable(ctx)
    return cable, cable.server(["--rep_sz", size, "--tw", "1sec"], driver)


def served(server):
    """End the server by ^C. @return replies that it counts."""
    server.signal(signal.SIGINT)
    server.finish(15)
    row = server.run_row("server")
    counters = server.counters()
    for name in ("agent.bad_requests", "http.bad_requests", "lane.no_listener",
                 "net.rx_bad_csum_tcp", "tcp.conn_exhausted"):
        equal(counters.total(name, "server"), 0, name)
    closed(server, ("server",))
    return int(row["completed"])


def curl(ctx):
    """Files of the right length, one connection for all, HEAD, HTTP/1.0, POST, ranges of names."""
    cable, server = serve(ctx)
    ns = cable.kernel
    said = command(["curl", "-sS", "-w", "%{http_code} %{size_download} %{num_connects}\n", "-o",
                    "/dev/null", "http://10.99.1.2/a[1-20]"], ns=ns)
    equal(len(re.findall(r"^200 %d [01]$" % SIZE, said, re.M)), 20, "replies: " + said)
    equal(len(re.findall(r" 1$", said, re.M)), 1, "connections of 20 requests")
    said = command(["curl", "-sSI", URL], ns=ns)
    check("HTTP/1.1 200" in said, "HEAD: %s", said)
    check(re.search(r"(?i)^content-length:\s+%d\r?$" % SIZE, said, re.M), "HEAD: %s", said)
    check(re.search(r"(?i)^date: \w{3}, \d\d \w{3} \d{4} ", said, re.M), "HEAD: %s", said)
    for extra in (["--http1.0"], ["-H", "Connection: close"], ["-H", "Expect: 100-continue", "-d",
                                                               "x" * 2000]):
        said = command(["curl", "-sS", "-w", "%{http_code} %{size_download}", "-o", "/dev/null"] +
                       extra + [URL], ns=ns)
        equal(said, "200 %d" % SIZE, " ".join(extra)[:30])
    big = ctx.path("big")
    with open(big, "wb") as f:
        f.write(os.urandom(1 << 20))
    said = command(["curl", "-sS", "-w", "%{http_code} %{size_upload}", "-o", "/dev/null",
                    "--data-binary", "@" + big, URL], ns=ns)
    equal(said, "200 %d" % (1 << 20), "POST of 1 MB")
    equal(served(server), 20 + 1 + 3 + 1, "replies of the server")


def curl_bodies(ctx):
    """The same object has the same bytes each time, and another one other bytes."""
    cable, server = serve(ctx, size="const:100KB")
    got = []
    for name in ("one", "one", "two"):
        path = ctx.path("got")
        command(["curl", "-sS", "-o", path, "http://10.99.1.2/" + name], ns=cable.kernel)
        with open(path, "rb") as f:
            got.append(f.read())
    equal([len(x) for x in got], [100 << 10] * 3, "lengths")
    check(got[0] == got[1], "one object, two contents")
    equal(served(server), 3, "replies of the server")


def pipeline(ctx):
    """2,000 requests at once on one connection, half-closed: more than are answered at a time."""
    cable = Cable(ctx)
    # room for 16 connections: fewer transactions than the pipeline has requests
    server = cable.server(["--rep_sz", "const:%d" % SIZE, "--tw", "1sec", "--max_conns", "16"],
                          "af_packet")
    peer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pipeline.py")
    said = command(["/usr/bin/python3", peer, "10.99.1.2", "2000", str(SIZE)], ns=cable.kernel)
    equal(said.split(), ["2000", "0"], "whole replies, bytes left over")
    equal(served(server), 2000, "replies of the server")


def bad_requests(ctx):
    """Wrong requests get a reply, and the server lives on."""
    cable, server = serve(ctx)
    for extra, want in ((["-H", "Host:"], "400"), (["--request-target", "*x"], "400"),
                        (["-X", "POST", "-H", "Transfer-Encoding: gzip, chunked"], "501")):
        said = command(["curl", "-s", "-w", "%{http_code}", "-o", "/dev/null"] + extra + [URL],
                       ns=cable.kernel, code=None)
        equal(said, want, "reply to " + " ".join(extra))
    said = command(["curl", "-sS", "-w", "%{http_code}", "-o", "/dev/null", URL], ns=cable.kernel)
    equal(said, "200", "reply after wrong requests")
    server.signal(signal.SIGINT)
    server.finish(15)
    equal(server.counters().total("agent.bad_requests", "server"), 3, "bad_requests")


def wrk(driver):
    def test(ctx):
        cable, server = serve(ctx, driver)
        n_conns = 20
        said = command(["wrk", "-t", "1", "-c", str(n_conns), "-d", "%ds" % (3 * LONG), "--latency",
                        URL], ns=cable.kernel, seconds=60)
        m = re.search(r"(\d+) requests in", said)
        check(m is not None, "wrk says: %s", said)
        check("Socket errors" not in said and "Non-2xx" not in said, "wrk says: %s", said)
        n = int(m.group(1))
        check(n > 1000, "only %d requests", n)
        within(served(server), n, n + n_conns, "replies of the server, wrk's %d" % n)
    return test


def ab(driver, keep):
    def test(ctx):
        cable, server = serve(ctx, driver)
        n = 3000 * LONG
        said = command(["ab", "-q", "-n", str(n), "-c", "20"] + (["-k"] if keep else []) + [URL],
                       ns=cable.kernel, seconds=60)
        equal(int(re.search(r"Complete requests:\s+(\d+)", said).group(1)), n, "complete")
        equal(int(re.search(r"Failed requests:\s+(\d+)", said).group(1)), 0, "failed: " + said)
        check("Non-2xx" not in said, "ab says: %s", said)
        equal(int(re.search(r"HTML transferred:\s+(\d+)", said).group(1)), n * SIZE, "content")
        if keep:
            equal(int(re.search(r"Keep-Alive requests:\s+(\d+)", said).group(1)), n, "kept")
        equal(served(server), n, "replies of the server")
    return test


def httperf(ctx):
    """The ancestor finds no error either."""
    cable, server = serve(ctx)
    said = command(["httperf", "--hog", "--server", "10.99.1.2", "--uri", "/page", "--num-conns",
                    "300", "--num-calls", "5", "--rate", "200"], ns=cable.kernel, seconds=60)
    check("replies 1500" in said, "httperf says: %s", said)
    check(re.search(r"Errors: total 0 ", said), "httperf says: %s", said)
    check("2xx=1500" in said, "httperf says: %s", said)
    equal(served(server), 1500, "replies of the server")


def ping(ctx):
    cable, server = serve(ctx)
    said = command(["ping", "-n", "-c", "5", "-i", "0.05", "-s", "1000", "10.99.1.2"],
                   ns=cable.kernel)
    check(" 5 received" in said, "ping says: %s", said)
    command(["curl", "-s", "-m", "1", "-o", "/dev/null", "http://10.99.1.2:81/"], ns=cable.kernel,
            code=7)
    check("lladdr" in command(["ip", "neigh", "show", "10.99.1.2"], ns=cable.kernel), "no neighbour")
    server.signal(signal.SIGINT)
    server.finish(15)
    equal(server.counters().total("net.icmp_echoed", "server"), 5, "echoes")


def both_ends_ours(driver):
    """Our client and our server meet over a cable as they do over rings."""
    def test(ctx):
        from common.freshet import Run, iface, vdev
        cable = Cable(ctx)
        cable.kernel.run("ip", "address", "flush", "dev", cable.peer_link)
        server = cable.server(["--rep_sz", "exp:13KB"], driver)
        run = Run(ctx, "client", iface("10.99.1.1/24") +
                  ["--origin", "10.99.1.2:80", "--goal", "3000", "--rate", "1000/sec", "--robots",
                   "50", "--pconn_use_lmt", "10", "--rep_sz", "exp:13KB"],
                  eal=vdev(driver, cable.peer_link), ns=cable.kernel).finish(30)
        row = run.all_good(3000)
        equal(row["misses"], "3000", "replies of our own origin")
        equal(served(server), 3000, "replies of the server")
    return test


def background(ctx):
    """A slow reader: curl at 200 KB/s gets all of a large reply while others are served."""
    cable, server = serve(ctx, size="const:400KB")
    slow = Process(ctx, ["curl", "-sS", "--limit-rate", "200k", "-o", ctx.path("slow"),
                         "http://10.99.1.2/slow"], ns=cable.kernel)
    said = command(["ab", "-q", "-n", "300", "-c", "5", "-k", "http://10.99.1.2/fast"],
                   ns=cable.kernel, seconds=60)
    check(re.search(r"Failed requests:\s+0", said), "ab says: %s", said)
    equal(slow.wait(20), 0, "exit code of curl")
    equal(os.path.getsize(ctx.path("slow")), 400 << 10, "content of the slow reader")
    equal(served(server), 301, "replies of the server")


def add(suite):
    suite.add("curl", curl)
    suite.add("curl-content-is-stable", curl_bodies)
    suite.add("curl-wrong-requests", bad_requests)
    suite.add("pipeline-of-2000-requests", pipeline)
    suite.add("curl-slow-reader", background)
    suite.add("ping-and-arp", ping)
    suite.add("wrk-af_packet", wrk("af_packet"), seconds=90)
    suite.add("wrk-af_xdp", wrk("af_xdp"), seconds=90)
    suite.add("ab-close-af_packet", ab("af_packet", False), seconds=90)
    suite.add("ab-keep-alive-af_xdp", ab("af_xdp", True), seconds=90)
    suite.add("httperf", httperf, seconds=90)
    suite.add("freshet-to-freshet-af_packet", both_ends_ours("af_packet"))
    suite.add("freshet-to-freshet-af_xdp", both_ends_ours("af_xdp"))
