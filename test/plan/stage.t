#!/bin/sh
# Weights that a kernel reads several times from slow memory are copied to memory
# that is idle; no memory is used further, results stay what they are.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
printf '%s\n' 'include cortex-m7-ext' 'chip octal about=""' \
    'memory FLASH holds=code' >"$tmp/octal.soc"
printf '%s\n' 'include cortex-m7-ext' 'chip fast about=""' \
    'memory FLASH holds=code' 'memory XFLASH fill=0' >"$tmp/fast.soc"
python3 - >"$tmp/net.il" <<'END'
import random
random.seed(1)
def const(name, type, shape, lo, hi, size):
    n = 1
    for d in shape:
        n *= d
    data = b''.join(random.randint(lo, hi).to_bytes(size, 'little', signed=True)
                    for _ in range(n))
    print(f"{name} = const : {type}[{','.join(map(str, shape))}] #{data.hex()}")
def conv(name, x, c, m):
    const('w' + name, 's8', (m, 1, 1, c), -127, 127, 1)
    const('b' + name, 's32', (m,), -1000, 1000, 4)
    const('m' + name, 's32', (m,), 500000, 600000, 4)
    const('a' + name, 's32', (m,), 1 << 28, 1 << 29, 4)
    print(f"{name} = conv {x} w{name} b{name} m{name} a{name} group=1 last=1"
          " shift=30 lo=-128 hi=127")
print('graph "net" exact')
print('x = input : s8[1,16,16,128] range -128 127')
conv('r', 'x', 128, 128)
conv('s', 'r', 128, 512)
print('output s')
END
for chip in octal fast; do
    ./tilewright compile "$tmp/net.il" -t "$tmp/$chip.soc" -q -n net \
        -o "$tmp/$chip" --json "$tmp/$chip.json" || exit 1
done
grep -q '^    bring(.* 16384);$' "$tmp/octal/net.c" ||
    { echo "weights are not copied"; exit 1; }
grep -q 'bring(' "$tmp/fast/net.c" &&
    { echo "weights that come at once are copied"; exit 1; }
python3 - "$tmp" <<'END' || exit 1
import json, sys
octal, fast = (json.load(open(f'{sys.argv[1]}/{c}.json'))
               for c in ('octal', 'fast'))
if octal['ram_bytes'] != fast['ram_bytes']:
    sys.exit('%d bytes of RAM, without copies %d' %
             (octal['ram_bytes'], fast['ram_bytes']))
wait = octal['layers'][0]['predicted_wait'] - fast['layers'][0]['predicted_wait']
once = 16384 / 32 * 164
if not once < wait < 4 * once: # of thirteen times
    sys.exit(f'a wait of {wait} cycles for weights')
END
if command -v arm-none-eabi-gcc >/dev/null &&
    command -v qemu-system-arm >/dev/null; then
    ./tilewright run -n network "$tmp/net.il" -t "$tmp/octal.soc" -q || exit 1
fi
echo "16384 bytes of weights come once"
