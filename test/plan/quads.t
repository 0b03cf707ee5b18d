#!/bin/sh
# Weights in groups that the planner orders by four rows for Cortex-M give what
# they give on the host, where they stay: quads.t [SEED].
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
net = Text('"quads"')

for i in range(8):
    k, m = 4 * rng.integers(2, 40), 4 * rng.integers(1, 12)
    g = k if i < 4 else 4 * rng.integers(1, k // 4 + 1)
    four, groups = i % 2, -(-k // g)
    net.input('x%d' % i, 'f32', rng.standard_normal((2, k)).astype('f4'))
    if four:
        net.const('w%d' % i, 'u8', rng.integers(0, 256, (m, k // 2)))
    else: # -128 beside numbers below 0, too
        net.const('w%d' % i, 's8', rng.choice(
            [-128, -127, -1, 0, 1, 127, *rng.integers(-128, 128, 8)], (m, k)))
    net.const('s%d' % i, 'f32',
              rng.uniform(0.001, 0.1, (m, groups)).astype('f4'))
    net.line('y%d = groupmatmul x%d w%d s%d p0=%d mode=%d' % (
        i, i, i, i, g, 3 if four else 1))
for i in range(8):
    net.line('output y%d' % i)
net.save(sys.argv[2] + '/net')
END
as_host cortex-m4
n=$(grep -c '"kernel": "groupmatmul_quads_f32_dsp"' "$tmp/j")
[ "$n" -ge 4 ] || fail "$n of 8 products take rows by four"
echo "8 products, $n by four rows, as on the host, seed $seed"
