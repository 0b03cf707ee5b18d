#!/bin/sh
# The same on GAP9 with NE16, whose inputs have no sign:
# ne16.t [SEED [LAYERS [OPTIONS]]]
. "$(dirname "$0")/../lib/part.sh"
[ $# -gt 1 ] || set -- "${1:-${SEED:-$(date +%s)}}" "$(part 8 4)"
export CHIP=gap9 ENGINE=ne16 TYPES='u8 u8 u8 s8'
"$(dirname "$0")/neureka.t" "$@" || exit 1
# Attention, and products of two values with a sign and a scale for each column:
# cores pack their right sides, and sum them.
KINDS='small_heads attention' KERNEL=pack_bits_int_xpulp \
    "$(dirname "$0")/neureka.t" 2 4 || exit 1
# Products of one row.
KINDS=vector KERNEL=pconv_int_ne16 "$(dirname "$0")/neureka.t" 5 4 || exit 1
QUICK=1 KINDS=products KERNEL=sum_row_scale32_xpulp \
    "$(dirname "$0")/neureka.t" 4 3
