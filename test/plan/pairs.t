#!/bin/sh
# Weights whose rows the planner brings together in halves of 16 bits for
# Cortex-M give what they give on the host, where they stay: pairs.t [SEED].
cd "$(dirname "$0")/../.." || exit 1
command -v arm-none-eabi-gcc >/dev/null &&
    command -v qemu-system-arm >/dev/null ||
    { echo "no arm-none-eabi-gcc or QEMU: skipped"; exit 0; }
. test/lib/host.sh
python3 - "$seed" "$tmp" <<'END' || exit 1
import sys
import numpy as np
from text import Text

rng = np.random.default_rng(int(sys.argv[1]))
net = Text('"pairs" exact')

# The greatest sums there are of one part of columns and of several, then any;
# of the last two a half does not fit 16 bits, and rows are odd.
for i, (k, n, x_is, w_is) in enumerate([
        (256, 2, -128, -127), (1024, 4, -128, 127), (264, 6, 127, -127),
        (8 * rng.integers(2, 90), 2 * rng.integers(3, 30), None, None),
        (8 * rng.integers(2, 90), 2 * rng.integers(3, 30), None, None),
        (8 * rng.integers(33, 90), 2 * rng.integers(17, 40), None, None),
        (64, 8, None, -128), (64, 7, None, None)]):
    x = rng.integers(-128, 128, (1, k), 'i1')
    w = rng.integers(-127, 128, (n, k))
    if x_is is not None:
        x[:] = x_is
        w[:] = w_is
        w[0] = rng.choice([w_is, -w_is], k)
    elif w_is is not None:
        w[4:6, 9] = -1, w_is
    net.input('x%d' % i, 's8', x)
    net.const('w%d' % i, 's8', w)
    net.const('b%d' % i, 's32', rng.integers(-10**6, 10**6, n))
    shift = 39 + int(np.log2(k))
    net.const('m%d' % i, 's32', rng.integers(2**30, 2**31, n))
    net.const('a%d' % i, 's64', np.full(n, 2**(shift - 1)))
    net.line('y%d = matmul x%d w%d b%d m%d a%d transb=1 shift=%d round=%d '
             'lo=-128 hi=127' % (i, i, i, i, i, i, shift, i % 2))
for i in range(8):
    net.line('output y%d' % i)
net.save(sys.argv[2] + '/net')
END
as_host cortex-m4
grep -q pmatmul "$tmp/h" && fail "rows are together on the host"
n=$(grep -c '"kernel": "pmatmul_line_int_dsp"' "$tmp/j")
[ "$n" = 6 ] || fail "$n of 8 products have rows together, not 6"
echo "8 products, $n with rows together, as on the host, seed $seed"
