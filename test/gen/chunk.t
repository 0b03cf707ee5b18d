#!/usr/bin/env python3
"""An integer decoder that takes several tokens a run: one by one, in chunks of
any size, on every chip it gives the same bits, and those of a plain version.
chunk.t [SEED]"""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)) + '/../..')
seed = int((sys.argv[1:] + [os.environ.get('SEED', '1')])[0])
rng = np.random.default_rng(seed)
CONTEXT, CHUNK, HEADS, EACH = 16, 8, 2, 4
DIM = HEADS * EACH
A, B, C, LN2 = 1, 43, 982, 22  # of isoftmax
w = {n: rng.integers(-127, 128, (DIM, DIM)) for n in ('q', 'k', 'v')}


def listed(v):
    return '{' + ','.join(str(x) for x in np.asarray(v).flatten()) + '}'


def product(n):
    return f'''w{n} = const : s8[{DIM},{DIM}] {listed(w[n])}
{n}0 = matmul x w{n} _ m300 half lo=-128 hi=127 shift=16
{n}1 = reshape {n}0 shape=tokens,{HEADS},{EACH}
'''


def cache(n):
    return f'''{n}all = scatternd {n} slots {n}1
{n}rows = slice {n}all start=0,0,0 step=1,1,1 count={HEADS},rows,{EACH}
'''


text = f'''graph "decoder" exact
number rows 1 {CONTEXT}
number tokens 1 {CHUNK}
x = input : s8[tokens,{DIM}]
position = input : s32[1] range 0 {CONTEXT - 1}
k = input : s8[{HEADS},{CONTEXT},{EACH}]
v = input : s8[{HEADS},{CONTEXT},{EACH}]
m300 = const : s16[1] {{300}}
m2000 = const : s16[1] {{2000}}
half = const : s32[1] {{32768}}
first = const : s32[{CHUNK}] {listed(range(CHUNK))}
all = const : s32[{CONTEXT}] {listed(range(CONTEXT))}
some = slice first start=0 step=1 count=tokens
where0 = add some position hi={CONTEXT - 1}
where1 = reshape where0 shape=tokens,1,1
heads = const : s32[{HEADS},2] {listed([(h, 0) for h in range(HEADS)])}
unit = const : s32[2] {{0,1}}
along = mul unit where1
slots = add heads along
{product('q')}{product('k')}{product('v')}{cache('k')}{cache('v')}
qt = transpose q1 perm=1,0,2
s = matmul qt krows _ m2000 half transb=1 lo=-128 hi=127 shift=16
keys = slice all start=0 step=1 count=rows
row = reshape where0 shape=tokens,1
seen = lesseq keys row
low = const : s16[] {{-30000}}
masked = where seen s low
a = isoftmax masked p0={A} p1={B} p2={C} p3={LN2} hi=255
o0 = matmul a vrows _ m300 half lo=-128 hi=127 shift=16
o1 = transpose o0 perm=1,0,2
o = reshape o1 shape=tokens,{DIM}
y = add o x lo=-128 hi=127
output y
output kall state k
output vall state v
'''


def scaled(acc, mul):
    return np.clip((acc * mul + 32768) >> 16, -128, 127)


def weights(s):
    t = s - s.max()
    z = -t // LN2
    e = (A * (t + z * LN2 + B) ** 2 + C) >> np.minimum(z, 31)
    return e * 255 // e.sum()


def plain(x):
    """Each token against those before."""
    q, k, v = (scaled(x @ w[n], 300).reshape(-1, HEADS, EACH) for n in 'qkv')
    y = np.zeros_like(x)
    for p in range(len(x)):
        for h in range(HEADS):
            a = weights(scaled(k[:p + 1, h] @ q[p, h], 2000))
            y[p, h * EACH:(h + 1) * EACH] = scaled(a @ v[:p + 1, h], 300)
    return np.clip(y + x, -128, 127)


tmp = tempfile.mkdtemp()
bad = runs = 0
try:
    with open(tmp + '/net.il', 'w') as f:
        f.write(text)
    x = rng.integers(-128, 128, (CONTEXT, DIM))
    want = plain(x)
    chips = ['host']
    if shutil.which('qemu-system-arm'):
        chips.append('cortex-m4')
    if shutil.which('riscv64-unknown-elf-gcc'):
        chips.append('siracusa')
    for chip in chips:
        for n in (1, int(rng.integers(2, CHUNK)), CHUNK):
            steps = CONTEXT // n
            np.savez(tmp + '/in.npz',
                     x=x[:steps * n].reshape(steps, n, DIM).astype(np.int8),
                     position=np.arange(steps, dtype=np.int32)
                     .reshape(steps, 1) * n)
            said = subprocess.run(
                ['./tilewright', 'run', tmp + '/net.il', '-t', chip, '-q',
                 '-i', tmp + '/in.npz', '-o', tmp + '/out.npz', '--sequence',
                 '--at', f'tokens={n}', '--at', f'rows={n}+{n}'],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            runs += 1
            if said.returncode:
                print(chip, n, said.stdout.decode())
                bad += 1
                continue
            is_ = np.load(tmp + '/out.npz')['output_0'].reshape(-1, DIM)
            if not np.array_equal(is_, want[:steps * n]):
                print(f'{chip}, chunks of {n}: {(is_ != want[:steps * n]).sum()}'
                      ' elements differ')
                bad += 1
finally:
    shutil.rmtree(tmp)
print(f'seed {seed}: {runs} runs, {bad} wrong')
sys.exit(bad > 0 or not np.ptp(want))
