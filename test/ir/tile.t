#!/bin/sh
# Nodes cut into tiles, under the sanitizers: tile.t [SEED [RUNS]].
# Sanitizers: its own.
cd "$(dirname "$0")/../.." || exit 1
seed=${1:-${SEED:-$(date +%s)}}
make -s sanitize || exit 1
san=build/san/build
mkdir -p build/test
gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -I. -Isrc -g -O1 \
    -fsanitize=address,undefined -fno-sanitize-recover -o build/test/tile \
    test/ir/tile.c test/kern/kerndraw.c $san/src/ir/*.o $san/src/base/*.o \
    $san/eval/*.o $san/packed.o $san/packdata.o -lzip -lm || exit 1
if ! build/test/tile "$seed" "${2:-20}"; then
    echo "seed $seed"
    exit 1
fi
