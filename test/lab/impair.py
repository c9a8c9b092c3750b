#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A bad cable: passes frames between two links and spoils some TCP segments, by a seed.

usage: impair.py LINK LINK SEED [loss=N] [twice=N] [late=N] [flip=N]    N per cent of the segments
late: overtaken by the next 5 frames (or held for 3 ms); flip: one bit of the payload is wrong.
Prints `ready`; at SIGTERM what it did, `name count` a line.
"""
import random
import select
import signal
import socket
import sys
import time

ALL = 0x0003
SOL_PACKET, ADD_MEMBERSHIP, PROMISC, IGNORE_OUTGOING = 263, 1, 1, 23
HELD_FRAMES, HELD_SECONDS = 5, 0.003
KINDS = ("loss", "twice", "late", "flip")


def open_link(name):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    s.setsockopt(socket.SOL_SOCKET, 33, 32 << 20)  # SO_RCVBUFFORCE
    s.setsockopt(SOL_PACKET, IGNORE_OUTGOING, 1)
    s.bind((name, ALL))
    index = socket.if_nametoindex(name)
    s.setsockopt(SOL_PACKET, ADD_MEMBERSHIP,
                 index.to_bytes(4, sys.byteorder) + PROMISC.to_bytes(2, sys.byteorder) + bytes(10))
    s.setblocking(False)
    return s


class Way:
    """One direction."""

    def __init__(self, source, sink, rng, share, count):
        self.source, self.sink = source, sink
        self.rng, self.share, self.count = rng, share, count
        self.held = []

    def send(self, frame):
        try:
            self.sink.send(frame)
        except OSError:
            pass  # the far link is gone or full: lost, as on a cable

    def spoil(self, frame):
        if len(frame) < 54 or frame[12:14] != b"\x08\x00" or frame[23] != 6:
            return None
        roll = self.rng.random() * 100
        for kind in KINDS:
            roll -= self.share.get(kind, 0)
            if roll < 0:
                return kind
        return None

    def take(self, frame, now):
        kind = self.spoil(frame)
        if kind == "flip":
            at = 14 + (frame[14] & 15) * 4 + (frame[46] >> 4) * 4
            if at >= 14 + int.from_bytes(frame[16:18], "big"):
                kind = None
            else:
                frame = frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1:]
        if kind is not None:
            self.count[kind] += 1
        if kind == "late":
            self.held.append([HELD_FRAMES, now + HELD_SECONDS, frame])
            return
        if kind != "loss":
            self.send(frame)
        if kind == "twice":
            self.send(frame)
        for h in self.held:
            h[0] -= 1
        self.release(now)

    def release(self, now):
        while self.held and (self.held[0][0] <= 0 or self.held[0][1] <= now):
            self.send(self.held.pop(0)[2])

    def read(self, now):
        for _ in range(64):
            try:
                frame = self.source.recv(65536)
            except OSError:  # nothing there, or the link went down
                return
            self.count["frames"] += 1
            self.take(frame, now)


def main():
    share = {k: float(v) for k, v in (x.split("=") for x in sys.argv[4:])}
    count = dict.fromkeys(KINDS + ("frames",), 0)
    a, b = open_link(sys.argv[1]), open_link(sys.argv[2])
    rng = random.Random(int(sys.argv[3]))
    ways = {a: Way(a, b, rng, share, count), b: Way(b, a, rng, share, count)}

    def finish(_signo, _frame):
        for k, v in count.items():
            print(k, v)
        sys.stdout.flush()
        sys.exit(0)

    signal.signal(signal.SIGTERM, finish)
    print("ready", flush=True)
    while True:
        wait = HELD_SECONDS if any(w.held for w in ways.values()) else None
        ready = select.select(list(ways), [], [], wait)[0]
        now = time.monotonic()
        for s in ready:
            ways[s].read(now)
        for w in ways.values():
            w.release(now)


main()
