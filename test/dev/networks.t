#!/bin/sh
# Networks by session, whole and layer by layer, end as bench/validate.tsv says,
# each layer equal: three rows of it by the seed (floats on the simulator take too
# long).
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
command -v qemu-system-arm >/dev/null || { echo "no QEMU: skipped"; exit 0; }
seed=${1:-${SEED:-$(date +%s)}}
echo "seed $seed"
table=bench/validate.tsv rows=$(part 3)
not='^[^	]*-f32.*	siracusa	'
command -v openocd >/dev/null || not="$not\|	openocd	"
tail -n +2 $table | grep -v "$not" | awk -v s="$seed" -v n="$rows" '
    BEGIN { srand(s) }
    { row[NR] = $1 " " $2 }
    END { for (i = 0; i < n; i++) print row[1 + int(rand() * NR)] }' |
    xargs -P 2 -n 2 bench/validate --one >build/networks.$$
n=0 bad=0
while IFS= read -r row; do
    n=$((n + 1))
    echo "$row" | cut -f 1-3 | grep -qF "$(grep "^$(echo "$row" |
        cut -f 1-2)	" $table | cut -f 1-3)" &&
        echo "$row" | awk -F'\t' '{ exit $4 < 1 || $4 != $5 + $6 }' && continue
    bad=$((bad + 1))
    echo "is       $row"
    echo "was      $(grep "^$(echo "$row" | cut -f 1-2)	" $table)"
done <build/networks.$$
rm build/networks.$$
echo "$n networks by session, $bad not as in the table"
[ $n = "$rows" ] && [ $bad = 0 ]
