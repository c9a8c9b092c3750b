# SPDX-License-Identifier: BSD-3-Clause
"""Cases of the wire: test/data/wire/*.case. Blank lines part cases, a line is `key: value`:

    case: name                        what it is called
    why: text                         why it must be so, the RFC's section
    play: steps                       what the server does (test/lab/wire_peer.py)
    args: options                     further options of the client
    expect: name=n name=n             columns of the client's CSV, or module.counter
    expect: name=n..m name>=n a+b=n   a range, a sum
"""
import re

EXPECT = re.compile(r"([a-z_0-9.]+(?:\+[a-z_0-9.]+)*)(>=|=)(\d+)(?:\.\.(\d+))?$")


class Case:
    def __init__(self, where):
        self.where = where
        self.name = self.why = self.play = self.args = ""
        self.expect = []

    def add(self, key, value):
        if key == "case":
            self.name = value
        elif key == "why":
            self.why = (self.why + " " + value).strip()
        elif key == "play":
            self.play = (self.play + " " + value).strip()
        elif key == "args":
            self.args = (self.args + " " + value).strip()
        elif key == "expect":
            for word in value.split():
                m = EXPECT.match(word)
                if m is None:
                    raise ValueError("%s: bad expectation %s" % (self.where, word))
                low = int(m.group(3))
                high = int(m.group(4)) if m.group(4) else (low if m.group(2) == "=" else 1 << 62)
                self.expect.append((m.group(1), low, high))
        else:
            raise ValueError("%s: no such key: %s" % (self.where, key))


def read_cases(path):
    cases = []
    case = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if line.startswith("#"):
                continue
            if not line:
                case = None
                continue
            if case is None:
                case = Case("%s:%d" % (path, number))
                cases.append(case)
            key, _, value = line.partition(":")
            case.add(key.strip(), value.strip())
    for case in cases:
        if not case.name or not case.play or not case.expect:
            raise ValueError("%s: a case needs case, play and expect" % case.where)
    return cases
