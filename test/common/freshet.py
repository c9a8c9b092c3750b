# SPDX-License-Identifier: BSD-3-Clause
"""The program under test: command lines, and a run with its results."""
import os

from common.process import Process
from common.results import Console, Counters, Table, classes
from common.suite import FRESHET, check, equal

START_SECONDS = 10


def vdev(kind, link, queues=1):
    """EAL arguments for one port on a link of the kernel's."""
    device = {
        "af_packet": "net_af_packet0,iface=%s,qpairs=%d,framecnt=2048,blocksz=65536" % (link, queues),
        "af_xdp": "net_af_xdp0,iface=%s,start_queue=0,queue_count=1,force_copy=1" % link,
        "tap": "net_tap0,iface=%s" % link,
    }[kind]
    return ["--no-huge", "--no-shconf", "--no-pci", "-m", "512", "--vdev", device]


def iface(text, port=0):
    return ["--iface", "port=%d addr=%s" % (port, text)]


class Run(Process):
    """A run of the program that writes both CSV files.

    eal: None for the program's own defaults, else EAL arguments, put before `--`.
    """

    def __init__(self, ctx, cmd, args, eal=None, ns=None, user=None, env=None, program=FRESHET,
                 csv=True, wrapper=()):
        self.n = Process.n_started + 1
        self.cmd = cmd
        folder = ctx.path("%s-%d-results" % (cmd, self.n))
        os.mkdir(folder)
        if user is not None:
            os.chown(folder, user, user)
        self.csv_path = os.path.join(folder, "run.csv")
        self.counters_path = os.path.join(folder, "counters.csv")
        argv = list(wrapper) + [program, cmd]
        if eal is not None:
            argv += list(eal) + ["--"]
        argv += list(args)
        if csv:
            argv += ["--csv", self.csv_path, "--csv_counters", self.counters_path]
        super().__init__(ctx, argv, ns=ns, user=user, env=env, name="freshet-" + cmd)

    def finish(self, seconds, code=0):
        """Wait for the end of the run. @return itself."""
        self.wait(seconds)
        if code is not None:
            check(self.code == code, "exit %s, expected %d: %s", self.code, code, self.tail())
        return self

    def table(self):
        return Table(self.csv_path)

    def counters(self):
        return Counters(self.counters_path)

    def console(self):
        return Console(self.out_path)

    def run_row(self, role="client"):
        return self.table().one("run", "all", role)

    def all_good(self, n=None, stopped=False):
        """Every planned transaction completed: exactly n when given. stopped: by a signal, which
        drops what waits. @return the run's row."""
        row = self.run_row()
        if n is not None:
            equal(int(row["scheduled"]), n, "scheduled")
        equal(classes(row), {}, "failures")
        equal(row["completed"], row["sent"], "completed")
        equal(row["dropped"], row["drop_stop"], "dropped")
        if not stopped:
            equal(row["sent"], row["scheduled"], "sent")
        return row

    def await_start(self):
        """Until the load runs."""
        self.await_text("i-", START_SECONDS)


def closed(run, roles):
    """All connections are gone, and every block is back in its pool."""
    counters = run.counters()
    for role in roles:
        for name in ("agent.conn_open_now", "agent.conn_idle_now", "agent.waiting_now",
                     "agent.in_flight_now", "tcp.conn_now", "tcp.tw_now"):
            equal(counters.total(name, role), 0, "%s of the %s at the end" % (name, role))
        equal(counters.total("agent.conn_opened", role), counters.total("agent.conn_closed", role),
              "connections opened and closed of the %s" % role)
        for name in ("tcp.conn_exhausted", "agent.slot_exhausted", "port.mbuf_empty",
                     "port.tx_dropped", "lane.hist_lost", "lane.news_lost", "tcp.give_up"):
            equal(counters.total(name, role), 0, "%s of the %s" % (name, role))
