# SPDX-License-Identifier: BSD-3-Clause
"""What a link carries: a capture by tcpdump in a namespace, and a reader of its file."""
import signal
import struct

from common.process import Process

TCP = 6
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16


class Capture:
    """Frames of one link of a namespace, from now until stop()."""

    def __init__(self, ctx, ns, link, expression="", snap=256):
        self.path = ctx.path("%s-%d.pcap" % (link, Process.n_started))
        argv = ["tcpdump", "-n", "-i", link, "-s", str(snap), "-B", "65536", "-Z", "root", "-j",
                "host", "--time-stamp-precision=nano", "-w", self.path]
        self.process = Process(ctx, argv + expression.split(), ns=ns, name="tcpdump")
        self.process.await_text("listening on", 10, where="err")

    def stop(self):
        """@return (path, frames that the kernel dropped)."""
        self.process.signal(signal.SIGINT)
        self.process.wait(10)
        dropped = 0
        for line in self.process.err().splitlines():
            if line.endswith("dropped by kernel"):
                dropped = int(line.split()[0])
        return self.path, dropped


class Segment:
    """One TCP segment over IPv4; `data` may be cut by the capture, `length` is true."""

    __slots__ = ("ns", "src", "sport", "dst", "dport", "seq", "ack", "flags", "length", "data")

    def __init__(self, ns, frame):
        ihl = 14 + (frame[14] & 15) * 4
        total = struct.unpack_from(">H", frame, 16)[0]
        self.ns = ns
        self.src, self.dst = frame[26:30], frame[30:34]
        self.sport, self.dport, self.seq, self.ack, offset, self.flags = struct.unpack_from(
            ">HHIIBB", frame, ihl)
        header = (offset >> 4) * 4
        self.length = total - (ihl - 14) - header
        self.data = frame[ihl + header:14 + total]


def frames(path):
    """(time in ns, frame) of each record of a pcap file."""
    with open(path, "rb") as f:
        magic = struct.unpack("<I", f.read(24)[:4])[0]
        unit = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}[magic]
        while True:
            head = f.read(16)
            if len(head) < 16:
                return
            sec, sub, caught, _ = struct.unpack("<IIII", head)
            yield sec * 1000000000 + sub * unit, f.read(caught)


def segments(path):
    for ns, frame in frames(path):
        if len(frame) >= 54 and frame[12:14] == b"\x08\x00" and frame[23] == TCP:
            yield Segment(ns, frame)


def launches(path, port):
    """Transactions as the wire shows them, whoever made them: [(ns of the first packet, ns of the
    last byte of the reply or None)]. A SYN begins a connection's first transaction; later ones
    begin with their request. What is sent again is not counted again."""
    found = []
    flows = {}
    for s in segments(path):
        out = s.dport == port
        key = (s.src, s.sport) if out else (s.dst, s.dport)
        flow = flows.get(key)
        if out and s.flags & SYN:
            if flow is None or flow["isn"] != s.seq:
                flows[key] = {"isn": s.seq, "first": True, "next": s.seq + 1, "open": len(found)}
                found.append([s.ns, None])
            continue
        if flow is None:
            continue
        if out and s.length > 0 and (s.seq - flow["next"]) & 0xffffffff < 1 << 31:
            flow["next"] = (s.seq + s.length) & 0xffffffff
            if flow["first"]:
                flow["first"] = False
            else:
                flow["open"] = len(found)
                found.append([s.ns, None])
        elif not out and s.length > 0:
            found[flow["open"]][1] = s.ns
    return found
