# SPDX-License-Identifier: BSD-3-Clause
"""freshet client against nginx: what we count is what its access log says, byte for byte."""
from collections import Counter

from cable import Cable, refused_by_kernel
from common.daemons import Nginx, settled
from common.freshet import closed
from common.results import identities, number, rfc4180, sums
from common.suite import FULL, check, equal, within

KB, MB = 1 << 10, 1 << 20


def same_as_log(run, log):
    """Counts and bytes of the client against the server's log. @return the run's row."""
    row = run.run_row()
    identities(row)
    equal(int(row["sent"]), len(log), "sent against lines of the access log")
    by_class = Counter(line[0][0] for line in log)
    for digit in "2345":
        equal(int(row["status_%sxx" % digit]), by_class[digit], "status_%sxx" % digit)
    sent = sum(int(line[2]) for line in log)
    body = sum(int(line[3]) for line in log)
    equal(int(row["req_bytes"]), sum(int(line[1]) for line in log), "bytes of requests")
    equal(int(row["rep_header_bytes"]), sent - body, "bytes of reply headers")
    equal(int(row["rep_body_bytes"]), body, "bytes of content")
    return row


def healthy(run):
    """Nothing was lost or damaged on the way."""
    counters = run.counters()
    for name in ("tcp.rst_in", "net.rx_bad_csum_tcp", "net.rx_bad_csum_ip", "net.arp_bad",
                 "net.arp_conflict", "tcp.bad_ack", "tcp.paws_drop", "tcp.bad_options",
                 "port.rx_errors", "port.tx_errors"):
        equal(counters.total(name), 0, name)
    closed(run, ("client",))


def nginx_run(driver, size, n, use, rate):
    def test(ctx):
        cable = Cable(ctx)
        nginx = Nginx(ctx, cable.kernel)
        nginx.page("page", size)
        run = cable.client(["--origin", cable.peer + ":80", "--uri", "/page", "--robots", "50",
                            "--rate", "%d/sec" % rate, "--goal", str(n), "--pconn_use_lmt",
                            str(use)], driver)
        run.wait(60)
        refused_by_kernel(run)
        run.finish(0)
        row = run.all_good(n)
        same_as_log(run, settled(nginx, n))
        equal(int(row["rep_body_bytes"]), n * size, "content")
        if use == 1:
            equal(int(row["conn_opened"]), n, "connections")
        else:
            check(number(row, "conn_opened") <= n // 2, "connections: %s", row["conn_opened"])
        healthy(run)
        rfc4180(run.csv_path)
        sums(run.table(), "client")
    return test


def statuses(ctx):
    """Replies that are not 2xx or 3xx are failures, each counted where it belongs."""
    cable = Cable(ctx)
    nginx = Nginx(ctx, cable.kernel, server="location /gone { return 404 'no'; } "
                  "location /moved { return 302 /page; } location /broken { return 503; }")
    n = 200
    for uri, column, fails in (("/gone", "status_4xx", n), ("/moved", "status_3xx", 0),
                               ("/broken", "status_5xx", n)):
        before = len(nginx.log())
        run = cable.client(["--origin", cable.peer + ":80", "--uri", uri, "--robots", "5",
                            "--rate", "200/sec", "--goal", str(n), "--pconn_use_lmt", "20"]).finish(20)
        row = same_as_log(run, settled(nginx, before + n)[before:])
        equal(int(row[column]), n, column + " of " + uri)
        equal(int(row["fail_status"]), fails, "fail_status of " + uri)
        equal(int(row["completed"]), n - fails, "completed of " + uri)


def server_closes(ctx):
    """nginx ends each connection after 7 requests, as it announces."""
    cable = Cable(ctx)
    nginx = Nginx(ctx, cable.kernel, http="keepalive_requests 7;")
    nginx.page("page", 100)
    n = 1400
    run = cable.client(["--origin", cable.peer + ":80", "--uri", "/page", "--robots", "10",
                        "--goal", str(n), "--pconn_use_lmt", "1000"]).finish(20)
    row = run.all_good(n)
    same_as_log(run, settled(nginx, n))
    robots = 10
    within(int(row["conn_opened"]), n // 7, n // 7 + robots, "connections")
    within(int(row["conn_closed_by_peer"]), n // 7 - robots, n // 7 + robots, "ended by the peer")
    healthy(run)


def posts(ctx):
    """Bodies of requests: nginx, which must pass them on, reads as many bytes as we count."""
    cable = Cable(ctx)
    nginx = Nginx(ctx, cable.kernel, http="client_max_body_size 10m; server { listen 127.0.0.1:81; "
                  "access_log off; location / { return 200 'taken'; } }",
                  server="location /take { proxy_pass http://127.0.0.1:81; }")
    n = 300
    run = cable.client(["--origin", cable.peer + ":80", "--uri", "/take", "--method", "POST",
                        "--body_sz", "const:20KB", "--robots", "10", "--goal", str(n),
                        "--pconn_use_lmt", "10"]).finish(20)
    run.all_good(n)
    row = same_as_log(run, settled(nginx, n))
    check(number(row, "req_bytes") > n * 20 * KB, "bytes of requests: %s", row["req_bytes"])


def many_origins(ctx):
    """Several servers on ports of their own: all are visited."""
    cable = Cable(ctx)
    ports = (8001, 8002, 8003)
    peers = [Nginx(ctx, cable.kernel, listen=str(p)) for p in ports]
    for peer in peers:
        peer.page("page", 1000)
    n = 900
    run = cable.client(["--origin", ",".join("%s:%d" % (cable.peer, p) for p in ports), "--uri",
                        "/page", "--robots", "30", "--goal", str(n), "--pconn_use_lmt",
                        "10"]).finish(20)
    run.all_good(n)
    logs = [settled(peer, n // 4) for peer in peers]
    equal(sum(len(log) for log in logs), n, "requests of all servers")
    for log in logs:
        check(len(log) > n // 5, "requests by server: %s", [len(x) for x in logs])
    check({line[5] for log in logs for line in log} == {"/page"}, "targets")


def small_mtu(ctx):
    cable = Cable(ctx, mtu=600)
    nginx = Nginx(ctx, cable.kernel)
    nginx.page("page", 100 * KB)
    run = cable.client(["--origin", cable.peer + ":80", "--uri", "/page", "--robots", "4",
                        "--goal", "200", "--pconn_use_lmt", "10", "--mss", "560"]).finish(30)
    run.all_good(200)
    same_as_log(run, settled(nginx, 200))


def add(suite):
    for driver in ("af_packet", "af_xdp"):
        for name, size, n, use, rate in (("keep-alive-1kb", KB, 4000, 100, 2000),
                                         ("close-1kb", KB, 2000, 1, 1000),
                                         ("keep-alive-1mb", MB, 150, 10, 100),
                                         ("close-1mb", MB, 100, 1, 100)):
            suite.add("nginx-%s-%s" % (name, driver),
                      nginx_run(driver, size, n * (5 if FULL else 1), use, rate), seconds=90)
    suite.add("nginx-statuses", statuses)
    suite.add("nginx-closes-after-7", server_closes)
    suite.add("nginx-posts", posts)
    suite.add("nginx-three-origins", many_origins)
    suite.add("nginx-mtu-600", small_mtu)
