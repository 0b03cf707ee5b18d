#!/bin/sh
# Floats to bytes on a cluster whose cores have no floats: numbers that a scale
# divides to halves, and their neighbours, those at the ends of the range and
# those that are no numbers, as on the host: quantize.t [SEED].
cd "$(dirname "$0")/../.." || exit 1
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
. test/lib/host.sh
python3 - "$seed" "$tmp" <<'END' || exit 1
import sys
import numpy as np
from text import Text

rng = np.random.default_rng(int(sys.argv[1]))
net = Text('"halves" exact')
scales = np.concatenate([[1, 3, 0.1, 2**-100, 2**90], rng.random(5) + 1e-3])
for i, scale in enumerate(scales.astype('f4')):
    kind, zero = (('u8', 128), ('s8', -3))[i % 2]
    half = ((rng.integers(-300, 300, 400) + 0.5) * scale).astype('f4')
    one = np.float32(np.inf)
    x = np.concatenate([half, np.nextafter(half, one), np.nextafter(half, -one),
                        (rng.standard_normal(90) * 99 * scale).astype('f4'),
                        np.float32([0, -0.0, np.inf, -np.inf, np.nan, 1e-45])])
    net.input('x%d' % i, 'f32', x)
    net.const('s%d' % i, 'f32', np.float32([scale]))
    net.const('z%d' % i, kind, np.int64([zero]))
    net.line('y%d = quantize x%d s%d z%d to=%s' % (i, i, i, i, kind))
for i in range(len(scales)):
    net.line('output y%d' % i)
net.save(sys.argv[2] + '/net')
END
as_host siracusa
n=$(grep -c '"kernel": "quantize_soft_xpulp"' "$tmp/j")
[ "$n" = 10 ] || fail "$n of 10 layers have the kernel without floats"
echo "$n scales, 1296 numbers each, as on the host, seed $seed"
