# SPDX-License-Identifier: BSD-3-Clause
"""The two-terminal session of the manual of 1999: server first, idle lines, client, ^C on each.
Two processes that find each other without a port, as an ordinary user."""
import os
import shutil
import signal
import time

from common.freshet import Run, closed
from common.process import NOBODY
from common.results import classes, identities, number
from common.suite import FRESHET, check, equal, within

CYCLE = ["--stats_cycle", "500ms"]


def user_of(ctx):
    """(keywords for Run) of an ordinary user who can read the program wherever it was built."""
    program = ctx.path("freshet")
    shutil.copy(FRESHET, program)
    os.chmod(program, 0o755)
    home = ctx.path("run")
    os.mkdir(home, 0o700)
    env = dict(os.environ, XDG_RUNTIME_DIR=home, HOME=home)
    if os.getuid() != 0:
        return {"env": env}
    os.chown(home, NOBODY, NOBODY)
    return {"env": env, "user": NOBODY, "program": program}


def session(ctx, who, server_args, client_args, seconds=2):
    """@return (server, client) that have ended, each by ^C."""
    server = Run(ctx, "server", CYCLE + server_args, **who)
    server.await_text("waiting for traffic", 10)
    server.await_text("i-", 10)
    client = Run(ctx, "client", CYCLE + client_args, **who)
    client.await_start()
    time.sleep(seconds)
    client.signal(signal.SIGINT)
    client.finish(10)
    time.sleep(0.6)
    server.signal(signal.SIGINT)
    server.finish(10)
    return server, client


def agree(server, client):
    """Both sides tell the same story."""
    row = client.all_good(stopped=True)
    identities(row)
    n = int(row["completed"])
    check(n > 1000, "only %d transactions", n)
    equal(client.console().got(), [(n, int(row["dropped"]))], "client's xactions and errors")
    equal(server.console().got(), [(n, 0)], "server's xactions and errors")
    for run in (server, client):
        equal(run.console().reason(), "got shutdown signal", "shutdown reason")
    closed(client, ("client",))
    closed(server, ("server",))
    for name in ("req_bytes", "rep_header_bytes", "rep_body_bytes"):
        equal(row[name], server.run_row("server")[name], "%s of both sides" % name)


def two_terminals(ctx):
    server, client = session(ctx, user_of(ctx), [], [])
    agree(server, client)
    idle = server.console().lines()[0]
    equal(idle[2:], (0, 0.0, -1, -1.0, 0, 1), "first idle line of the server")
    last = client.console().lines()[-1]
    equal(last[7], 1, "open connections of one robot that works back to back")


def loopback_address(ctx):
    """127.0.0.1 is one more address of the simulated net."""
    server, client = session(ctx, user_of(ctx), ["--origin", "127.0.0.1:8080"],
                             ["--origin", "127.0.0.1:8080", "--rate", "2000/sec",
                              "--pconn_use_lmt", "20"], 2)
    agree(server, client)
    for run in (server, client):
        check("simulated" in run.out(), "%s does not say that the net is simulated", run.name)


def no_runtime_dir(ctx):
    """Without XDG_RUNTIME_DIR they find each other too."""
    who = user_of(ctx)
    del who["env"]["XDG_RUNTIME_DIR"]
    server, client = session(ctx, who, [], ["--robots", "10"], 1)
    agree(server, client)


def client_alone(ctx):
    """No server: said at once, as a set-up error."""
    run = Run(ctx, "client", [], **user_of(ctx)).finish(10, code=3)
    check("no server" in run.err(), "said: %s", run.err())
    check(not os.path.exists(run.csv_path), "it made %s", run.csv_path)


def second_server(ctx):
    who = user_of(ctx)
    server = Run(ctx, "server", CYCLE, **who)
    server.await_text("waiting for traffic", 10)
    other = Run(ctx, "server", CYCLE, **who).finish(10, code=3)
    check("another server" in other.err(), "said: %s", other.err())
    server.signal(signal.SIGINT)
    server.finish(10)


def client_comes_again(ctx):
    """The server serves one client after the other."""
    who = user_of(ctx)
    server = Run(ctx, "server", CYCLE, **who)
    server.await_text("waiting for traffic", 10)
    n = 0
    for _ in range(3):
        client = Run(ctx, "client", CYCLE + ["--goal", "2000", "--robots", "5"], **who)
        client.finish(20)
        client.all_good(2000)
        n += 2000
    server.signal(signal.SIGINT)
    server.finish(10)
    equal(server.console().got(), [(n, 0)], "server's xactions and errors")


def other_seed(ctx):
    """Two seeds are two worlds: each reply differs from what the client knows of the object."""
    who = user_of(ctx)
    server = Run(ctx, "server", CYCLE + ["--rng_seed", "2"], **who)
    server.await_text("waiting for traffic", 10)
    client = Run(ctx, "client", CYCLE + ["--goal", "300", "--rate", "300/sec"], **who)
    client.finish(20)
    row = client.run_row()
    identities(row)
    equal(classes(row), {"content": 300}, "failures")


def server_dies(ctx):
    """The server is killed: the client's transactions fail, and its run ends on time."""
    who = user_of(ctx)
    server = Run(ctx, "server", CYCLE, **who)
    server.await_text("waiting for traffic", 10)
    client = Run(ctx, "client", CYCLE + ["--goal", "4sec", "--rate", "500/sec", "--timeout", "1sec",
                                         "--connect_timeout", "1sec", "--drain", "2sec"], **who)
    client.await_start()
    time.sleep(1)
    server.signal(signal.SIGKILL)
    client.finish(15, code=None)
    within(client.seconds, 3, 10, "seconds of the client's run")
    row = client.run_row()
    identities(row)
    check(number(row, "completed") > 100, "completed %s", row["completed"])
    check(number(row, "failed") > 100, "failed %s", row["failed"])


def ordinary_loop(ctx):
    """freshet loop needs no root."""
    run = Run(ctx, "loop", ["--goal", "1sec"], **user_of(ctx)).finish(20)
    run.all_good()


def add(suite):
    suite.add("loop-as-an-ordinary-user", ordinary_loop)
    suite.add("two-terminals", two_terminals)
    suite.add("two-terminals-on-127.0.0.1", loopback_address)
    suite.add("two-terminals-without-runtime-dir", no_runtime_dir)
    suite.add("client-without-a-server", client_alone, group="sessions")
    suite.add("second-server-is-refused", second_server, group="sessions")
    suite.add("client-comes-again", client_comes_again)
    suite.add("other-seed-is-other-content", other_seed)
    suite.add("server-is-killed", server_dies)
