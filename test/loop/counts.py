# SPDX-License-Identifier: BSD-3-Clause
"""Exact counters: what the robots say is what the origins say, and everything is given back."""
from common.freshet import Run, closed
from common.results import identities, number, sums
from common.suite import FULL, equal, check

MB = 1 << 20


STILL = ("tcp.rtx_segs", "tcp.syn_rtx", "tcp.rst_in", "tcp.rst_out", "tcp.stray_segs",
         "net.rx_bad_csum_tcp", "net.rx_bad_csum_ip")


def both(run, n, seconds, still=STILL):
    """A loop run of exactly n transactions without an error on either side. still: counters of
    both sides that must not move. @return client's row."""
    run.finish(seconds)
    row = run.all_good(n)
    server = run.run_row("server")
    equal(int(server["completed"]), n, "replies of the origins")
    counters = run.counters()
    equal(counters.total("agent.requests_in", "server"), n, "requests that reached the origins")
    for name in ("agent.bad_requests", "agent.replies_cut", "agent.bad_content_in",
                 "http.bad_requests"):
        equal(counters.total(name, "server"), 0, name)
    for role in ("client", "server"):
        for name in still:
            equal(counters.total(name, role), 0, "%s of the %s" % (name, role))
    for a, b in (("agent.conn_opened", "agent.conn_opened"), ("tcp.bytes_out", "tcp.bytes_in"),
                 ("tcp.bytes_in", "tcp.bytes_out"), ("agent.conn_closed", "agent.conn_closed")):
        equal(counters.total(a), counters.total(b, "server"), "%s and the server's %s" % (a, b))
    for name in ("req_bytes", "rep_header_bytes", "rep_body_bytes"):
        equal(row[name], server[name], "%s of both sides" % name)
    table = run.table()
    identities(row)
    for role in ("client", "server"):
        sums(table, role)
    closed(run, ("client", "server"))
    got = run.console().got()
    check(got, "console does not say `got N xactions`")
    equal(got, [(n, 0)] * len(got), "console's xactions and errors")
    return row


def keep_alive(ctx):
    n = 100000
    run = Run(ctx, "loop", ["--rate", "40000/sec", "--goal", str(n), "--pconn_use_lmt", "100",
                            "--rep_sz", "exp:1KB"])
    row = both(run, n, 30)
    opened = number(row, "conn_opened")
    check(opened >= n // 100, "%d connections for %d requests, at most 100 on each", opened, n)
    equal(row["hits"], "0", "hits without a cache")
    equal(int(row["misses"]), n, "misses")


def one_request(ctx):
    n = 20000
    run = Run(ctx, "loop", ["--rate", "8000/sec", "--goal", str(n), "--rep_sz", "const:100"])
    row = both(run, n, 30)
    equal(int(row["conn_opened"]), n, "connections")
    equal(int(row["rep_body_bytes"]), 100 * n, "content")


def post(ctx):
    n = 3000
    run = Run(ctx, "loop", ["--method", "POST", "--body_sz", "const:10KB", "--rate", "3000/sec",
                            "--goal", str(n), "--pconn_use_lmt", "10", "--rep_sz", "const:100"])
    row = both(run, n, 30)
    check(number(row, "req_bytes") > n * 10240, "request bytes %s hold no bodies",
          row["req_bytes"])


def put_sizes(ctx):
    n = 1000
    run = Run(ctx, "loop", ["--method", "PUT", "--body_sz", "unif:1,60KB", "--rate", "1000/sec",
                            "--goal", str(n), "--pconn_use_lmt", "7"])
    both(run, n, 30)


def head(ctx):
    n = 5000
    run = Run(ctx, "loop", ["--method", "HEAD", "--rate", "5000/sec", "--goal", str(n),
                            "--pconn_use_lmt", "10", "--rep_sz", "const:50KB"])
    row = both(run, n, 30)
    equal(row["rep_body_bytes"], "0", "content of replies to HEAD")


def one_mb(ctx):
    n = 500
    run = Run(ctx, "loop", ["--rep_sz", "const:1MB", "--rate", "300/sec", "--goal", str(n),
                            "--pconn_use_lmt", "20"])
    row = both(run, n, 30)
    equal(int(row["rep_body_bytes"]), n * MB, "content")


def http10(ctx):
    n = 3000
    run = Run(ctx, "loop", ["--http_version", "1.0", "--rate", "3000/sec", "--goal", str(n),
                            "--rep_sz", "const:2KB"])
    row = both(run, n, 30)
    equal(int(row["conn_opened"]), n, "connections")


def split(ctx):
    n = 10000
    run = Run(ctx, "loop", ["--topology", "split", "--rate", "10000/sec", "--goal", str(n),
                            "--pconn_use_lmt", "50", "--rep_sz", "exp:4KB"])
    both(run, n, 30)


def one_core(ctx):
    n = 5000
    run = Run(ctx, "loop", ["--rate", "5000/sec", "--goal", str(n), "--pconn_use_lmt", "50",
                            "--rep_sz", "exp:4KB"], eal=["-l", "0"])
    both(run, n, 30)
    for role in ("client", "server"):
        for r in run.table().find("run", "lcores", role):
            equal(r["cpu"], "0", "CPU of %s" % r["scope"])


def two_workers_on_one_core(ctx):
    n = 3000
    run = Run(ctx, "loop", ["--workers", "2", "--rate", "3000/sec", "--goal", str(n),
                            "--pconn_use_lmt", "50", "--rep_sz", "exp:4KB"], eal=["-l", "1"])
    both(run, n, 30)
    equal(len(run.table().find("run", "lcores", "client")), 2, "lcores of the client")


def think_and_best_effort(ctx):
    n = 2000
    run = Run(ctx, "loop", ["--best_effort", "--robots", "50", "--xact_think", "const:5ms",
                            "--goal", str(n), "--pconn_use_lmt", "100", "--rep_sz", "const:1KB"])
    row = both(run, n, 30)
    p50 = number(row, "response_p50_us")
    check(5000 <= p50 < 20000, "p50 %s us with 5 ms of think time", p50)


def close_rst(ctx):
    n = 4000
    run = Run(ctx, "loop", ["--close", "rst", "--rate", "4000/sec", "--goal", str(n),
                            "--rep_sz", "const:1KB"]).finish(30)
    run.all_good(n)
    equal(run.counters().total("agent.requests_in", "server"), n, "requests at the origins")
    closed(run, ("client",))


def many_connections(ctx):
    n = 300000 if FULL else 20000
    run = Run(ctx, "loop", ["--robots", str(n // 10), "--rate", str(n // 4), "--goal", str(n),
                            "--pconn_use_lmt", "1000", "--rep_sz", "const:100"])
    # Closing them all at once takes longer than a FIN waits for its acknowledgement.
    both(run, n, 60, [name for name in STILL if name not in ("tcp.rtx_segs", "tcp.stray_segs")])


def add(suite):
    suite.add("100000-keep-alive", keep_alive)
    suite.add("20000-connections-of-one-request", one_request)
    suite.add("post-bodies", post)
    suite.add("put-bodies-of-many-sizes", put_sizes)
    suite.add("head", head)
    suite.add("1mb-replies", one_mb)
    suite.add("http-1.0", http10)
    suite.add("split-topology", split)
    suite.add("one-core", one_core)
    suite.add("two-workers-on-one-core", two_workers_on_one_core)
    suite.add("best-effort-with-think-time", think_and_best_effort)
    suite.add("close-by-rst", close_rst)
    suite.add("thousands-of-open-connections", many_connections, seconds=90)
