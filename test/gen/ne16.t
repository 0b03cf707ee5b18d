#!/bin/sh
# The same on GAP9 with NE16, whose inputs have no sign:
# ne16.t [SEED [LAYERS [OPTIONS]]]
. "$(dirname "$0")/../lib/part.sh"
[ $# -gt 1 ] || set -- "${1:-${SEED:-$(date +%s)}}" "$(part 8 4)"
CHIP=gap9 ENGINE=ne16 TYPES='u8 u8 u8 s8' exec "$(dirname "$0")/neureka.t" "$@"
