#!/bin/sh
# What a plan does so that cores do not wait: constants come from the outer
# memory before they are wanted, where there is time for it; what a layer needs,
# and earlier ones than the one before it have made, is loaded while that
# computes; layers with the same kernel follow one another; and between L1 and
# L2 nothing is loaded twice that may stay, and loads begin early where later
# ones would come too late.
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
models=${TILEWRIGHT_MODELS:-../shared/models}/deeploy-tests/networks
checks=0 bad=0
fail() {
    echo "FAIL $*"
    bad=$((bad + 1))
}
# They have more constants than there is room for, and a line that brings the
# rest in less time than their layers take.
for net in microLlama1 microLlama8; do
    path=$models/microLlama/INT8/$net/network.onnx
    [ -f "$path" ] || continue
    checks=$((checks + 1))
    ./tilewright report "$path" -t gap8 --json "$dir/json" >"$dir/text" ||
        fail $net
    python3 - "$dir/json" <<'END' || fail "$net waits for constants"
import json, sys
run = json.load(open(sys.argv[1]))
sys.exit(run['binds']['io_wait'] > 0.02 * run['predicted_cycles'])
END
done
# The sum of a residual block reads what was made long before.  (A value in the
# L2 is loaded for one layer, and a kernel of another begins.)
checks=$((checks + 1))
./tilewright report zoo/resnet8-int/network.onnx -t gap8 --l1 24000 -v \
    2>"$dir/steps" >"$dir/text" || fail resnet8-int
