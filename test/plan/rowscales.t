#!/bin/sh
# Products of one row whose scales the planner puts behind their weights, with the
# weighted sum behind them, give on siracusa what they give on the host, where
# they stay as they are: rowscales.t [SEED].
cd "$(dirname "$0")/../.." || exit 1
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
seed=${1:-${SEED:-$(date +%s)}}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 - "$seed" "$tmp" <<'END' || exit 1
import sys
import numpy as np

rng = np.random.default_rng(int(sys.argv[1]))
lines, x = ['graph "rowscales" exact'], {}


def const(name, kind, v):
    v = np.asarray(v)
    lines.append('%s = const : %s[%s] {%s}' % (name, kind, ','.join(
        map(str, v.shape)), ','.join(map(str, v.ravel()))))


def product(i, k, n, w=None, scales=None, wanted=True):
    x['x%d' % i] = rng.integers(-128, 128, (1, k), 'i1')
    lines.append('x%d = input : s8[1,%d]' % (i, k))
    if w is None:
        w = i
        const('w%d' % i, 's8', rng.integers(-128, 128, (n, k)))
    const('m%d' % i, 's32', rng.integers(1, 2**16 // k, scales or n))
    const('a%d' % i, 's32', rng.integers(-2**20, 2**20, scales or n))
    lines.append('y%d = matmul x%d w%d _ m%d a%d transb=1 shift=%d lo=-32768 '
                 'hi=32767' % (i, i, w, i, i, rng.integers(8, 14)))
    if wanted:
        lines.append('output y%d' % i)


def total(i, n, first):
    x['r%d' % i] = rng.integers(-2**15, 2**15, (1, n), 'i2')
    lines.append('r%d = input : s16[1,%d]' % (i, n))
    const('c%d' % i, 's32', [2**13])
    lines.append('z%d = wadd %s c%d p0=%d p1=%d shift=14 lo=-32768 hi=32767' % (
        i, 'y%d r%d' % (i, i) if first else 'r%d y%d' % (i, i), i,
        *rng.integers(-2**14, 2**14, 2)))
    lines.append('output z%d' % i)


# Cut into tiles; one scale for all; columns, then rows, that are no fours; a sum
# on either side; a product that others want, too; weights of two products.
n = 32 * rng.integers(1, 6, 8)
product(0, 64, 768)
product(1, 4 * rng.integers(8, 60), n[1], scales=1)
product(2, 64, n[2] + 1)
product(3, 4 * rng.integers(2, 20) + 2, n[3])
for i in range(4, 7):
    product(i, 4 * rng.integers(8, 60), n[i], wanted=i == 6)
    total(i, n[i], i == 4)
product(7, 32, n[7])
product(8, 32, n[7], w=7)
open(sys.argv[2] + '/net.il', 'w').write('\n'.join(lines) + '\n')
np.savez(sys.argv[2] + '/in.npz', **x)

# A single column, whose scales have no axis.
lines = ['graph "one" exact', 'x = input : s8[1,8]']
const('w', 's8', rng.integers(-128, 128, (1, 8)))
lines += ['m = const : s32[] {3}', 'a = const : s32[] {4}',
          'y = matmul x w _ m a transb=1 shift=2 lo=-128 hi=127', 'output y']
open(sys.argv[2] + '/one.il', 'w').write('\n'.join(lines) + '\n')

# Sums of more than 32 bits.
a = np.full((1, 1024), 32767, 'i2')
w = np.full((4, 1024), 127, 'i1')
scales = np.tile(np.array([3, -5], '<i4').view('i1'), (4, 1))
open(sys.argv[2] + '/wide.il', 'w').write(
    'graph "wide" exact\na = input : s16[1,1024]\nw = const : s8[4,1032] #%s\n'
    'y = rowmatmul a w shift=20\noutput y\n' %
    np.hstack([w, scales]).tobytes().hex())
y = (a.astype('i8') @ w.T.astype('i8') * 3 - 5) >> 20
np.savez(sys.argv[2] + '/wide-in.npz', a=a)
np.savez(sys.argv[2] + '/wide-out.npz', y=y.astype('i2'))
END
fail() {
    echo "seed $seed: $*"
    exit 1
}
./tilewright run "$tmp/net.il" -t host -q -i "$tmp/in.npz" \
    -o "$tmp/out.npz" --json "$tmp/h" || fail host
grep -q rowmatmul "$tmp/h" && fail "scales are behind weights on the host"
./tilewright run "$tmp/net.il" -t siracusa --no-engine neureka --l1 40000 -q \
    -i "$tmp/in.npz" -e "$tmp/out.npz" --json "$tmp/j" || fail siracusa
./tilewright run "$tmp/one.il" -t siracusa -q || fail "a single column"
for chip in host siracusa; do
    ./tilewright run "$tmp/wide.il" -t $chip -q -i "$tmp/wide-in.npz" \
        -e "$tmp/wide-out.npz" || fail "long sums on $chip"
done
python3 - "$tmp/j" <<'END' || fail "other layers than these have scales behind"
import json, sys
run = json.load(open(sys.argv[1]))
rows = [v for v in run['layers'] if v['op'] == 'rowmatmul']
sums = [v for v in run['layers'] if v['op'] == 'wadd']
sys.exit(len(rows) != 4 or len(sums) != 1 or not any(v["tile"] for v in rows))
END
echo "9 products, 4 with scales behind, 2 of them with a sum, as on the host," \
    "seed $seed"
