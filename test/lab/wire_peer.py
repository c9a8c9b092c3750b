#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A server that plays scripts: what it says is in test/data/wire/*.case, one TCP port per script.

usage: wire_peer.py ADDRESS FIRST_PORT FILE [CASE...]
Prints `name port` of each script, then `ready`; serves until it is ended. Steps of a script:

    R             take one request: header section and as many bytes as its Content-Length says
    S"text"[*n]   send it, n times over
    B"text"[*n]   the same, each byte in a segment of its own, 1 ms apart
    Wn            wait n ms
    FIN           end our half of the connection
    RST           abort
    CLOSE         close, with what was received unread
    HOLD          keep the connection until the other side ends it, 10 s at most
    LOOP          begin again, on the same connection

Behind the last step comes FIN, then the other side's end. Texts have Python's escapes.
"""
import os
import re
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from common.cases import read_cases

STEP = re.compile(r'([SB])"((?:[^"\\]|\\.)*)"(?:\*(\d+))?$|W(\d+)$|(R|FIN|RST|CLOSE|HOLD|LOOP)$')
WORD = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+')
LENGTH = re.compile(rb"(?im)^content-length:[ \t]*(\d+)")


def steps_of(script):
    steps = []
    for word in WORD.findall(script):
        m = STEP.match(word)
        if m is None:
            raise SystemExit("no such step: " + word)
        if m.group(1):
            text = m.group(2).encode("latin-1").decode("unicode_escape").encode("latin-1")
            steps.append((m.group(1), text * int(m.group(3) or 1)))
        elif m.group(4):
            steps.append(("W", int(m.group(4)) / 1000))
        else:
            steps.append((m.group(5), None))
    return steps


class Player:
    """One connection."""

    def __init__(self, conn):
        self.conn = conn
        self.kept = b""
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        conn.settimeout(20)

    def more(self):
        got = self.conn.recv(65536)
        if not got:
            raise EOFError
        self.kept += got

    def request(self):
        while b"\r\n\r\n" not in self.kept:
            self.more()
        head, _, rest = self.kept.partition(b"\r\n\r\n")
        m = LENGTH.search(head)
        need = len(head) + 4 + (int(m.group(1)) if m else 0)
        while len(self.kept) < need:
            self.more()
        self.kept = self.kept[need:]

    def until_end(self, seconds):
        self.conn.settimeout(seconds)
        while self.conn.recv(65536):
            pass

    def step(self, kind, value):
        """False: the connection is closed."""
        if kind == "R":
            self.request()
        elif kind == "S":
            self.conn.sendall(value)
        elif kind == "B":
            for i in range(len(value)):
                self.conn.sendall(value[i:i + 1])
                time.sleep(0.001)
        elif kind == "W":
            time.sleep(value)
        elif kind == "FIN":
            self.conn.shutdown(socket.SHUT_WR)
        elif kind == "RST":
            self.conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        elif kind == "CLOSE":
            return False
        elif kind == "HOLD":
            self.until_end(10)
            return False
        return True

    def play(self, steps):
        i = 0
        try:
            while i < len(steps):
                kind, value = steps[i]
                i = 0 if kind == "LOOP" else i + 1
                if not self.step(kind, value):
                    return
            self.conn.shutdown(socket.SHUT_WR)
            self.until_end(2)
        except (OSError, EOFError):
            pass
        finally:
            self.conn.close()


def accept(listener, steps):
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=Player(conn).play, args=(steps,), daemon=True).start()


def main():
    threads = []
    port = int(sys.argv[2])
    for case in read_cases(sys.argv[3]):
        if sys.argv[4:] and case.name not in sys.argv[4:]:
            continue
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((sys.argv[1], port))
        listener.listen(128)
        print(case.name, port, flush=True)
        threads.append(threading.Thread(target=accept, args=(listener, steps_of(case.play))))
        port += 1
    for t in threads:
        t.start()
    print("ready", flush=True)


main()
