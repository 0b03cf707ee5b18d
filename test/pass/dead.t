#!/bin/sh
# Networks with dead channels, depthwise layers included, compute the same
# without them, with less work: more than a third of the work is dead.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 done=0 saved=
# value KEY: of the last run's JSON
value() {
    sed -n "s/^  \"$1\": \(.*\),/\1/p" "$tmp/json"
}
# run DIR OPTION...
run() {
    dir=$1
    shift
    ./tilewright run "$dir/network.onnx" -t host -q -i "$dir/inputs.npz" \
        -e "$dir/outputs.npz" --json "$tmp/json" "$@" >"$tmp/out" 2>&1 ||
        { echo "$dir $*: exit $?"; cat "$tmp/out"; bad=1; }
}
for d in zoo/deadchannels-*; do
    run "$d" --no-dead
    all=$(value macs)
    [ "$(value macs_removed)" = 0 ] || { echo "$d: removed by nobody"; bad=1; }
    run "$d"
    left=$(value macs) gone=$(value macs_removed)
    [ $((left + gone)) = "$all" ] ||
        { echo "$d: $left + $gone, not $all"; bad=1; }
    [ $((3 * gone)) -gt $((all)) ] || [ "${d#*f32}" != "$d" ] ||
        { echo "$d: only $gone of $all"; bad=1; }
    saved="$saved $((100 * gone / all))%"
    done=$((done + 1))
done
echo "$done networks with dead channels: work removed:$saved"
[ $bad = 0 ] && [ $done -gt 0 ]
