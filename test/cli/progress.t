#!/bin/sh
# On a terminal, what takes longer than a second says how far it is, and the
# line is gone at the end, however that comes; elsewhere nothing is said.
cd "$(dirname "$0")/../.." || exit 1
exec python3 - <<'X'
import array, os, pty, select, signal, struct, subprocess, sys, tempfile, time
import zipfile

top = tempfile.TemporaryDirectory()
head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
with zipfile.ZipFile(top.name + '/in.npz', 'w') as z:
    z.writestr('x.npy', b'\x93NUMPY\1\0' + struct.pack('<H', len(head)) +
               head + struct.pack('<4f', 1, 2, 3, 4))
# Its example takes minutes.
command = ['./tilewright', 'compile', 'test/cli/products.onnx', '-t', 'host',
           '-i', top.name + '/in.npz', '-n', 'net', '-o', top.name + '/p']


def said(tty, options, text, seconds):
    """What is on standard error until text is, or so many seconds are over,
    and after a signal then."""
    if tty:
        mine, its = pty.openpty()
    else:
        mine, its = os.pipe()
    p = subprocess.Popen( # what runs us may ignore interrupts
        command + options, stderr=its, stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    os.close(its)
    got, until, sent = b'', time.time() + seconds, False
    while True:
        if not sent and (text in got or time.time() > until):
            p.send_signal(signal.SIGINT)
            sent = True
        if not select.select([mine], [], [], .1)[0]:
            continue
        try:
            part = os.read(mine, 4096)
        except OSError:
            part = b''
        if not part:
            break
        got += part
    os.close(mine)
    assert p.wait() == -signal.SIGINT, (p.returncode, got)
    assert os.listdir(top.name) == ['in.npz'], os.listdir(top.name)
    return got


def screen(text):
    """The last line, as a terminal shows it."""
    line = []
    for c in text.decode():
        if c == '\r':
            at = 0
        elif c == '\n':
            line, at = [], 0
        else:
            line[at:at + 1] = c
            at += 1
    return ''.join(line).rstrip()


want = b'\rcomputing the example: node 2 of 4 '
got = said(True, [], want, 120)
assert want in got and got.startswith(b'\r'), got
assert screen(got) == '', got
assert said(True, ['-q'], want, 3) == b''
assert said(False, [], want, 3) == b''
print('progress on a terminal, none elsewhere nor with -q')
X
