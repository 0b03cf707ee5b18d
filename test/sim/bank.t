#!/bin/sh
# Who gets a bank of the L1: patterns of accesses of eight cores, and of the
# DMA beside them, with the cycles that both arbiters' RTL takes.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
$host -o $out/bank test/sim/bank.c $objects $libs || exit 1
$out/bank
