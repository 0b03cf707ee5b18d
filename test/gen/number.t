#!/bin/sh
# Random networks with run-time numbers, each built once and right at every
# value: number.t [SEED [COUNT]].
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/number || exit 1
seed=${1:-${SEED:-$(date +%s)}} bad=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
build/test/number "$seed" "${2:-$(part 12)}" host "$tmp/net" || bad=1
command -v arm-none-eabi-gcc >/dev/null &&
    { build/test/number "$seed" "$(part 3)" cortex-m4 "$tmp/net" || bad=1; }
for t in gap8 siracusa; do
    command -v riscv64-unknown-elf-gcc >/dev/null &&
        { build/test/number "$seed" "$(part 3)" $t "$tmp/net" || bad=1; }
done
exit $bad