awk '/^b[0-9]+ = temp L2/ { far[$1] = 1; next }
/^t[0-9]+ = dma/ { from = $4; sub(/\[.*/, "", from)
                   if (from in far) loaded[$NF] = 1; next }
/^t[0-9]+ = io/ { next }
/^t[0-9]+ = / { sub(/.*# /, ""); sub(/,.*/, "")
                for (i in loaded) { n += i != $0; delete loaded[i] } }
END { exit !n }' "$dir/steps" || fail "resnet8-int loads nothing early"
./tilewright run zoo/resnet8-int/network.onnx -t gap8 --l1 24000 -q --emulate \
    -i zoo/resnet8-int/inputs.npz -e zoo/resnet8-int/outputs.npz ||
    fail "resnet8-int: another result"
# Queries, keys and values, which the file has with their transposes between.
checks=$((checks + 1))
./tilewright report zoo/transformer-int/network.onnx -t gap8 |
    awk '$2 ~ /^linear_[345]_acc$/ { at[++n] = $1 }
END { exit n != 3 || at[3] - at[1] != 2 }' || fail "transformer-int: its order"
# A chain of products, bound by its weights: a matrix and two vectors that four
# layers share are loaded once where there is room, though not in place of a load
# that is waited for before, and where a small layer has little to load, what
# comes behind it is under way before it begins.
make -s build/test/tiles || exit 1
while read -r chip rows n want; do
    checks=$((checks + 1))
    python3 - "$rows" "$n" >"$dir/chain.nn" <<'END'
import random, sys
random.seed(7)
rows, wide = map(int, sys.argv[1:])
def hexs(n): return '#' + bytes(random.randrange(256) for _ in range(n)).hex()
out = ['graph "chain" exact', 'v = input : s8[%d,640]' % rows]
was, k = 'v', 640
for i, n in enumerate((wide, wide, 8, wide, wide, wide, wide)):
    w = 'w%d_%d' % (k, n)
    for name, kind, size in ((w, 's8[%d,%d]' % (k, n), k * n),
                             ('m%d' % n, 's8[%d]' % n, n),
                             ('a%d' % n, 's16[%d]' % n, 2 * n)):
        if not any(l.startswith(name + ' ') for l in out):
            out.append('%s = const : %s %s' % (name, kind, hexs(size)))
    out.append('y%d = matmul %s %s _ m%d a%d shift=9 lo=-128 hi=127' %
               (i, was, w, n, n))
    was, k = 'y%d' % i, n
print('\n'.join(out + ['output ' + was]))
END
    NO_ENGINE=neureka build/test/tiles model "$dir/chain.nn" "$chip" -1 -1 \
        >"$dir/text"
    grep -Eq " $want.* right" "$dir/text" || fail "$chip: $(cat "$dir/text")"
done <<'END'
siracusa 2 128 (8|9|10|11) loads of constants,
gap8 2 128 [0-9]* loads of constants,
gap8 1 134 [0-9]* loads of constants, [1-9][0-9]* far ahead,
END
# A token's product behind a small one is not cut so that half of its weights
# come beside that, as all of them come beside what takes long before.
python3 - >"$dir/token.nn" <<'END'
import random
random.seed(7)
def hexs(n): return '#' + bytes(random.randrange(256) for _ in range(n)).hex()
out = ['graph "token" exact', 'q = input : s8[1,8,8]',
       'k = input : s8[8,512,8]', 'v = input : s8[8,512,8]',
       'powers = const : u8[64] ' + hexs(64),
       'y = qattend q k v powers lo=-128 hi=127 shift=29 p0=8156 p1=14 '
       'p2=575960646 p3=8', 'x0 = reshape y shape=1,64']
for i, n in enumerate((64, 344)):
    out += ['w%d = const : s8[%d,64] %s' % (i, n, hexs(n * 64)),
            'm%d = const : s32[%d] %s' % (i, n, '{' + ','.join(['9'] * n) + '}'),
            'a%d = const : s32[%d] %s' % (i, n, '{' + ','.join(['99'] * n) + '}'),
            'x%d = matmul x%d w%d _ m%d a%d transb=1 shift=14 lo=-128 hi=127' %
            (i + 1, i, i, i, i)]
print('\n'.join(out + ['output x2']))
END
checks=$((checks + 1))
./tilewright report "$dir/token.nn" -t siracusa --no-engine neureka -q \
    --csv "$dir/token.csv" || fail token
awk -F, '$2 == "x2" { n++; bad = $6 > 1 || $13 > 0 }
END { exit n != 1 || bad }' "$dir/token.csv" ||
    fail "token: $(cat "$dir/token.csv")"
# Of two jobs of an accelerator that one begins whose result the cores want first;
# and before they wait for a job they do what does not need it.
cat >"$dir/order.awk" <<'END'
/^t[0-9]+ = .*# / { token[$1] = $0; sub(/.*# /, "", token[$1])
                    order = order " " $1 }
/^wait/ { order = order " wait " $2 }
END { n = split(order, step)
      for (i = 1; i <= n; i++) {
          name = token[step[i]]; sub(/,.*/, "", name)
          if (step[i - 1] == "wait") name = "wait-" name
          at[name] = i }
      exit !(at[a] && at[a] < at[b] && at[c] < at[d]) }
END
ordered() { # network, a before b and c before d
    checks=$((checks + 1))
    ./tilewright report "$dir/$1.nn" -t siracusa -v 2>"$dir/steps" \
        >"$dir/text" || fail "$1"
    awk -v a="$2" -v b="$3" -v c="$4" -v d="$5" -f "$dir/order.awk" \
        "$dir/steps" || fail "$1: $(cat "$dir/steps")"
}
python3 - "$dir" <<'END'
import random, sys
random.seed(7)
def hexs(n): return '#' + bytes(random.randrange(256) for _ in range(n)).hex()
def product(name):
    return ['w%s = const : s8[256,64] %s' % (name, hexs(256 * 64)),
            '%s = matmul x w%s _ m a transb=1 shift=16 lo=-128 hi=127' %
            (name, name)]
head = ['x = input : s8[64,64]', 'table = const : s8[256] ' + hexs(256),
        'm = const : s32[1] {900}', 'a = const : s32[1] {32768}']
act = ['act = gather table gate axis=0']
nets = {
    'gate': head + product('up') + product('gate') + act +
            ['y = mul act up m a shift=16 lo=-128 hi=127', 'output y'],
    'other': head + ['z = input : s8[256,64]'] + product('gate') + act +
             ['turned = transpose z perm=1,0',
              'y = mul act turned m a shift=16 lo=-128 hi=127', 'output y'],
}
for name, lines in nets.items():
    with open(sys.argv[1] + '/%s.nn' % name, 'w') as f:
        f.write('\n'.join(['graph "%s" exact' % name] + lines) + '\n')
END
ordered gate gate up act wait-up
ordered other gate turned turned wait-gate
echo "$checks plans, $bad wrong"
[ $bad = 0 ]
