# SPDX-License-Identifier: BSD-3-Clause
"""What a run wrote: interval CSV, counters, console; and the rules that they must keep."""
import csv
import re

from common.process import read_text
from common.suite import check, equal

SUMS = ["scheduled", "sent", "completed", "failed", "dropped", "status_2xx", "conn_opened",
        "conn_closed", "req_bytes", "rep_header_bytes", "rep_body_bytes", "rtx_segs", "syn_rtx"]


class Table:
    """The interval file. Values are text as written; num() reads one."""

    def __init__(self, path):
        with open(path, newline="", encoding="utf-8") as f:
            self.rows = list(csv.DictReader(f))
        with open(path, newline="", encoding="utf-8") as f:
            self.columns = next(csv.reader(f))
        check(self.rows, "%s: no rows", path)

    def find(self, row, scope="all", role=None):
        return [r for r in self.rows if r["row"] == row and
                (r["scope"] == scope or (scope == "lcores" and r["scope"].startswith("lcore:"))) and
                (role is None or r["role"] == role)]

    def one(self, row="run", scope="all", role="client"):
        rows = self.find(row, scope, role)
        equal(len(rows), 1, "rows %s %s %s of the CSV" % (row, scope, role))
        return rows[0]

    def num(self, column, row="run", scope="all", role="client"):
        return number(self.one(row, scope, role), column)


def number(row, column):
    """A value as a number, None when there is no data."""
    text = row[column]
    if text == "":
        return None
    return float(text) if "." in text else int(text)


def columns(row, prefix):
    """Columns with a prefix that are not 0: {name: number}."""
    return {k: int(v) for k, v in row.items() if k.startswith(prefix) and v not in ("", "0")}


def classes(row):
    """Failures by class, without the prefix."""
    return {k[5:]: v for k, v in columns(row, "fail_").items()}


class Counters:
    """Counters of --csv_counters at the end: totals over all lanes of a role."""

    def __init__(self, path):
        with open(path, newline="", encoding="utf-8") as f:
            self.rows = list(csv.DictReader(f))
        check(self.rows, "%s: no rows", path)
        self.last = {}
        for r in self.rows:
            self.last[r["role"], r["scope"], r["module"], r["counter"]] = r

    def total(self, name, role="client"):
        """`module.counter`."""
        module, counter = name.split(".")
        row = self.last.get((role, "all", module, counter))
        check(row is not None, "no counter %s of role %s", name, role)
        return int(row["total"])


def identities(row):
    """Each planned transaction is in exactly one class."""
    n = {k: number(row, k) for k in ("scheduled", "sent", "completed", "failed", "dropped",
                                     "waiting_now", "in_flight_now")}
    equal(n["sent"] + n["waiting_now"] + n["dropped"], n["scheduled"],
          "sent + waiting + dropped against scheduled")
    equal(n["completed"] + n["failed"] + n["in_flight_now"], n["sent"],
          "completed + failed + in flight against sent")
    equal(sum(columns(row, "fail_").values()), n["failed"], "sum of fail_*")
    equal(sum(columns(row, "drop_").values()), n["dropped"], "sum of drop_*")


def sums(table, role):
    """Interval rows sum to the run's row; lcore rows to `all`."""
    run = table.one("run", "all", role)
    for column in SUMS:
        if number(run, column) is None:
            continue
        equal(sum(number(r, column) or 0 for r in table.find("interval", "all", role)),
              number(run, column), "sum of %s over intervals, %s" % (column, role))
        equal(sum(number(r, column) or 0 for r in table.find("run", "lcores", role)),
              number(run, column), "sum of %s over lcores, %s" % (column, role))


def rfc4180(path):
    """Strictly: CRLF, one number of fields in each line, quotes only where they must be."""
    with open(path, "rb") as f:
        data = f.read()
    check(data.endswith(b"\r\n"), "%s does not end with CRLF", path)
    check(b"\n" not in data.replace(b"\r\n", b""), "%s: a line ends with LF alone", path)
    lines = data.decode("ascii").split("\r\n")[:-1]
    n = lines[0].count(",") + 1
    for i, line in enumerate(lines):
        fields = re.findall(r'("(?:[^"]|"")*"|[^",]*)(?:,|$)', line)
        if line.endswith(",") or not line:
            equal(len(fields), n, "fields of line %d" % (i + 1))
        else:
            equal(len(fields) - 1, n, "fields of line %d" % (i + 1))


GOT = re.compile(r"got (\d+) xactions and (\d+) errors")
LINE = re.compile(r"^(\d+\.\d{2,6})\| ([ip])-(\S+)\s+(\d+)\s+(-?[\d.]+)\s+(-?\d+)\s+(-?[\d.]+)"
                  r"\s+(\d+)(?:\s+(\d+))?$", re.M)


class Console:
    def __init__(self, path):
        self.text = read_text(path)

    def got(self):
        """(xactions, errors) of each role, as printed."""
        return [(int(a), int(b)) for a, b in GOT.findall(self.text)]

    def reason(self):
        m = re.search(r"shutdown reason: (.*)", self.text)
        return m.group(1) if m else None

    def lines(self, kind="i"):
        """(time, phase, xactions, rate, ms, hit %, errors, sockets) of each line."""
        return [(float(t), p, int(n), float(rate), int(ms), float(hit), int(err),
                 int(s) if s else None)
                for t, k, p, n, rate, ms, hit, err, s in LINE.findall(self.text) if k == kind]
