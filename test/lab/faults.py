# SPDX-License-Identifier: BSD-3-Clause
"""Servers that are dead, refuse, swallow, reset, or go and come back: right classes, ends on time."""
import time

from cable import Cable
from common.daemons import Nginx
from common.freshet import Run, closed, vdev
from common.process import Process
from common.results import classes, columns, identities, number
from common.suite import ROOT, check, equal, within

LOAD = ["--rate", "200/sec", "--req_inter_arrival", "const", "--robots", "20", "--uri", "/page"]
KNOWN = {"refused", "reset", "noreply", "stale", "short", "timeout", "connect_timeout", "cut"}


def no_neighbour(ctx):
    """Nobody answers ARP: a set-up error within 3 seconds that names the address."""
    cable = Cable(ctx)
    run = cable.client(LOAD + ["--origin", "10.99.1.77:80", "--goal", "5sec"])
    begin = time.monotonic()
    run.finish(10, code=3)
    within(time.monotonic() - begin, 0, 4.5, "seconds (3 of them for the neighbour)")
    check("10.99.1.77" in run.err(), "said: %s", run.err())
    check("i-" not in run.out(), "it ran: %s", run.tail())


def no_gateway(ctx):
    """The gateway is what is missing, so that is what is named."""
    cable = Cable(ctx)
    run = Run(ctx, "client", ["--iface", "port=0 addr=10.99.1.2/24 gw=10.99.1.88", "--origin",
                              "192.0.2.1:80", "--goal", "5sec"] + LOAD, eal=vdev("af_packet", cable.link),
              ns=cable.ours)
    run.finish(10, code=3)
    check("10.99.1.88" in run.err(), "said: %s", run.err())


def refusing(ctx):
    """No listener: each transaction is refused at network speed, and the rate is kept."""
    cable = Cable(ctx)
    run = cable.client(LOAD + ["--origin", cable.peer + ":81", "--goal", "600"]).finish(20)
    row = run.run_row()
    identities(row)
    equal(classes(row), {"refused": 600}, "failures")
    within(number(row, "interval_s"), 2.9, 3.6, "seconds of 600 attempts at 200/s")
    equal(row["conn_opened"], "0", "connections")


def black_hole(ctx):
    """SYNs vanish: connect timeouts, never mixed with those of replies; SYNs are sent again."""
    cable = Cable(ctx)
    drop(cable, "tcp dport 82 drop")
    run = cable.client(LOAD + ["--origin", cable.peer + ":82", "--goal", "400", "--connect_timeout",
                               "1500ms"]).finish(20)
    row = run.run_row()
    identities(row)
    equal(classes(row), {"connect_timeout": 400}, "failures")
    within(number(row, "syn_rtx"), 400, 800, "SYNs sent again")
    within(run.seconds, 3, 8, "seconds of the run")


def drop(cable, rule):
    cable.kernel.run("nft", "add table ip t; add chain ip t in { type filter hook input priority 0; "
                     "}; add rule ip t in " + rule)


def swallowed(ctx):
    """Requests vanish behind the handshake: time-outs of replies."""
    cable = Cable(ctx)
    nginx = Nginx(ctx, cable.kernel)
    nginx.page("page", 100)
    drop(cable, "tcp dport 80 tcp flags & psh == psh drop")
    run = cable.client(LOAD + ["--origin", cable.peer + ":80", "--goal", "400", "--timeout",
                               "1sec"]).finish(20)
    row = run.run_row()
    identities(row)
    equal(classes(row), {"timeout": 400}, "failures")
    check(number(row, "rtx_segs") >= 400, "segments sent again: %s", row["rtx_segs"])
    within(run.seconds, 2, 8, "seconds of the run")


def bad_cable(impair, seen):
    """Everything completes all the same, byte for byte. seen: columns or counters that must tell."""
    def test(ctx):
        cable = Cable(ctx, impair=impair)
        nginx = Nginx(ctx, cable.kernel)
        nginx.page("page", 60000)
        run = cable.client(LOAD + ["--origin", cable.peer + ":80", "--goal", "600",
                                   "--pconn_use_lmt", "10", "--drain", "20sec"]).finish(60)
        row = run.all_good(600)
        identities(row)
        equal(int(row["rep_body_bytes"]), 600 * 60000, "content")
        done = cable.spoiled()
        print("#", impair, done)
        kind = impair.split("=")[0]
        check(done[kind] > 100, "the cable did little: %s", done)
        counters = run.counters()
        for name in seen:
            check(counters.total(name) > 0, "%s is 0 with %s", name, done)
        closed(run, ("client",))
    return test


