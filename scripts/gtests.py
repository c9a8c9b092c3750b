#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the Google Test programs of a build directory; one PASS/FAIL/SKIP line per test case.

gtests.py [--pure] [--list-targets | --list-suites] BUILD [SUITE]
--pure leaves out modules that may see DPDK (`dpdk_modules` in lib/meson.build).
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

CASE = re.compile(r"^\[\s+(OK|FAILED|SKIPPED)\s+\] (\S+?),?(?: .*)?\((\d+) ms\)$")
WORD = {"OK": "PASS", "FAILED": "FAIL", "SKIPPED": "SKIP"}


def dpdk_modules():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(root, "lib", "meson.build"), encoding="utf-8") as f:
        found = re.search(r"dpdk_modules = \[(.*?)\]", f.read(), re.S)
    return set(re.findall(r"'(\w+)'", found.group(1))) if found else set()


def tests_of(build, pure):
    out = subprocess.run(["meson", "introspect", "--tests", build], check=True,
                         stdout=subprocess.PIPE).stdout
    tests = []
    for t in json.loads(out):
        if t["protocol"] != "gtest" or (pure and t["name"] in dpdk_modules()):
            continue
        tests.append({"name": t["name"], "cmd": t["cmd"], "env": t["env"],
                      "suites": [s.split(":")[-1] for s in t["suite"]]})
    return tests


def run_one(test, seconds):
    env = dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
    env.update(test["env"])
    try:
        done = subprocess.run(test["cmd"] + ["--gtest_color=no"], env=env, timeout=seconds,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as e:
        return "no end after %d s" % seconds, (e.stdout or b"").decode("utf-8", "replace")


def reason_of(lines):
    """First failure or skip message of a case, on one line."""
    words = [x.strip() for x in lines if x.strip()]
    return " ".join(words)[:200] or "no message"


def results(test, rc, text):
    """(result lines of one program, what it printed about its failures)"""
    lines = []
    since = []
    told = []
    for line in text.splitlines():
        m = CASE.match(line)
        if m is None:
            since = [] if line.startswith("[ RUN") else since + [line]
            continue
        name = "%s/%s" % (test["name"], m.group(2))
        word = WORD[m.group(1)]
        lines.append("PASS " + name if word == "PASS" else
                     "%s %s: %s" % (word, name, reason_of(since)))
        if word == "FAIL":
            told += ["[%s]" % name] + since
        since = []
    if rc != 0 and not told:
        lines.append("FAIL %s: program ended with %s: %s" % (test["name"], rc, reason_of(since)))
        told = since
    if not lines:
        lines.append("FAIL %s: no test case ran" % test["name"])
    return lines, told


def main():
    p = argparse.ArgumentParser(description="run the Google Test programs of a build directory")
    p.add_argument("--pure", action="store_true")
    p.add_argument("--list-targets", action="store_true")
    p.add_argument("--list-suites", action="store_true")
    p.add_argument("--seconds", type=int, default=300, help="limit of one program")
    p.add_argument("build")
    p.add_argument("suite", nargs="?", default="unit")
    a = p.parse_args()
    tests = tests_of(a.build, a.pure)
    if a.list_targets:
        print(" ".join(os.path.relpath(t["cmd"][0], a.build) for t in tests))
        return 0
    if a.list_suites:
        print("\n".join(sorted({s for t in tests for s in t["suites"]})))
        return 0
    tests = [t for t in tests if a.suite in t["suites"]]
    bad = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = [(t, pool.submit(run_one, t, a.seconds)) for t in tests]
        for t, future in done:
            rc, text = future.result()
            lines, told = results(t, rc, text)
            print("\n".join(told + lines), flush=True)
            bad = bad or any(x.startswith("FAIL") for x in lines)
    return 1 if bad or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
