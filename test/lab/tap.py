# SPDX-License-Identifier: BSD-3-Clause
"""net_tap with two queues: the kernel picks the queue of each frame, so that half of them arrive at
a lane that does not own them and must be handed over."""
import time

from common.daemons import Nginx, settled
from common.freshet import Run, closed, iface, vdev
from common.netns import Namespace
from common.results import identities
from common.suite import Failed, Skipped, check, equal

LINK = "frtap0"


def await_tap(ns, run):
    """EAL makes the link: give the kernel's end its address as soon as it is there."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if LINK in ns.run("ip", "-o", "link", "show"):
            ns.run("ip", "address", "add", "10.99.1.1/24", "dev", LINK)
            ns.run("ip", "link", "set", LINK, "up")
            return
        if not run.running():
            if "/dev/net/tun" in run.err():
                raise Skipped("no tap device: " + run.err()[-200:])
            break
        time.sleep(0.01)
    raise Failed("no tap link: %s" % run.tail())


def hand_over(ctx):
    ns = Namespace(ctx)
    nginx = Nginx(ctx, ns, listen="80")
    nginx.page("page", 2000)
    n = 3000
    run = Run(ctx, "client", iface("10.99.1.2/24") +
              ["--origin", "10.99.1.1:80", "--uri", "/page", "--goal", str(n), "--rate", "1000/sec",
               "--robots", "50", "--pconn_use_lmt", "10", "--workers", "2", "--queues", "2",
               "--max_conns", "4000", "--idle", "sleep"],
              eal=vdev("tap", LINK), ns=ns)
    await_tap(ns, run)
    run.finish(30)
    row = run.all_good(n)
    identities(row)
    equal(len(settled(nginx, n)), n, "lines of the access log")
    equal(len(run.table().find("run", "lcores", "client")), 2, "lanes of the client")
    counters = run.counters()
    strayed = counters.total("lane.wrong_lcore")
    check(strayed > 0, "no frame strayed: the hand-over was not exercised")
    equal(counters.total("port.redirect_full"), 0, "frames lost at the hand-over")
    equal(counters.total("lane.redirected_in"), strayed, "frames handed over")
    closed(run, ("client",))


def add(suite):
    suite.add("tap-hands-frames-over", hand_over)
