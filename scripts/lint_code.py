#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""House rules about code, for scripts/lint: file names on stdin, `file:line: reason` on stdout."""
import ast
import re
import sys

SPDX = "SPDX-License-Identifier: BSD-3-Clause"
MAX_FUNCTION = 80
MAX_FILE = 600
LONG_FUNCTION = 45
LONG_SHARE = 0.10
DPDK_FOLDERS = ("lib/port/", "lib/engine/", "lib/run/", "app/", "test/unit/port/",
                "test/unit/engine/", "test/unit/run/", "test/bench/")
SILENT_FOLDERS = ("lib/net/", "lib/tcp/", "lib/http/", "lib/agent/", "lib/lane/")
C_LIKE = (".c", ".h", ".cc")

# Written in two pieces, so that this file passes its own rules.
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(wor" + r"k|ho" + r"me|ro" + r"ot|User" + r"s)/\w")
PRINTING = re.compile(r"\b(v?f?printf|f?puts|putchar|perror|log_line|syslog)\s*\(")
DPDK = re.compile(r"\b(rte_\w*|RTE_\w*)")
TYPEDEF = re.compile(r"\btypedef\s+(struct|union)\b")
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def blank(match):
    """Comment or literal -> as many line ends."""
    return "\n" * match.group(0).count("\n")


class Lint:
    def __init__(self):
        self.found = []
        self.n_functions = 0
        self.n_long = 0

    def add(self, name, line, reason):
        self.found.append("%s:%d: %s" % (name, line, reason))

    def each(self, name, text, pattern, reason):
        for m in pattern.finditer(text):
            self.add(name, text.count("\n", 0, m.start()) + 1, reason % m.group(0).strip())

    def function(self, name, line, length):
        if length > MAX_FUNCTION:
            self.add(name, line, "function of %d lines, at most %d" % (length, MAX_FUNCTION))
        if name.endswith(".c") and not name.startswith("test/"):
            self.n_functions += 1
            self.n_long += length > LONG_FUNCTION


def c_functions(code):
    """(line, length) of each function: its opening and closing brace stand in column 0."""
    lines = code.split("\n")
    start = None
    for i, line in enumerate(lines):
        if line == "{" or (line.startswith("{") and start is None):
            start = i
            while start > 0 and not re.search(r"^\s*$|^}|;$|^#", lines[start - 1]):
                start -= 1
        elif line.startswith("}") and start is not None:
            head = " ".join(lines[start:start + 3])
            if not re.match(r"\s*(struct|class|union|enum|namespace|extern)\b[^(]*\{", head):
                yield start + 1, i - start + 1
            start = None


def py_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def lint_c(lint, name, text):
    code = TOKEN.sub(blank, text)
    if not name.startswith(DPDK_FOLDERS):
        lint.each(name, code, DPDK, "'%s' outside lib/port, lib/engine, lib/run and app")
    if name.startswith(SILENT_FOLDERS) and name.endswith(".c"):
        lint.each(name, code, PRINTING, "'%s' in a module of the data path")
    lint.each(name, code, TYPEDEF, "'%s': no typedef of structs")
    for line, length in c_functions(code):
        lint.function(name, line, length)
    if name.startswith("lib/") and name.endswith(".h") and "@file" not in text[:200]:
        lint.add(name, 1, "header without an @file block")


def wants_spdx(name, text):
    return (name.endswith(C_LIKE + (".py", ".sh", "meson.build", "meson_options.txt")) or
            text.startswith("#!"))


def lint_file(lint, name, text):
    data = name.startswith("test/data/") or name == "LICENSE"
    if wants_spdx(name, text) and SPDX not in "\n".join(text.split("\n")[:3]):
        lint.add(name, 1, "no line '%s'" % SPDX)
    if name.endswith(C_LIKE + (".py",)) and text.count("\n") > MAX_FILE:
        lint.add(name, MAX_FILE + 1, "%d lines, at most %d" % (text.count("\n"), MAX_FILE))
    if not data:
        lint.each(name, text, UNFINISHED, "'%s': finish it or leave it out")
        lint.each(name, text, MACHINE_PATH, "'%s...': a path of one machine")
    if name.endswith(C_LIKE):
        lint_c(lint, name, text)
    elif name.endswith(".py") or re.match(r"#!.*python", text):
        try:
            for line, length in py_functions(text):
                lint.function(name, line, length)
        except SyntaxError as e:
            lint.add(name, e.lineno or 1, "not Python: %s" % e.msg)


def main():
    lint = Lint()
    for name in sys.stdin.read().split("\n"):
        if not name:
            continue
        try:
            with open(name, encoding="utf-8") as f:
                text = f.read()
        except UnicodeDecodeError:
            continue  # not a text
        lint_file(lint, name, text)
    if lint.n_long > max(1, lint.n_functions * LONG_SHARE):
        lint.add("lib", 1, "%d of %d functions are longer than %d lines, at most %d %%" % (
            lint.n_long, lint.n_functions, LONG_FUNCTION, LONG_SHARE * 100))
    for line in sorted(lint.found):
        print(line)
    return 1 if lint.found else 0


if __name__ == "__main__":
    sys.exit(main())
