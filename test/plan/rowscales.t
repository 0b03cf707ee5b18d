#!/bin/sh
# Products of one row whose scales the planner puts behind their weights, with the
# weighted sum behind them, give on siracusa what they give on the host, where
# they stay as they are: rowscales.t [SEED].
cd "$(dirname "$0")/../.." || exit 1
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
. test/lib/host.sh
python3 - "$seed" "$tmp" <<'END' || exit 1
import sys
import numpy as np
from text import Text

rng = np.random.default_rng(int(sys.argv[1]))
net = Text('"rowscales" exact')


def product(i, k, n, w=None, scales=None, wanted=True):
    net.input('x%d' % i, 's8', rng.integers(-128, 128, (1, k), 'i1'))
    if w is None:
        w = i
        net.const('w%d' % i, 's8', rng.integers(-128, 128, (n, k)))
    net.const('m%d' % i, 's32', rng.integers(1, 2**16 // k, scales or n))
    net.const('a%d' % i, 's32', rng.integers(-2**20, 2**20, scales or n))
    net.line('y%d = matmul x%d w%d _ m%d a%d transb=1 shift=%d lo=-32768 '
             'hi=32767' % (i, i, w, i, i, rng.integers(8, 14)))
    if wanted:
        net.line('output y%d' % i)


def total(i, n, first, offset=2**13):
    net.input('r%d' % i, 's16', rng.integers(-2**15, 2**15, (1, n), 'i2'))
    net.const('c%d' % i, 's64', [offset])
    net.line('z%d = wadd %s c%d p0=%d p1=%d shift=14 lo=-32768 hi=32767' % (
        i, 'y%d r%d' % (i, i) if first else 'r%d y%d' % (i, i), i,
        *rng.integers(-2**14, 2**14, 2)))
    net.line('output z%d' % i)


# Cut into tiles; one scale for all; columns, then rows, that are no fours; a sum
# on either side; a product that others want, too; weights of two products; a sum
# of more than 32 bits.
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
product(9, 64, n[7], wanted=False)
total(9, n[7], False, offset=2**40)
net.save(sys.argv[2] + '/net')

# A single column, whose scales have no axis.
net = Text('"one" exact')
net.line('x = input : s8[1,8]')
net.const('w', 's8', rng.integers(-128, 128, (1, 8)))
net.const('m', 's32', 3)
net.const('a', 's32', 4)
net.line('y = matmul x w _ m a transb=1 shift=2 lo=-128 hi=127')
net.line('output y')
net.save(sys.argv[2] + '/one')

# Sums of more than 32 bits; a shift of more than there are.
a = np.full((1, 1024), 32767, 'i2')
w = np.full((4, 1024), 127, 'i1')
scales = np.tile(np.array([3, -5], '<i4').view('i1'), (4, 1))
open(sys.argv[2] + '/wide.il', 'w').write(
    'graph "wide" exact\na = input : s16[1,1024]\nw = const : s8[4,1032] #%s\n'
    'y = rowmatmul a w shift=20\noutput y\n' %
    np.hstack([w, scales]).tobytes().hex())
open(sys.argv[2] + '/shifts.il', 'w').write(
    'graph "shifts" exact\na = input : s8[1,8]\nr = input : s8[1,1]\n'
    'w = const : s8[1,16] #%s\ny = rowmatmul a w r shift=2 p2=99\noutput y\n' %
    ('01' * 16))
y = (a.astype('i8') @ w.T.astype('i8') * 3 - 5) >> 20
np.savez(sys.argv[2] + '/wide-in.npz', a=a)
np.savez(sys.argv[2] + '/wide-out.npz', y=y.astype('i2'))
END
as_host siracusa --no-engine neureka --l1 40000
grep -q rowmatmul "$tmp/h" && fail "scales are behind weights on the host"
./tilewright run -n network "$tmp/one.il" -t siracusa \
    -q || fail "a single column"
for chip in host siracusa; do
    ./tilewright run -n network "$tmp/wide.il" -t $chip -q \
        -i "$tmp/wide-in.npz" \
        -e "$tmp/wide-out.npz" || fail "long sums on $chip"
done
./tilewright report "$tmp/shifts.il" -t host >"$tmp/text" 2>&1
[ $? = 1 ] && grep -q 'p2 is 99, 0 to 62 was wanted' "$tmp/text" ||
    fail "shift 99: $(cat "$tmp/text")"
python3 - "$tmp/j" <<'END' || fail "other layers than these have scales behind"
import json, sys
run = json.load(open(sys.argv[1]))
rows = [v for v in run['layers'] if v['op'] == 'rowmatmul']
sums = [v for v in run['layers'] if v['op'] == 'wadd']
sys.exit(len(rows) != 5 or len(sums) != 2 or not any(v["tile"] for v in rows))
END
echo "10 products, 5 with scales behind, 2 of them with a sum, as on the host," \
    "seed $seed"
