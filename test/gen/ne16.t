#!/bin/sh
# The same on GAP9 with NE16, whose inputs have no sign:
# ne16.t [SEED [LAYERS [OPTIONS]]]
[ $# -gt 1 ] || set -- "${1:-${SEED:-$(date +%s)}}" 8
CHIP=gap9 ENGINE=ne16 TYPES='u8 u8 u8 s8' exec "$(dirname "$0")/neureka.t" "$@"
