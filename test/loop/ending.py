# SPDX-License-Identifier: BSD-3-Clause
"""Ends of a run: goals, signals, limits; results are written each time."""
import signal
import time

from common.freshet import Run
from common.results import classes, identities, number, sums
from common.suite import FULL, check, equal, within

# Two tests run side by side: their workers sleep when there is nothing to do.
SOON = ["--stats_cycle", "500ms", "--csv_cycle", "500ms", "--idle", "sleep"]
STEADY = ["--rate", "5000/sec", "--pconn_use_lmt", "50", "--rep_sz", "exp:2KB"] + SOON


def default_run(ctx, seconds):
    args = [] if seconds is None else ["--goal", "%dsec" % seconds]
    run = Run(ctx, "loop", args).finish(30)
    row = run.all_good()
    length = seconds or 10
    # A host that takes our CPUs prolongs the end (at most 5 s) and degrades the rate, no more.
    within(number(row, "interval_s"), length - 0.05, length + 6, "length of the run")
    check(int(row["completed"]) > 40000 * length, "only %s transactions in %d s of 50000/s",
          row["completed"], length)
    check(row["rules"] in ("", "V1"), "rules of the verdict that struck: %s", row["rules"])


def defaults(ctx):
    """`freshet loop` again and again ends well each time."""
    for _ in range(20 if FULL else 5):
        default_run(ctx, None if FULL else 1)


def interrupted(ctx, args, signos, gap=0.0):
    """Start, let it run for a second, send signals. @return (run, seconds from the last signal)."""
    run = Run(ctx, "loop", args)
    run.await_start()
    time.sleep(1)
    for i, signo in enumerate(signos):
        if i > 0:
            time.sleep(gap)
            check(run.running(), "it ended before signal %d", i + 1)
        run.signal(signo)
    begin = time.monotonic()
    run.wait(20)
    return run, time.monotonic() - begin


def results_complete(run, reason="signal"):
    """Files are whole and add up. @return the client's row of the run."""
    table = run.table()
    equal(table.rows[-1]["row"], "end", "last row of the CSV")
    row = table.one("run")
    identities(row)
    for role in ("client", "server"):
        sums(table, role)
    run.counters()
    got = run.console().got()
    equal(got[0][0], int(row["completed"]), "xactions on the console")
    equal(got[0][1], int(row["failed"]) + int(row["dropped"]), "errors on the console")
    check(reason in (run.console().reason() or ""), "shutdown reason: %s", run.console().reason())
    return row


def one_signal(signo):
    def test(ctx):
        run, seconds = interrupted(ctx, STEADY + ["--goal", "60sec"], [signo])
        equal(run.code, 130, "exit code with a goal unmet")
        within(seconds, 0, 5, "seconds to the end")
        row = results_complete(run)
        equal(classes(row), {}, "failures")
        within(int(row["completed"]), 4000, 20000, "completed")
    return test


def no_goal(ctx):
    run, _ = interrupted(ctx, STEADY + ["--goal=-1:-1:-1"], [signal.SIGINT])
    equal(run.code, 0, "exit code without goals")
    results_complete(run)


THINKING = ["--rate", "500/sec", "--xact_think", "const:30sec", "--rep_sz", "const:100",
            "--goal", "60sec"] + SOON


def second_signal(ctx):
    run, seconds = interrupted(ctx, THINKING + ["--drain", "15sec"],
                               [signal.SIGINT, signal.SIGINT], 0.7)
    equal(run.code, 130, "exit code")
    within(seconds, 0, 1.5, "seconds from the second signal to the end")
    row = results_complete(run)
    equal(int(row["completed"]), 0, "completed")
    check(number(row, "fail_cut") > 300, "fail_cut %s", row["fail_cut"])


def drain_bounded(ctx):
    run, seconds = interrupted(ctx, THINKING + ["--drain", "1sec"], [signal.SIGTERM])
    equal(run.code, 130, "exit code")
    within(seconds, 0.9, 3, "seconds from the signal to the end")
    row = results_complete(run)
    equal(number(row, "fail_cut"), number(row, "failed"), "cut and failed")
    check(number(row, "fail_cut") > 300, "fail_cut %s", row["fail_cut"])


def drained(ctx):
    """What is in flight at the goal still ends well."""
    run = Run(ctx, "loop", ["--rate", "1000/sec", "--xact_think", "const:500ms", "--rep_sz",
                            "const:100", "--goal", "2sec"] + SOON).finish(15)
    row = results_complete(run, "goal")
    equal(classes(row), {}, "failures")
    equal(row["completed"], row["sent"], "completed")


def timeout(ctx):
    """A deadline per transaction; its class, and the run is not ended by it."""
    run = Run(ctx, "loop", ["--rate", "500/sec", "--xact_think", "const:2sec", "--timeout", "300ms",
                            "--rep_sz", "const:100", "--goal", "1000"] + SOON).finish(15)
    row = run.run_row()
    identities(row)
    equal(classes(row), {"timeout": 1000}, "failures")


def error_goal(ctx):
    run = Run(ctx, "loop", ["--rate", "2000/sec", "--expect_status", "404", "--rep_sz", "const:100",
                            "--goal=-1:30sec:10%"] + SOON).finish(15, code=1)
    row = results_complete(run, "goal")
    check(set(classes(row)) == {"status"}, "failures %s", classes(row))
    within(run.seconds, 0, 6, "seconds until the errors end the run")
    equal(row["completed"], "0", "completed")


def add(suite):
    suite.add("default-run-exits-0-each-time", defaults, seconds=300)
    suite.add("sigint-writes-results", one_signal(signal.SIGINT), group="ending")
    suite.add("sigterm-writes-results", one_signal(signal.SIGTERM), group="ending")
    suite.add("sigint-without-goals-exits-0", no_goal, group="ending")
    suite.add("second-sigint-ends-at-once", second_signal, group="ending")
    suite.add("drain-is-bounded", drain_bounded, group="ending")
    suite.add("drain-lets-replies-in", drained, group="ending")
    suite.add("timeout-per-transaction", timeout, group="ending")
    suite.add("errors-end-the-run", error_goal, group="ending")
