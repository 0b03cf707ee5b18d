#!/bin/sh
# Nodes cut into tiles: tile.t [SEED [RUNS]].
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
seed=${1:-${SEED:-$(date +%s)}}
mkdir -p build/test
${HOSTCC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -I. \
    -Isrc -g -O1 -o build/test/tile test/ir/tile.c test/kern/kerndraw.c \
    build/src/ir/*.o build/src/base/*.o build/eval/*.o build/packed.o \
    build/packdata.o -lzip -lm || exit 1
if ! build/test/tile "$seed" "${2:-$(part 20)}"; then
    echo "seed $seed"
    exit 1
fi
