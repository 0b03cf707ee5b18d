#!/bin/sh
# Programs whose output another simulator of these chips printed: results to
# the letter, cycles within 2 % or one cycle, but for the lines listed in
# test/sim/deviations, each with its reason there.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
dir=../shared/facts/pulp-programs
[ -d "$dir" ] || dir=${TILEWRIGHT_MODELS:-/none}/facts/pulp-programs
[ -d "$dir" ] || { echo "no programs here: nothing compared"; exit 0; }
bad=0 all=0
for log in "$dir"/*.log; do
    chip=${log%.log} chip=${chip##*.}
    name=$(basename "$log" ".$chip.log")
    elf=$dir/$name.elf
    [ "$name.$chip" = t_hyper.siracusa ] && elf=$dir/t_hyper_sir.elf
    $SIM "$elf" -t "$chip" --max-cycles 100000000 >$out/sim.out || bad=1
    python3 test/sim/compare "$name.$chip" $out/sim.out "$log" \
        test/sim/deviations || bad=1
    all=$((all + 1))
done
echo "$all programs compared with their logs"
exit $bad