def player(ctx, cable, script):
    """A server of wire_peer.py with a script of its own. @return its address and port."""
    path = ctx.path("one.case")
    with open(path, "w", encoding="utf-8") as f:
        f.write("case: one\nplay: %s\nexpect: sent>=1\n" % script)
    peer = Process(ctx, [ROOT + "/test/lab/wire_peer.py", cable.peer, "8001", path],
                   ns=cable.kernel, name="peer")
    peer.await_text("ready", 10)
    return cable.peer + ":8001"


def resetting(ctx):
    """A server that resets each connection behind the request."""
    cable = Cable(ctx)
    run = cable.client(LOAD + ["--origin", player(ctx, cable, "R RST"), "--goal", "400"]).finish(20)
    row = run.run_row()
    identities(row)
    equal(classes(row), {"reset": 400}, "failures")
    equal(number(row, "rst_received"), 400, "RST received")


def comes_back(ctx):
    """nginx is killed after 2 s and is back 2 s later."""
    cable = Cable(ctx)
    nginx = Nginx(ctx, cable.kernel)
    nginx.page("page", 1000)
    run = cable.client(LOAD + ["--origin", cable.peer + ":80", "--goal", "7sec", "--pconn_use_lmt",
                               "1000", "--csv_cycle", "500ms", "--timeout", "2sec", "--drain",
                               "3sec"])
    while not any(line[5] == "/page" for line in nginx.log()) and run.running():
        time.sleep(0.02)
    time.sleep(2)
    nginx.kill()
    time.sleep(2)
    nginx.again()
    run.finish(20)
    row = run.run_row()
    identities(row)
    within(number(row, "interval_s"), 6.9, 10.5, "seconds of the run")
    equal(int(row["scheduled"]), int(row["sent"]), "every transaction was sent on time")
    within(int(row["scheduled"]), 1398, 1402, "scheduled")
    fails = classes(row)
    check(set(fails) <= KNOWN, "classes: %s", fails)
    within(fails.get("refused", 0), 300, 440, "refused in 2 s at 200/s")
    within(sum(fails.values()) - fails.get("refused", 0), 0, 40, "others: %s" % fails)
    last = run.table().find("interval", "all", "client")[-3:]
    check(sum(int(r["completed"]) for r in last) > 150, "completed after its return: %s",
          [r["completed"] for r in last])


def ports_used_up(ctx):
    """20 local ports, all held: what has no port is dropped as such, and said."""
    cable = Cable(ctx)
    peer = player(ctx, cable, 'R W2000 S"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok" HOLD')
    run = cable.client(["--rate", "200/sec", "--req_inter_arrival", "const", "--robots", "60", "--uri",
                        "/page", "--origin", peer, "--goal", "60", "--sport",
                        "40000-40019"]).finish(20, code=4)
    row = run.run_row()
    identities(row)
    equal(columns(row, "drop_"), {"drop_port": 40}, "drops")
    equal(int(row["completed"]), 20, "completed")
    check("V1" in row["rules"], "rules: %s", row["rules"])


def link_lost(ctx):
    """The cable is cut for good: the run ends on time with time-outs."""
    cable = Cable(ctx)
    nginx = Nginx(ctx, cable.kernel)
    nginx.page("page", 1000)
    run = cable.client(LOAD + ["--origin", cable.peer + ":80", "--goal", "4sec", "--pconn_use_lmt",
                               "100", "--timeout", "1sec", "--connect_timeout", "1sec", "--drain",
                               "2sec", "--stats_cycle", "500ms"])
    run.await_start()
    time.sleep(1)
    cable.kernel.run("ip", "link", "set", cable.peer_link, "down")
    run.finish(20, code=None)
    check(run.code in (0, 4), "exit code %s: %s", run.code, run.tail())
    within(run.seconds, 3.5, 10, "seconds of the run")
    row = run.run_row()
    identities(row)
    check(number(row, "failed") > 200, "failed: %s", row["failed"])


def add(suite):
    suite.add("no-answer-to-arp", no_neighbour)
    suite.add("no-gateway", no_gateway)
    suite.add("server-refuses", refusing)
    suite.add("server-is-a-black-hole", black_hole)
    suite.add("server-swallows-requests", swallowed)
    suite.add("server-resets", resetting)
    for kind, seen in (("loss", ["tcp.rtx_segs", "tcp.ooo_segs"]), ("late", ["tcp.ooo_segs"]),
                       ("twice", ["tcp.old_segs"]), ("flip", ["net.rx_bad_csum_tcp",
                                                              "tcp.ooo_segs"])):
        suite.add("bad-cable-" + kind, bad_cable(kind + "=2", seen), seconds=90)
    suite.add("bad-cable-everything", bad_cable("loss=1 twice=1 late=1 flip=1", ["tcp.ooo_segs"]),
              seconds=90)
    suite.add("server-is-killed-and-comes-back", comes_back)
    suite.add("local-ports-are-used-up", ports_used_up)
    suite.add("link-is-lost", link_lost)
