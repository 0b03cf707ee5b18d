#!/bin/sh
# What --why and --sweep say of other plans is what the planner then makes of
# the options they name; networks of other channels run, and give what the
# reference kernels give; --compare shows both files' figures; drawings are
# well-formed, and their points stand where the figures are.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
exec python3 test/report/why.py "$tmp" "${1:-${SEED:-$(date +%s)}}"
