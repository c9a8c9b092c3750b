# SPDX-License-Identifier: BSD-3-Clause
"""Client -> proxy -> server, with freshet at both ends: all three count the same.

    robots 10.99.1.2 ==== 10.99.1.1 | proxy | 10.99.2.1 ==== 10.99.2.2 origins
"""
import signal

from cable import Cable
from common.daemons import Haproxy, Nginx, Squid, settled
from common.results import identities, number
from common.suite import FULL, check, equal, within

N = 3000 if FULL else 1000
LOAD = ["--goal", str(N), "--rate", "400/sec", "--robots", "40", "--pconn_use_lmt", "10", "--rep_sz",
        "exp:13KB"]
ORIGIN = "10.99.2.2:80"


def between(ctx):
    """Two cables that end in the proxy's namespace, and the server. @return (near, server)."""
    near = Cable(ctx, n=1)
    far = Cable(ctx, kernel=near.kernel, n=2)
    return near, far.server(["--rep_sz", "exp:13KB", "--origin", ORIGIN])


def judge(client, server, proxy, resets=False):
    """resets: the proxy may abort a connection to the server that it is done with, before it has
    acknowledged the last bytes that it read; to the server such a reply is cut."""
    client.finish(40)
    row = client.all_good(N)
    identities(row)
    equal(row["misses"], row["completed"], "replies of our own origin, not of a cache")
    log = settled(proxy, N)
    equal(len(log), N, "lines of the proxy's log")
    equal({line[0] for line in log}, {"200"}, "statuses in the proxy's log")
    server.signal(signal.SIGINT)
    server.finish(15)
    counters = server.counters()
    equal(counters.total("agent.requests_in", "server"), N, "requests at the server")
    cut = counters.total("agent.replies_cut", "server")
    within(cut, 0, N // 10 if resets else 0, "replies that the server thinks cut")
    equal(counters.total("agent.replies_out", "server") + cut, N, "replies of the server")
    equal(counters.total("agent.bad_requests", "server"), 0, "bad requests at the server")
    if cut == 0:
        equal(number(row, "rep_body_bytes"), number(server.run_row("server"), "rep_body_bytes"),
              "content of both sides")
    return log


def squid(ctx):
    near, server = between(ctx)
    proxy = Squid(ctx, near.kernel, "10.99.1.1:3128")
    client = near.client(["--proxy", "10.99.1.1:3128", "--origin", ORIGIN] + LOAD)
    log = judge(client, server, proxy)
    check(all(line[4].startswith("http://10.99.2.2/") for line in log),
          "absolute-form at the proxy: %s", log[0])


def nginx(ctx):
    """As a forward proxy: it takes absolute-form and passes the request on to Host."""
    near, server = between(ctx)
    proxy = Nginx(ctx, near.kernel, listen="3128", http="proxy_http_version 1.1; upstream o "
                  "{ server %s; keepalive 40; }" % ORIGIN,
                  server="location / { proxy_pass http://o; proxy_set_header Host $http_host; "
                  "proxy_set_header Connection ''; proxy_buffering on; }")
    client = near.client(["--proxy", "10.99.1.1:3128", "--origin", ORIGIN] + LOAD)
    judge(client, server, proxy)


def haproxy(ctx):
    """As a reverse proxy: robots think that it is the origin."""
    near, server = between(ctx)
    proxy = Haproxy(ctx, near.kernel, "10.99.1.1:80", ORIGIN)
    client = near.client(["--origin", "10.99.1.1:80"] + LOAD)
    judge(client, server, proxy, resets=True)


def haproxy_forward(ctx):
    """Absolute-form through HAProxy, which leaves it as it is."""
    near, server = between(ctx)
    proxy = Haproxy(ctx, near.kernel, "10.99.1.1:3128", ORIGIN)
    client = near.client(["--proxy", "10.99.1.1:3128", "--origin", ORIGIN] + LOAD)
    judge(client, server, proxy, resets=True)


def dead_origin(ctx):
    """The proxy answers for a server that is gone: failures by status, none of transport."""
    near, server = between(ctx)
    Squid(ctx, near.kernel, "10.99.1.1:3128")
    server.signal(signal.SIGKILL)
    near.kernel.run("nft", "add table ip t; add chain ip t out { type filter hook output priority "
                    "0; }; add rule ip t out ip daddr 10.99.2.2 tcp dport 80 reject with tcp reset")
    client = near.client(["--proxy", "10.99.1.1:3128", "--origin", ORIGIN, "--goal", "200",
                          "--rate", "100/sec", "--robots", "5", "--timeout", "20sec"]).finish(40)
    row = client.run_row()
    identities(row)
    equal(int(row["fail_status"]), 200, "fail_status")
    equal(int(row["status_5xx"]), 200, "status_5xx")


def add(suite):
    suite.add("squid", squid, seconds=90)
    suite.add("nginx-as-proxy", nginx, seconds=90)
    suite.add("haproxy", haproxy, seconds=90)
    suite.add("haproxy-absolute-form", haproxy_forward, seconds=90)
    suite.add("squid-with-a-dead-origin", dead_origin, seconds=90)
