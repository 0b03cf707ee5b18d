#!/bin/sh
# The DMA's cycles against figures of its RTL, and what it moves for commands
# that no program should give.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
$host -o $out/dma test/sim/dma.c $objects $libs || exit 1
$out/dma
