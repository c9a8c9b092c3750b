# SPDX-License-Identifier: BSD-3-Clause
"""Plays N requests into one connection at once, then FIN; prints the replies that came whole."""
import socket
import sys
import time

host, n, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
s = socket.create_connection((host, 80), timeout=20)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
s.sendall(b"".join(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % i for i in range(n)))
s.shutdown(socket.SHUT_WR)
time.sleep(0.3)  # nothing is read for a while: the server must neither lose nor hoard
data = b""
while True:
    d = s.recv(1 << 16)
    if not d:
        break
    data += d
whole = 0
while data.startswith(b"HTTP/1.1 200"):
    head, mark, rest = data.partition(b"\r\n\r\n")
    if not mark or len(rest) < size:
        break
    whole += 1
    data = rest[size:]
print(whole, len(data))
