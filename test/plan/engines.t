#!/bin/sh
# A small network is planned without accelerators, too: no jobs where these are
# slower, and jobs where they are quicker.
cd "$(dirname "$0")/../.." || exit 1
make -s tilewright || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

# predicted MODEL OPTION...: cycles
predicted() {
    ./tilewright report "$@" -q --json "$tmp/j" || exit 1
    sed -n 's/^  "predicted_cycles": \([0-9]*\),$/\1/p' "$tmp/j"
}

# jobs MODEL CHIP ENGINE WANTED
jobs() {
    with=$(predicted "$1" -t "$2")
    n=$(grep -c "\"engine\": \"$3\"" "$tmp/j")
    without=$(predicted "$1" -t "$2" --no-engine "$3")
    [ "$with" -le "$without" ] && [ "$n" "$4" 0 ] && return
    bad=$((bad + 1))
    echo "$1 on $2: $with cycles, $n jobs; $without without $3"
}

# Each job is quicker than cores, but for when it begins and is waited for.
python3 - >"$tmp/turns.nn" <<'END'
import random
random.seed(3)
print('graph "turns" exact', 'x0 = input : u8[1,8]',
      't = const : u8[256] {%s}' % ','.join(map(str, range(255, -1, -1))),
      'm = const : s32[1] {181}', 'a = const : s32[1] {0}', sep='\n')
for i in range(4):
    w = ','.join(str(random.randint(-128, 127)) for _ in range(64))
    print('w%d = const : s8[8,8] {%s}' % (i, w),
          'y%d = matmul x%d w%d _ m a transb=1 lo=0 hi=255 shift=16' % (i, i, i),
          'x%d = gather t y%d axis=0' % (i + 1, i), sep='\n')
print('output x4')
END
jobs "$tmp/turns.nn" gap9 ne16 -eq
jobs zoo/autoencoder-int/network.onnx siracusa neureka -gt
jobs zoo/deadchannels-int/network.onnx gap9 ne16 -gt
jobs test/plan/rescaled.nn siracusa neureka -gt
predicted test/plan/rescaled.nn -t siracusa >/dev/null
[ "$(grep -c '"engine": "neureka"' "$tmp/j")" = 1 ] ||
    { bad=$((bad + 1)); echo "both rescalings on siracusa are jobs, or none"; }
# A sum, or two values side by side, are jobs where the layer before them is one,
# which nothing else reads.
predicted test/plan/residual.nn -t siracusa >/dev/null
[ "$(grep -c '"kernel": "pinterleave_point_int_neureka"' "$tmp/j")" = 2 ] ||
    { bad=$((bad + 1)); echo "not two of three values are beside jobs' results"; }
# A job that makes every pixel, and a reader of one tap that steps over those
# that are too many: nothing is copied between them.
predicted zoo/deadchannels-int/network.onnx -t gap9 >/dev/null
grep -A3 '"name": "conv_4_acc"' "$tmp/j" | grep -q '"engine": "ne16"' ||
    { bad=$((bad + 1)); echo "conv_4_acc on gap9 is not a job"; }
# Cores take some rows of a layer beside the job where both have room for all that
# they touch, weights too.
while read -r c m n want; do
    python3 - "$c" "$m" "$n" >"$tmp/one.nn" <<'END'
import random, sys
random.seed(3)
c, m, n = map(int, sys.argv[1:])
w = ','.join(str(random.randint(-100, 100)) for _ in range(c * m))
print('graph "one" exact', 'x = input : s8[1,%d,%d,%d]' % (c, n, n),
      'w = const : s8[%d,%d,1,1] {%s}' % (m, c, w),
      'm = const : s32[1] {181}', 'a = const : s32[1] {0}',
      'y = conv x w _ m a lo=-128 hi=127 shift=20', 'output y', sep='\n')
END
    predicted "$tmp/one.nn" -t gap9 >/dev/null
    got=$(grep -c '"op": "conv"' "$tmp/j")
    [ "$got" = "$want" ] || { bad=$((bad + 1))
        echo "$c to $m channels of $n x $n: $got parts of cores, not $want"; }
done <<'END'
64 64 16 1
256 256 12 0
END
# A product of one row has windows of nine taps, where weights have few bits: of 8
# cores take as long, and jobs have to be begun.
while read -r bits chip kernel; do
    python3 - "$bits" >"$tmp/row.nn" <<'END'
import random, sys
random.seed(3)
most = (1 << int(sys.argv[1])) - 1
w = ','.join(str(random.randint(0, most) - (most + 1) // 2) for _ in range(1 << 15))
print('graph "row" exact', 'x = input : u8[1,256]',
      'w = const : s8[128,256] {%s}' % w, 'm = const : s32[1] {181}',
      'a = const : s32[1] {0}',
      'y = matmul x w _ m a transb=1 lo=-128 hi=127 shift=20', 'output y',
      sep='\n')
END
    predicted "$tmp/row.nn" -t "$chip" >/dev/null
    grep -q "\"kernel\": \"$kernel\"" "$tmp/j" || { bad=$((bad + 1))
        echo "a row of $bits bits on $chip is not by $kernel"; }
done <<'END'
4 gap9 pconv_int_ne16
8 gap9 matmul_vector_scale32_xpulp
4 siracusa pconv_int_neureka
END
# Jobs with the same factors and addends share them.
python3 - >"$tmp/same.nn" <<'END'
import random
random.seed(3)
print('graph "same" exact', 'x0 = input : u8[1,256]',
      'm = const : s32[1] {181}', 'a = const : s32[1] {0}', sep='\n')
for i in range(2):
    w = ','.join(str(random.randint(-8, 7)) for _ in range(1 << 16))
    print('w%d = const : s8[256,256] {%s}' % (i, w),
          'x%d = matmul x%d w%d _ m a transb=1 lo=0 hi=255 shift=16' % (
              i + 1, i, i), sep='\n')
print('output x2')
END
predicted "$tmp/same.nn" -t gap9 >/dev/null
grep -q "^  \"weights_bytes\": $((2 * 256 * 2 * 4 * 18 + 256 + 4 * 256))," \
    "$tmp/j" || { bad=$((bad + 1)); echo "factors are not shared"; }
[ $bad = 0 ] && echo "4 networks with and without accelerators"
exit $bad
