# SPDX-License-Identifier: BSD-3-Clause
"""Processes of a test: started in a namespace or as another user, bounded in time, ended by pid."""
import os
import signal
import subprocess
import time

from common.suite import Failed

NOBODY = 65534


class Process:
    """One program. Its output goes to files, so that no pipe can fill up."""

    n_started = 0

    def __init__(self, ctx, argv, ns=None, user=None, env=None, name=None, cwd=None):
        Process.n_started += 1
        name = "%s-%d" % (name or os.path.basename(argv[0]), Process.n_started)
        self.name = name
        self.out_path = ctx.path(name + ".out")
        self.err_path = ctx.path(name + ".err")
        self.argv = list(argv)
        if user is not None:
            self.argv = ["setpriv", "--reuid=%d" % user, "--regid=%d" % user, "--clear-groups",
                         "--"] + self.argv
        if ns is not None:
            self.argv = ns.prefix() + self.argv
        self.begin = time.monotonic()
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.child = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=out,
                                          stderr=err, env=env, cwd=cwd or ctx.dir,
                                          start_new_session=True)
        self.seconds = None
        ctx.own(self)

    @property
    def pid(self):
        return self.child.pid

    @property
    def code(self):
        return self.child.returncode

    def running(self):
        return self.child.poll() is None

    def signal(self, signo):
        if self.running():
            self.child.send_signal(signo)

    def wait(self, seconds):
        """Exit code; Failed when it takes longer."""
        try:
            self.child.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            raise Failed("%s still runs after %.1f s: %s" %
                         (self.name, time.monotonic() - self.begin, self.tail())) from None
        if self.seconds is None:
            self.seconds = time.monotonic() - self.begin
        return self.code

    def out(self):
        return read_text(self.out_path)

    def err(self):
        return read_text(self.err_path)

    def tail(self, n=400):
        return (self.out()[-n:] + " " + self.err()[-n:]).strip()

    def await_text(self, text, seconds, where="out"):
        """Wait until the program has said it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if text in (self.out() if where == "out" else self.err()):
                return
            if not self.running():
                break
            time.sleep(0.02)
        raise Failed("%s did not say '%s' in %g s: %s" % (self.name, text, seconds, self.tail()))

    def close(self):
        """End it and what it started (its process group), kindly first."""
        if self.running():
            try:
                os.killpg(self.pid, signal.SIGCONT)
                os.killpg(self.pid, signal.SIGTERM)
                self.child.wait(3)
            except subprocess.TimeoutExpired:
                pass
            except ProcessLookupError:
                pass
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self.child.wait()


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def command(argv, ns=None, seconds=30, code=0):
    """Run to the end. @return standard output; Failed when it ends otherwise."""
    argv = (ns.prefix() if ns is not None else []) + list(argv)
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise Failed("%s takes longer than %d s" % (" ".join(argv), seconds)) from None
    if code is not None and done.returncode != code:
        raise Failed("%s: exit %d: %s" % (" ".join(argv), done.returncode,
                                          done.stderr.decode(errors="replace").strip()[-300:]))
    return done.stdout.decode(errors="replace")


def children(pid):
    """Pids of direct children."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
            return [int(x) for x in f.read().split()]
    except OSError:
        return []
