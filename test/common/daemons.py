# SPDX-License-Identifier: BSD-3-Clause
"""Servers and proxies of a test, with configurations of our own in the test's folder."""
import os
import shutil
import signal
import time

from common.process import Process, children, command
from common.suite import Failed

NGINX = """
daemon off;
master_process on;
user root;
worker_processes %(workers)d;
worker_rlimit_nofile 20000;
pid %(dir)s/nginx.pid;
error_log %(dir)s/error.log warn;
events { worker_connections 8000; }
http {
    log_format sizes '$status $request_length $bytes_sent $body_bytes_sent $request_method $request_uri';
    access_log %(dir)s/access.log sizes;
    client_body_temp_path %(dir)s/body;
    proxy_temp_path %(dir)s/proxy;
    fastcgi_temp_path %(dir)s/fastcgi;
    uwsgi_temp_path %(dir)s/uwsgi;
    scgi_temp_path %(dir)s/scgi;
    sendfile on;
    tcp_nodelay on;
    keepalive_timeout 60s;
    %(http)s
    server {
        listen %(listen)s backlog=8192;
        root %(dir)s/www;
        %(server)s
    }
}
"""

SQUID = """
http_port %(listen)s
http_access allow all
cache deny all
pid_filename %(dir)s/squid.pid
logformat sizes %%>Hs %%>st %%<st %%rm %%ru
access_log stdio:%(dir)s/log/access.log sizes
cache_log %(dir)s/log/cache.log
cache_store_log none
coredump_dir %(dir)s
pinger_enable off
shutdown_lifetime 0 seconds
dns_nameservers 127.0.0.1
visible_hostname freshet
via off
forwarded_for delete
max_filedescriptors 8192
"""

HAPROXY = """
global
    maxconn 4000
    log stdout format raw local0
defaults
    mode http
    log global
    timeout connect 5s
    timeout client 20s
    timeout server 20s
    option httplog
frontend front
    bind %(listen)s
    default_backend back
backend back
    server origin %(origin)s maxconn 2000
"""


def await_port(ns, port, process, seconds=10):
    """Until a listener of the namespace has the port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if command(["ss", "-Hltn", "sport = :%d" % port], ns=ns).strip():
            return
        if not process.running():
            break
        time.sleep(0.05)
    raise Failed("%s does not listen on port %d: %s" % (process.name, port, process.tail()))


class Daemon:
    def __init__(self, ctx, ns, name):
        Process.n_started += 1
        self.ctx, self.ns, self.name = ctx, ns, name
        self.dir = ctx.path("%s-%d" % (name, Process.n_started))
        os.mkdir(self.dir)
        self.process = None

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w", encoding="utf-8") as f:
            f.write(text)
        return os.path.join(self.dir, name)

    def start(self, argv, port):
        self.process = Process(self.ctx, argv, ns=self.ns, name=self.name, cwd=self.dir)
        await_port(self.ns, port, self.process)

    def pids(self):
        return [self.process.pid] + children(self.process.pid)

    def signal(self, signo):
        """To the daemon and its workers."""
        for pid in self.pids():
            os.kill(pid, signo)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait(5)


class Nginx(Daemon):
    def __init__(self, ctx, ns, listen="80", http="", server="", workers=1):
        super().__init__(ctx, ns, "nginx")
        for name in ("www", "body"):
            os.mkdir(os.path.join(self.dir, name))
        self.listen = listen
        config = self.write("nginx.conf", NGINX % {"dir": self.dir, "listen": listen, "http": http,
                                                   "server": server, "workers": workers})
        self.argv = [shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin"), "-c", config, "-e",
                     os.path.join(self.dir, "error.log")]
        self.again()

    def again(self):
        """Start it, also after kill()."""
        self.start(self.argv, int(self.listen.split(":")[-1]))

    def page(self, name, size):
        with open(os.path.join(self.dir, "www", name), "wb") as f:
            f.write(bytes(range(1, 251)) * (size // 250 + 1))
            f.truncate(size)

    def log(self):
        return log_lines(os.path.join(self.dir, "access.log"))


class Squid(Daemon):
    def __init__(self, ctx, ns, listen):
        super().__init__(ctx, ns, "squid")
        os.mkdir(os.path.join(self.dir, "log"))
        shutil.chown(os.path.join(self.dir, "log"), "proxy", "proxy")
        config = self.write("squid.conf", SQUID % {"dir": self.dir, "listen": listen})
        self.start(["/usr/sbin/squid", "-N", "-f", config], int(listen.split(":")[-1]))

    def log(self):
        return log_lines(os.path.join(self.dir, "log", "access.log"))


class Haproxy(Daemon):
    def __init__(self, ctx, ns, listen, origin):
        super().__init__(ctx, ns, "haproxy")
        config = self.write("haproxy.cfg", HAPROXY % {"dir": self.dir, "listen": listen,
                                                      "origin": origin})
        self.start(["/usr/sbin/haproxy", "-db", "-f", config], int(listen.split(":")[-1]))

    def log(self):
        """Of each request: [status, ...]."""
        return [[line.split("front back/origin ")[1].split()[1]] for line in
                self.process.out().splitlines() if " back/origin " in line]


def log_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return [line.split() for line in f if line.endswith("\n")]
    except FileNotFoundError:
        return []


def settled(daemon, n, seconds=3):
    """The log's lines, once there are n of them (a proxy writes some after the last byte)."""
    end = time.monotonic() + seconds
    while len(daemon.log()) < n and time.monotonic() < end:
        time.sleep(0.05)
    return daemon.log()
