# SPDX-License-Identifier: BSD-3-Clause
"""What a run writes: CSV files, console, PGL, capture; and where its threads run."""
import csv
import os
import re
import time

from common.freshet import Run
from common.process import command
from common.results import identities, number, rfc4180, sums
from common.suite import Failed, Skipped, check, equal, within

# Two tests run side by side: their workers sleep when there is nothing to do.
STEADY = ["--rate", "4000/sec", "--pconn_use_lmt", "20", "--rep_sz", "exp:2KB", "--idle", "sleep"]


def partial_rows(path):
    """Rows of a file that is being written: each whole line has all its fields."""
    with open(path, newline="", encoding="utf-8") as f:
        text = f.read()
    whole = text[:text.rfind("\n") + 1]
    rows = list(csv.reader(whole.splitlines()))
    check(text == whole, "a line was written in pieces")
    equal({len(r) for r in rows[1:]} - {len(rows[0])}, set(), "other numbers of fields")
    return rows


def interval_file(ctx):
    run = Run(ctx, "loop", STEADY + ["--goal", "4sec", "--csv_cycle", "500ms", "--stats_cycle",
                                     "500ms", "--label", 'a "b", c'])
    run.await_start()
    grown = []
    for _ in range(4):
        time.sleep(0.5)
        grown.append(len(partial_rows(run.csv_path)))
    check(grown[-1] > grown[0] + 4, "the file does not grow during the run: %s rows", grown)
    run.finish(20)
    rfc4180(run.csv_path)
    table = run.table()
    check(not [c for c in table.columns if re.search(r"[^a-z0-9_]", c)], "names of columns")
    equal(len(table.columns), len(set(table.columns)), "columns with a name of their own")
    equal(table.rows[-1]["row"], "end", "last row")
    equal(len([r for r in table.rows if r["row"] == "end"]), 1, "end rows")
    for role in ("client", "server"):
        within(len(table.find("interval", "all", role)), 8, 10, "interval rows of the " + role)
        sums(table, role)
    identities(table.one("run"))
    previous = None
    for row in table.find("interval", "all", "client"):
        check(previous is None or float(row["t_end_s"]) > previous, "time goes back")
        previous = float(row["t_end_s"])
    for row in table.rows:
        for name, value in row.items():
            check(value != "-1", "%s is -1 for no data", name)
    equal(len({r["run_id"] for r in table.rows}), 1, "run_id")


def targets(ctx):
    """Each lcore's share of the load is published, and the shares are the load."""
    run = Run(ctx, "loop", STEADY + ["--goal", "3sec", "--workers", "2", "--csv_cycle", "500ms",
                                     "--req_inter_arrival", "const"])
    run.finish(20)
    table = run.table()
    for row in table.find("interval", "all", "client")[1:5]:
        lcores = [r for r in table.rows if r["t_end_s"] == row["t_end_s"] and
                  r["row"] == "interval" and r["role"] == "client" and
                  r["scope"].startswith("lcore:")]
        equal(len(lcores), 2, "lcores of the client")
        total = sum(number(r, "target_per_s") for r in lcores)
        within(total, 3999, 4001, "targets of lcores")
        within(number(row, "target_per_s"), 3999, 4001, "target of all")
        for r in lcores:
            within(number(r, "sent_per_s"), 1500, 2500, "rate of %s" % r["scope"])


def counters_file(ctx):
    run = Run(ctx, "loop", STEADY + ["--goal", "2sec", "--csv_cycle", "500ms"]).finish(20)
    rfc4180(run.counters_path)
    table, counters = run.table(), run.counters()
    keys = set()
    grown = {}
    for r in counters.rows:
        key = (r["t_end_s"], r["role"], r["scope"], r["module"], r["counter"])
        check(key not in keys, "row %s twice", key)
        keys.add(key)
        grown[key[1:]] = grown.get(key[1:], 0) + int(r["delta"])
    for module in ("agent", "http", "tcp", "net", "lane", "port"):
        check([k for k in grown if k[2] == module], "no counters of %s", module)
    for name in ("scheduled", "sent", "completed", "conn_opened", "req_bytes"):
        key = ("client", "all", "agent", name)
        equal(grown[key], counters.total("agent." + name), "sum of the deltas of " + name)
        equal(counters.total("agent." + name), table.num(name), name + " of both files")
        equal(sum(int(r["total"]) for k, r in counters.last.items()
                  if k[0] == "client" and k[1].startswith("lcore:") and k[3] == name),
              counters.total("agent." + name), name + " over lcores")


