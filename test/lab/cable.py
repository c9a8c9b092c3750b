# SPDX-License-Identifier: BSD-3-Clause
"""Cables of the lab. Each has the kernel's stack at one end and a bare link for freshet at the other:

    freshet 10.99.N.2 -- fr0 ====== peer0 10.99.N.1 -- kernel, daemons
"""
import signal

from common.freshet import Run, iface, vdev
from common.netns import Namespace, address, await_link, veth
from common.process import Process
from common.suite import ROOT, Skipped


class Cable:
    def __init__(self, ctx, kernel=None, n=1, mtu=1500, impair=None):
        """kernel: namespace of the kernel's end, when it has one already. impair: arguments of
        test/lab/impair.py, which then sits in the middle."""
        self.ctx = ctx
        self.n = n
        self.ours = Namespace(ctx)
        self.kernel = kernel or Namespace(ctx)
        self.link = "fr0"
        self.peer_link = "peer%d" % n
        if impair is None:
            veth(self.ours, self.link, self.kernel, self.peer_link, mtu)
        else:
            self.middle = self.bad_middle(impair, mtu)
        self.peer = "10.99.%d.1" % n
        self.own = "10.99.%d.2" % n
        address(self.kernel, self.peer_link, self.peer + "/24")
        await_link(self.ours, self.link)

    def bad_middle(self, impair, mtu):
        ns = Namespace(self.ctx)
        veth(self.ours, self.link, ns, "near0", mtu)
        veth(ns, "far0", self.kernel, self.peer_link, mtu)
        middle = Process(self.ctx, [ROOT + "/test/lab/impair.py", "near0", "far0", "1"] + impair.split(),
                         ns=ns, name="impair")
        middle.await_text("ready", 10)
        return middle

    def spoiled(self):
        """What the bad cable did: {kind: count}."""
        self.middle.signal(signal.SIGTERM)
        self.middle.wait(5)
        return {k: int(v) for k, v in (line.split() for line in
                                       self.middle.out().splitlines()[1:])}

    def client(self, args, driver="af_packet", realtime=False):
        """A run of robots at our end. realtime: for tests that judge its timing: before other
        programs of this host, and asleep between launches, so that it starves none of them."""
        args = iface(self.own + "/24") + list(args) + (["--idle", "yield"] if realtime else [])
        return Run(self.ctx, "client", args, eal=vdev(driver, self.link), ns=self.ours,
                   wrapper=["chrt", "-r", "10"] if realtime else [])

    def server(self, args, driver="af_packet"):
        """Origins at our end, ready for traffic."""
        run = Run(self.ctx, "server", iface(self.own + "/24") + list(args),
                  eal=vdev(driver, self.link), ns=self.ours)
        run.await_text("waiting for traffic", 10)
        return run


def refused_by_kernel(run):
    """Skip when this kernel has no AF_XDP sockets."""
    if run.code == 3 and "af_xdp" in run.err() and "not permitted" in run.err():
        raise Skipped("AF_XDP: " + run.err().strip().splitlines()[-1])
