# SPDX-License-Identifier: BSD-3-Clause
"""Cases of test/data/wire against the running client over a cable."""
import glob
import os
import shlex

from cable import Cable
from common.cases import read_cases
from common.process import Process
from common.results import identities, number
from common.suite import ROOT, check, equal, within

PORT = 8001
MIN_CASES = 35
DEFAULTS = {"--goal": "3", "--robots": "1", "--rate": "5/sec",
            "--req_inter_arrival": "const", "--pconn_use_lmt": "100", "--timeout": "5sec",
            "--idle": "sleep"}


def options(case):
    """The case's own options replace ours."""
    own = shlex.split(case.args)
    args = []
    for name, value in DEFAULTS.items():
        if name not in own:
            args += [name, value]
    return args + own


def value_of(row, counters, name):
    total = 0
    for part in name.split("+"):
        if "." in part:
            total += counters.total(part)
        else:
            check(part in row, "no column %s", part)
            total += number(row, part)
    return total


def judge(case, run):
    row = run.run_row()
    identities(row)
    counters = run.counters()
    equal(counters.total("tcp.conn_now"), 0, "connections left")
    for name, low, high in case.expect:
        within(value_of(row, counters, name), low, high, name)


def one(path, case):
    def test(ctx):
        cable = Cable(ctx)
        peer = Process(ctx, [ROOT + "/test/lab/wire_peer.py", cable.peer, str(PORT), path, case.name],
                       ns=cable.kernel, name="peer")
        peer.await_text("ready", 10)
        run = cable.client(["--origin", "%s:%d" % (cable.peer, PORT), "--uri", "/case"] +
                           options(case)).finish(20)
        judge(case, run)
    return test


def add(suite):
    n = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "test/data/wire/*.case"))):
        for case in read_cases(path):
            suite.add("wire-" + case.name, one(path, case), group="wire")
            n += 1
    check(n >= MIN_CASES, "only %d cases", n)
