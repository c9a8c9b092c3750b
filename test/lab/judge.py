#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a capture at the server says about a load, without the program's own words.

usage: judge.py window FILE PORT RATE FROM_S TO_S   launches in a window, and response times
       judge.py poisson FILE PORT RATE              gaps against the exponential distribution
Prints `name value` lines. Launch i of a constant load is due at zero + i / rate, and none comes
before it is due: zero is the latest instant of which this is true for all of them.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from common.statistics import ks_exponential, quantile
from common.wire import launches


def window(path, port, rate, begin, end):
    found = launches(path, port)
    found.sort(key=lambda x: x[0])
    zero = min(x[0] - i * 1e9 / rate for i, x in enumerate(found))
    inside = sum(begin <= (x[0] - zero) / 1e9 < end for x in found)
    response = [(x[1] - zero) / 1e9 - i / rate for i, x in enumerate(found) if x[1] is not None]
    late = [(x[0] - zero) / 1e9 - i / rate for i, x in enumerate(found)]
    print("launches", len(found))
    print("inside", inside)
    print("answered", len(response))
    for name, q in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        print("response_%s_us" % name, round(quantile(response, q) * 1e6))
    print("late_p99_us", round(quantile(late, 0.99) * 1e6))
    print("late_max_us", round(max(late) * 1e6))


def poisson(path, port, rate):
    found = [x[0] for x in launches(path, port)]
    gaps = [(b - a) / 1e9 for a, b in zip(found, found[1:])]
    distance, p = ks_exponential(gaps, 1 / rate)
    print("launches", len(found))
    print("distance", "%.5f" % distance)
    print("p", "%.5f" % p)


def main():
    what, path, port, rate = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    if what == "window":
        window(path, port, rate, float(sys.argv[5]), float(sys.argv[6]))
    else:
        poisson(path, port, rate)


main()
