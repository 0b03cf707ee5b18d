#!/bin/sh
# An exchange of 32 chips keeps their ways in busy, whoever comes late: the slowest
# chip has its sums within twice the time of the bytes, and what one waits for holds
# up nobody else.
cd "$(dirname "$0")/../.." || exit 1
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python3 test/shard/many.py "$tmp/n.onnx" &&
    timeout 200 ./tilewright run "$tmp/n.onnx" -t siracusa-500 --chips 32 -q \
        --json "$tmp/j" || exit 1
exec python3 - "$tmp/j" <<'END'
import json
import sys
j = json.load(open(sys.argv[1]))
assert j['match']
sums = [l['cycles'] for c in j['chips'] for l in c['layers']
        if l['op'] == 'partsum']
bytes = 4 * 512 * 31 // 32  # at one a cycle
assert len(sums) == 32 and max(sums) < 2.4 * bytes, sorted(sums)
print('sums of 32 chips: %d to %d cycles' % (min(sums), max(sums)))
END
