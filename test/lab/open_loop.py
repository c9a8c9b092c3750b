# SPDX-License-Identifier: BSD-3-Clause
"""Is the loop open? Judged from a capture at the server's side by test/lab/judge.py."""
import signal
import sys
import time

from cable import Cable
from common.daemons import Nginx
from common.process import command
from common.results import identities, number
from common.suite import FULL, ROOT, check, equal, within
from common.wire import Capture

SECONDS, RATE = 20, 1000
PAUSE, RESUME = 8, 10


def judge(*args):
    said = command([sys.executable, ROOT + "/test/lab/judge.py"] + [str(x) for x in args],
                   seconds=60)
    return {k: float(v) for k, v in (line.split() for line in said.splitlines())}


def capture(ctx, cable):
    return Capture(ctx, cable.kernel, cable.peer_link, "tcp port 80", snap=96)


def first_request(nginx, run):
    while not nginx.log() and run.running():
        time.sleep(0.001)
    return time.monotonic()


def stalled_server(ctx):
    """nginx stops from 8 s to 10 s of a constant load. A closed loop would fall silent."""
    cable = Cable(ctx)
    nginx = Nginx(ctx, cable.kernel)
    nginx.page("page", 500)
    watch = capture(ctx, cable)
    run = cable.client(["--origin", cable.peer + ":80", "--uri", "/page", "--rate",
                        "%d/sec" % RATE, "--req_inter_arrival", "const", "--robots", "2000",
                        "--pconn_use_lmt", "1000000", "--goal", "%dsec" % SECONDS], realtime=True)
    zero = first_request(nginx, run)
    time.sleep(max(0.0, zero + PAUSE - time.monotonic()))
    nginx.signal(signal.SIGSTOP)
    time.sleep(max(0.0, zero + RESUME - time.monotonic()))
    nginx.signal(signal.SIGCONT)
    run.finish(SECONDS + 15)
    path, dropped = watch.stop()
    equal(dropped, 0, "frames that the capture lost")
    row = run.all_good()
    identities(row)
    within(int(row["scheduled"]), SECONDS * RATE - 2, SECONDS * RATE + 2, "scheduled")
    wire = judge("window", path, 80, RATE, PAUSE, RESUME)
    print("# wire:", wire)
    equal(wire["launches"], int(row["sent"]), "launches on the wire against sent")
    equal(wire["answered"], int(row["completed"]), "answers on the wire against completed")
    within(wire["inside"], 1980, 2020, "launches while the server stood still")
    for name, low, high in (("p50", 0, 2000), ("p95", 900000, 1300000), ("p99", 1700000, 2400000)):
        within(wire["response_%s_us" % name], low, high, "response %s by the wire" % name)
    within(number(row, "response_p50_us"), 0, 2000, "response p50 of the CSV")
    within(number(row, "response_p99_us"), 1700000, 2400000, "response p99 of the CSV")
    within(number(row, "response_p99_us") / wire["response_p99_us"], 0.98, 1.02,
           "p99 of the CSV by p99 of the wire")
    within(wire["late_p99_us"], 0, 100000, "launches late on the wire, p99")


def poisson(ctx):
    """Gaps of a Poisson load, as the server's side sees them, for several seeds."""
    seconds, rate = (10, 500) if FULL else (5, 500)
    seeds, need = (20, 18) if FULL else (3, 2)
    good = []
    told = []
    for seed in range(1, seeds + 1):
        cable = Cable(ctx, n=seed)
        nginx = Nginx(ctx, cable.kernel)
        nginx.page("page", 500)
        watch = capture(ctx, cable)
        run = cable.client(["--origin", cable.peer + ":80", "--uri", "/page", "--rate",
                            "%d/sec" % rate, "--robots", "500", "--pconn_use_lmt", "1000000",
                            "--goal", "%dsec" % seconds, "--rng_seed", str(seed)],
                           realtime=True)
        run.finish(seconds + 15)
        path, dropped = watch.stop()
        equal(dropped, 0, "frames that the capture lost")
        row = run.all_good()
        wire = judge("poisson", path, 80, rate)
        equal(wire["launches"], int(row["sent"]), "launches on the wire against sent")
        within(wire["launches"], seconds * rate * 0.9, seconds * rate * 1.1, "launches")
        told.append("%d: p %.3f" % (seed, wire["p"]))
        good.append(wire["p"] > 0.01)
        nginx.process.close()
    print("#", "; ".join(told))
    check(sum(good) >= need, "p > 0.01 in %d of %d seeds, at least %d: %s", sum(good), seeds, need,
          "; ".join(told))


def stalled_generator(ctx):
    """We stand still for a second: launches are late and counted, caught up without a storm."""
    cable = Cable(ctx)
    nginx = Nginx(ctx, cable.kernel)
    nginx.page("page", 500)
    watch = capture(ctx, cable)
    run = cable.client(["--origin", cable.peer + ":80", "--uri", "/page", "--rate", "500/sec",
                        "--req_inter_arrival", "const", "--robots", "500", "--pconn_use_lmt",
                        "1000000", "--goal", "6sec"], realtime=True)
    zero = first_request(nginx, run)
    time.sleep(max(0.0, zero + 2 - time.monotonic()))
    run.signal(signal.SIGSTOP)
    time.sleep(1)
    run.signal(signal.SIGCONT)
    run.finish(30)
    path, _ = watch.stop()
    row = run.all_good()
    identities(row)
    within(int(row["scheduled"]), 2998, 3002, "scheduled")
    check(number(row, "late_1ms") >= 480, "late_1ms %s of 500", row["late_1ms"])
    within(number(row, "response_max_us"), 900000, 1300000, "longest response, from due")
    wire = judge("window", path, 80, 500, 3.1, 3.9)
    equal(wire["launches"], int(row["sent"]), "launches on the wire against sent")
    check(wire["inside"] <= 0.8 * 1000 * 1.1, "%d launches in 0.8 s of catching up at most at "
          "twice the rate", wire["inside"])


def add(suite):
    suite.add("open-loop-while-the-server-stands-still", stalled_server, seconds=90)
    suite.add("open-loop-poisson-gaps", poisson, seconds=600)
    suite.add("open-loop-after-a-stall-of-our-own", stalled_generator)