def readers(ctx):
    """sqlite3 reads both files as they are."""
    run = Run(ctx, "loop", STEADY + ["--goal", "1sec", "--csv_cycle", "200ms"]).finish(20)
    base = ctx.path("t.db")
    for path, name in ((run.csv_path, "runs"), (run.counters_path, "counters")):
        said = command(["sqlite3", base, ".import --csv '%s' %s" % (path, name)])
        equal(said, "", "what sqlite3 says")
    got = command(["sqlite3", base, "select sum(sent) from runs where row='interval' and "
                   "scope='all' and role='client'"])
    equal(int(float(got)), int(run.run_row()["sent"]), "sent by sqlite3")
    got = command(["sqlite3", base, "select count(*) from runs"])
    equal(int(got), len(run.table().rows), "rows by sqlite3")


def existing_file(ctx):
    """Results of another run are not written over."""
    path = ctx.path("old.csv")
    with open(path, "w", encoding="utf-8") as f:
        f.write("mine\n")
    run = Run(ctx, "loop", ["--goal", "1sec", "--csv", path], csv=False).finish(10, code=2)
    check(path in run.err(), "said: %s", run.err())
    with open(path, encoding="utf-8") as f:
        equal(f.read(), "mine\n", "the file")


def small_disk(ctx):
    """A folder with room for a few rows only."""
    folder = ctx.path("small")
    os.mkdir(folder)
    try:
        command(["mount", "-t", "tmpfs", "-o", "size=16k", "none", folder])
    except Failed as e:
        raise Skipped("a small disk needs mount: %s" % e) from None
    ctx.defer(command, ["umount", "-l", folder])
    return folder


def disk_full(ctx):
    """The run goes on; what is there is whole lines; the exit code says that it is not all."""
    path = os.path.join(small_disk(ctx), "run.csv")
    run = Run(ctx, "loop", STEADY + ["--goal", "2sec", "--csv_cycle", "50ms", "--csv", path],
              csv=False).finish(20, code=5)
    check(run.console().got()[0][0] > 6000, "got %s", run.console().got())
    check(path in run.out() + run.err(), "the file is not named: %s", run.tail())
    check(len(partial_rows(path)) > 5, "rows in the file")


def no_room_at_all(ctx):
    """Not even the header: said before the run."""
    run = Run(ctx, "loop", ["--goal", "1sec", "--csv", "/dev/full"], csv=False).finish(10, code=3)
    check("/dev/full" in run.err(), "the file is not named: %s", run.tail())


def console(ctx):
    run = Run(ctx, "loop", STEADY + ["--goal", "3sec", "--stats_cycle", "500ms"]).finish(20)
    shown = run.console()
    check(re.search(r"^(\d+\.\d+\| )?offered 4000/s", shown.text, re.M), "no arithmetic of the load: %s",
          shown.text[:600])
    lines = [l for l in shown.lines("i") if l[7] is not None]
    check(len(lines) >= 5, "%d interval lines in 3 s", len(lines))
    stamp = time.time()
    for line in lines:
        within(line[0], stamp - 30, stamp + 1, "time column")
    check(shown.lines("p"), "no line of the phase")
    check("shutdown reason: " in shown.text, "no reason")
    for word in ("wait", "wire", "response", "verdict: valid"):
        check(word in shown.text, "the summary lacks `%s`", word)


def console_minutes(ctx):
    run = Run(ctx, "loop", STEADY + ["--goal", "2sec", "--stats_cycle", "500ms", "--console_time",
                                     "minutes"]).finish(20)
    check(re.search(r"^000\.0\d\| i-", run.out(), re.M), "no time in minutes: %s", run.out()[-500:])


def quiet(ctx):
    run = Run(ctx, "loop", STEADY + ["--goal", "1sec", "--verb_lvl", "1"]).finish(20)
    check(not run.console().lines("i"), "interval lines at level 1")
    check("got " in run.out(), "the result at level 1")


