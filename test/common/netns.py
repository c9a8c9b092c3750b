# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces and veth pairs of a test. Names carry our pid, so that suites can run at the
same time; what a killed suite left is removed by the next one."""
import os
import re
import signal
import time

from common.process import command
from common.suite import Failed, Skipped

PREFIX = "fr"
NAME = re.compile(r"^fr(\d+)[a-z]+\d+$")
OFFLOADS = ["rx", "off", "tx", "off", "sg", "off", "tso", "off", "gso", "off", "gro", "off"]


class Namespace:
    n_made = 0

    def __init__(self, ctx):
        Namespace.n_made += 1
        self.name = "%s%dn%d" % (PREFIX, os.getpid(), Namespace.n_made)
        try:
            command(["ip", "netns", "add", self.name])
        except Failed as e:
            raise Skipped("no network namespace: %s" % e) from None
        ctx.own(self)
        self.run("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1",
                 "net.ipv6.conf.default.disable_ipv6=1", "net.core.somaxconn=8192",
                 "net.ipv4.tcp_max_syn_backlog=8192")
        self.run("ip", "link", "set", "lo", "up")

    def prefix(self):
        return ["ip", "netns", "exec", self.name]

    def run(self, *argv, seconds=30, code=0):
        return command(argv, ns=self, seconds=seconds, code=code)

    def close(self):
        command(["ip", "netns", "del", self.name], code=None)


def veth(ns_a, name_a, ns_b, name_b, mtu=1500):
    """A cable between two namespaces. No offload: the far end's checksums and sizes must be real."""
    command(["ip", "link", "add", name_a, "netns", ns_a.name, "mtu", str(mtu), "type", "veth",
             "peer", "name", name_b, "netns", ns_b.name, "mtu", str(mtu)])
    for ns, name in ((ns_a, name_a), (ns_b, name_b)):
        ns.run("ethtool", "-K", name, *OFFLOADS)
        ns.run("ip", "link", "set", name, "up")
        keep_order(ns, name)


def keep_order(ns, name):
    """The kernel's TCP sends from several CPUs, and each has a backlog of its own: a veth would put
    thousands of segments out of order. One CPU for all that the link receives."""
    ns.run("sh", "-c", "echo 1 >/sys/class/net/%s/queues/rx-0/rps_cpus" % name)


def address(ns, name, text):
    ns.run("ip", "address", "add", text, "dev", name)


def await_link(ns, name, seconds=5):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if " state UP " in ns.run("ip", "link", "show", "dev", name, code=None):
            return
        time.sleep(0.02)
    raise Failed("%s is not up after %g s" % (name, seconds))


def sweep():
    """Namespaces of suites that are gone, and what runs in them."""
    for line in command(["ip", "netns", "list"], code=None).splitlines():
        m = NAME.match(line.split()[0]) if line else None
        if m is None or os.path.exists("/proc/" + m.group(1)):
            continue
        for pid in command(["ip", "netns", "pids", m.group(0)], code=None).split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        command(["ip", "netns", "del", m.group(0)], code=None)
