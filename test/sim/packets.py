#!/usr/bin/env python3
"""packets.py PORT: a debugger that asks for registers many times and wants
each answer whole, acknowledgement and all, in one segment."""
import socket
import sys
import time

COUNT = 2000


def packet(text):
    return b"$%s#%02x" % (text, sum(text) & 255)


def whole(answer):
    """+$text#sum, nothing before, between or after."""
    text, end, check = answer[2:].partition(b"#")
    return (answer[:2] == b"+$" and end and
            check == b"%02x" % (sum(text) & 255))


gdb = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
gdb.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
split = 0
begin = time.time()
for i in range(COUNT):
    gdb.sendall(packet(b"g" if i % 2 else b"m1c010000,400"))
    split += not whole(gdb.recv(65536))
rate = COUNT / (time.time() - begin)
gdb.sendall(packet(b"?") + packet(b"qC")) # two in one segment
both = b""
while both.count(b"#") < 2:
    both += gdb.recv(65536)
gdb.sendall(packet(b"k"))
print(f"{COUNT} packets, {split} split, {rate:.0f} a second")
sys.exit(split > 0)
