# SPDX-License-Identifier: BSD-3-Clause
"""A suite of whole-program tests: registers functions, runs them, prints PASS, FAIL, SKIP lines.

A test is a function of one argument, its Context; it raises Failed (or any exception), Skipped, or
returns. Whatever it opened through the context is closed behind it, whatever happens. run() ends the
suite when the process gets SIGTERM or SIGINT, after the same clean-up.
"""
import glob
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FULL = os.environ.get("FULL", "0") not in ("", "0")
FRESHET = os.environ.get("FRESHET", os.path.join(ROOT, "build/release/app/freshet/freshet"))
FOLDER = "freshet-test-"
LAST_LINES = 40
KEEP = os.environ.get("KEEP", "0") not in ("", "0")


class Failed(Exception):
    """The test found what must not be."""


class Skipped(Exception):
    """The kernel refuses what the test needs."""


def check(condition, why, *args):
    if not condition:
        raise Failed(why % args if args else why)


def equal(got, want, what):
    if got != want:
        raise Failed("%s: %s, expected %s" % (what, got, want))


def within(got, low, high, what):
    if not low <= got <= high:
        raise Failed("%s: %s, expected %s..%s" % (what, got, low, high))


class Context:
    """What a test owns: a folder, and things to close, last one first."""

    def __init__(self, name):
        self.name = name
        self.closers = []
        self.stopping = False
        self.dir = tempfile.mkdtemp(prefix="%s%d-" % (FOLDER, os.getpid()))
        os.chmod(self.dir, 0o755)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def own(self, thing):
        """Close it at the end of the test. @return the thing."""
        self.closers.append(thing.close)
        if self.stopping:
            self.close()
            raise Failed("the suite ends")
        return thing

    def defer(self, function, *args):
        self.closers.append(lambda: function(*args))

    def close(self):
        while self.closers:
            closer = self.closers.pop()
            try:
                closer()
            except Exception:  # the next ones must be closed too
                traceback.print_exc()
        if KEEP:
            print("kept", self.dir)
        else:
            shutil.rmtree(self.dir, ignore_errors=True)


def sweep_folders():
    """Those of suites that were killed."""
    for path in glob.glob(os.path.join(tempfile.gettempdir(), FOLDER + "*")):
        pid = os.path.basename(path)[len(FOLDER):].split("-")[0]
        if pid.isdigit() and not os.path.exists("/proc/" + pid):
            shutil.rmtree(path, ignore_errors=True)


class Suite:
    def __init__(self):
        self.tests = []
        self.live = []
        self.stopping = False
        self.lock = threading.Lock()
        self.n_failed = 0

    def test(self, name, seconds=60, full=False, group=None):
        """Decorator. seconds: hard limit, for a test that hangs. full: with FULL=1 only. Tests in a
        row that share a group run side by side."""
        def add(function):
            self.add(name, function, seconds, full, group)
            return function
        return add

    def add(self, name, function, seconds=60, full=False, group=None):
        if FULL or not full:
            self.tests.append((name, function, seconds, group))

    def report(self, word, name, why=None):
        why = "" if why is None else ": " + " ".join(str(why).split())
        with self.lock:
            self.n_failed += word == "FAIL"
            print("%s %s%s" % (word, name, why), flush=True)

    def run_one(self, name, function, seconds):
        if self.stopping:
            return
        begin = time.monotonic()
        ctx = Context(name)
        self.live.append(ctx)
        done = []

        def body():
            try:
                function(ctx)
                done.append(("PASS", None))
            except Skipped as e:
                done.append(("SKIP", e))
            except Failed as e:
                done.append(("FAIL", e))
            except Exception as e:
                done.append(("FAIL", "%s: %s" % (type(e).__name__, e)))
                traceback.print_exc()

        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        thread.join(seconds)
        if not done:
            done.append(("FAIL", "not done after %d s" % seconds))
        if done[0][0] == "FAIL":
            self.tell(ctx)
        ctx.close()
        self.live.remove(ctx)
        self.report(done[0][0], name, done[0][1])
        print("# %s: %.1f s" % (name, time.monotonic() - begin), flush=True)

    def tell(self, ctx):
        """The last words of what the test started, for the log."""
        for path in sorted(glob.glob(ctx.path("*.out")) + glob.glob(ctx.path("*.err"))):
            with open(path, encoding="utf-8", errors="replace") as f:
                lines = f.read().splitlines()[-LAST_LINES:]
            with self.lock:
                for line in lines:
                    print("# %s | %s" % (os.path.basename(path), line[:200]))

    def run_group(self, tests, width):
        """Side by side, at most `width` at a time."""
        queue = list(tests)

        def work():
            while True:
                with self.lock:
                    if not queue:
                        return
                    one = queue.pop(0)
                self.run_one(one[0], one[1], one[2])

        threads = [threading.Thread(target=work) for _ in range(width)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def stop(self, signo, _frame):
        self.stopping = True
        for _ in range(2):  # a test may be in the middle of starting something
            for ctx in list(self.live):
                ctx.stopping = True
                ctx.close()
            time.sleep(0.3)
        print("# ended by signal %d" % signo, flush=True)
        os._exit(128 + signo)

    def run(self, argv, width=3):
        """Tests whose name contains one of the words, all without words. Exit code."""
        sweep_folders()
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)
        if "--list" in argv:
            print("\n".join(t[0] for t in self.tests))
            return 0
        if not os.access(FRESHET, os.X_OK):
            self.report("FAIL", "program", "%s is not there: scripts/build release" % FRESHET)
            return 1
        tests = [t for t in self.tests if not argv or any(w in t[0] for w in argv)]
        while tests:
            n = 1
            while tests[0][3] is not None and n < len(tests) and tests[n][3] == tests[0][3]:
                n += 1
            if n == 1:
                self.run_one(*tests[0][:3])
            else:
                self.run_group(tests[:n], width)
            tests = tests[n:]
        return 1 if self.n_failed else 0


def main(suite, width=3):
    sys.exit(suite.run(sys.argv[1:], width))
