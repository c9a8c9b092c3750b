# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of our own, so that a judgement does not rest on the program's."""
import math


def quantile(values, q):
    """Smallest value that at least a share q of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(q * len(ordered)) - 1))]


def kolmogorov_p(n, d):
    """Probability of a distance of d or more with n samples of the right distribution: Kolmogorov's
    series with Stephens' correction for finite n."""
    x = (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)) * d
    if x < 0.2:
        return 1.0
    total = sum((-1) ** (k - 1) * math.exp(-2 * (k * x) ** 2) for k in range(1, 101))
    return min(1.0, max(0.0, 2 * total))


def ks_exponential(gaps, mean):
    """(distance, p) of gaps against the exponential distribution with a known mean."""
    ordered = sorted(gaps)
    n = len(ordered)
    d = 0.0
    for i, gap in enumerate(ordered):
        f = 1 - math.exp(-gap / mean)
        d = max(d, (i + 1) / n - f, f - i / n)
    return d, kolmogorov_p(n, d)