def pgl(ctx):
    """--print_config prints the plan and runs nothing."""
    run = Run(ctx, "loop", ["--print_config", "--robots", "77", "--req_rate", "3/sec", "--rep_sz",
                            "exp:13KB", "--rng_seed", "4711", "--pconn_use_lmt", "12"], csv=False)
    run.finish(3)
    text = run.out()
    for word in ("Robot", "Server", "exp(13", "3/sec", "4711", "12", "use("):
        check(word in text, "no `%s` in: %s", word, text[:800])
    check("i-dflt" not in text and "got " not in text, "it ran")
    equal(text.count("{"), text.count("}"), "braces")


def judged(path, what):
    return len(command(["tshark", "-n", "-r", path, "-Y", what], seconds=60).splitlines())


def capture(ctx):
    """The packets as an independent program reads them."""
    n = 400
    path = ctx.path("run.pcapng")
    run = Run(ctx, "loop", ["--rate", "1000/sec", "--goal", str(n), "--pconn_use_lmt", "8",
                            "--rep_sz", "exp:8KB", "--capture", path]).finish(20)
    row = run.all_good(n)
    equal(judged(path, "http.request"), n, "requests that tshark finds")
    equal(judged(path, "http.response.code == 200"), n, "replies that tshark finds")
    equal(judged(path, "tcp.flags.syn == 1 && tcp.flags.ack == 0"), int(row["conn_opened"]),
          "SYNs that tshark finds")
    for what in ("_ws.malformed", "tcp.analysis.retransmission", "tcp.analysis.lost_segment",
                 "tcp.analysis.duplicate_ack", "tcp.flags.reset == 1"):
        equal(judged(path, what), 0, what)
    equal(len(command(["tshark", "-n", "-o", "tcp.check_checksum:TRUE", "-o",
                       "ip.check_checksum:TRUE", "-r", path, "-Y",
                       "tcp.checksum.status == Bad || ip.checksum.status == Bad"],
                      seconds=60).splitlines()), 0, "wrong checksums")


def threads(pid):
    """{name: CPUs} of every thread."""
    found = {}
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/status" % (pid, tid), encoding="ascii") as f:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
        name = "main" if int(tid) == pid else status["Name"]
        found[name] = status["Cpus_allowed_list"]
    return found


def affinity(ctx):
    """Every thread runs where the EAL arguments say."""
    for lcores, want in (("0@0,1@1,2@0", {"main": "0", "1": "1", "2": "0"}),
                         ("0@(0,1),5@1", {"main": "0-1", "5": "1"})):
        run = Run(ctx, "loop", STEADY + ["--goal", "2sec"], eal=["--lcores", lcores])
        run.await_text("offered", 10)
        time.sleep(1)
        found = threads(run.pid)
        workers = {}
        for name, cpus in found.items():
            m = re.match(r"(?:lcore|dpdk|rte)-worker-?(\d+)$", name)
            if m:
                workers[m.group(1)] = cpus
        workers["main"] = found["main"]
        equal(workers, want, "CPUs of lcores with --lcores %s" % lcores)
        run.finish(20)
        scopes = {r["scope"]: r["cpu"] for r in run.table().find("run", "lcores", "client")}
        equal(scopes, {"lcore:" + k: v for k, v in want.items() if k != "main"}, "CPUs in the CSV")


def add(suite):
    suite.add("interval-file", interval_file, group="outputs")
    suite.add("targets-of-lcores-sum-to-the-load", targets)
    suite.add("counters-file", counters_file, group="outputs")
    suite.add("sqlite3-reads-the-files", readers, group="outputs")
    suite.add("existing-file-is-kept", existing_file, group="outputs")
    suite.add("disk-fills-up", disk_full, group="outputs")
    suite.add("disk-is-full-at-the-start", no_room_at_all, group="outputs")
    suite.add("console", console, group="outputs")
    suite.add("console-time-in-minutes", console_minutes, group="outputs")
    suite.add("console-level-1", quiet, group="outputs")
    suite.add("print-config", pgl, group="outputs")
    suite.add("capture-judged-by-tshark", capture, seconds=120, group="outputs")
    suite.add("threads-run-where-eal-says", affinity)
