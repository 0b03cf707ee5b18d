#!/usr/bin/env python3
"""proxy.py LISTEN SERVER SEED [N]: Unix sockets, and what comes between them is
split into pieces and delayed; a few bytes of long pieces are dropped, or, with N,
bytes of short pieces with a chance of 1 in N, and one of every sixth that is long."""
import os, random, select, socket, sys, time

listen, server, seed = sys.argv[1:4]
every = int(sys.argv[4]) if len(sys.argv) > 4 else 0
rnd = random.Random(int(seed))
a = socket.socket(socket.AF_UNIX)
a.bind(listen)
a.listen(1)
client, _ = a.accept()
b = socket.socket(socket.AF_UNIX)
b.connect(server)
left = 6  # bytes to drop
while True:
    for s in select.select([client, b], [], [], 20)[0]:
        data = s.recv(65536)
        if not data:
            sys.exit(0)
        to = b if s is client else client
        if every and len(data) < 200:
            data = bytes(c for c in data if rnd.randrange(every))
        elif every and not rnd.randrange(6):
            k = rnd.randrange(len(data))
            data = data[:k] + data[k + 1:]
        elif not every and left and len(data) > 200:
            k = rnd.randrange(20, len(data) - 3)
            data = data[:k] + data[k + 1:]
            left -= 1
        while data:
            n = rnd.randrange(1, 2000)
            time.sleep(rnd.random() * 0.002)
            to.sendall(data[:n])
            data = data[n:]
