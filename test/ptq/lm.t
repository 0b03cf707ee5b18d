#!/bin/sh
# quantize of a language model with random weights (of an odd number of columns
# they keep 8 bits): less is lost with more bits,
# what is written computes the same on every target, text and its tokens give
# the same file.
# lm.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
seed=${1:-${SEED:-$(date +%s)}}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fault() { echo "$* (seed $seed)"; bad=1; }
make -s build/test/llama2c || exit 1
build/test/llama2c -w "$tmp/m.bin" "$seed" 0 &&
    build/test/llama2c -k "$tmp/t.bin" "$seed" || exit 1
python3 - "$tmp" "$seed" <<'END'
import sys
import numpy as np
tmp, r = sys.argv[1], np.random.default_rng(int(sys.argv[2]))
t = r.integers(0, 300, 120).astype(np.uint16)
np.savez(tmp + '/t.npz', tokens=t, starts=np.arange(0, 121, 20))
np.savez(tmp + '/run.npz', token=t[:20].astype(np.int32)[:, None],
         position=np.arange(20, dtype=np.int32)[:, None])
open(tmp + '/t.txt', 'w').write('abc de\n<|endoftext|>\nee dc ba b\n')
END
for way in 'int8 float' 'int8 int8' 'int4 float' 'int4 int8'; do
    set -- $way
    ./tilewright quantize "$tmp/m.bin" --data "$tmp/t.npz" --weights $1 \
        --activations $2 --samples 4 -o "$tmp/$1$2.il" -q \
        --json "$tmp/$1$2.json" || fault "$way"
done
python3 - "$tmp" <<'END' || fault 'what is said to be lost'
import json, sys
j = {k: json.load(open(f'{sys.argv[1]}/{k}.json')) for k in
     ('int8float', 'int8int8', 'int4float', 'int4int8')}
sys.exit(not (all(v['status'] == 0 and v['tokens'] == 76 and
                  v['perplexity_float'] == j['int8int8']['perplexity_float']
                  for v in j.values()) and
              0 < j['int8float']['kl_nats'] <= j['int4float']['kl_nats']
              and all(m['sqnr_db'] > (30 if m['bits'] == 8 else 8)
                      for v in j.values() for m in v['matrices'])
              and j['int4float']['weights'] <= j['int8float']['weights']
              < j['int8float']['weights_float']))
END
for t in host cortex-m7; do
    ./tilewright run -n network "$tmp/int4int8.il" -t $t --sequence \
        -i "$tmp/run.npz" \
        --at rows=1+1 -q || fault "int4 on $t"
done
./tilewright quantize "$tmp/m.bin" --data "$tmp/t.npz" --weights int8 \
    --group 5 --samples 1 -o "$tmp/group.il" -q || fault 'groups of 5'
for chunk in '' '--chunk 5'; do # a prompt in chunks: the same text
    # shellcheck disable=SC2086
    ./tilewright generate "$tmp/m.bin" --weights int4 -t host -q --tokens 5 \
        --tokenizer "$tmp/t.bin" --past-end --prompt 'ab cd ef ab' $chunk \
        >"$tmp/text${chunk#* }" || fault "generate $chunk"
done
cmp -s "$tmp/text" "$tmp/text5" || fault 'generate: another text in chunks'
./tilewright quantize "$tmp/m.bin" --data "$tmp/t.txt" -q -o "$tmp/text.il" \
    --tokenizer "$tmp/t.bin" || fault 'text'
refused() { # STATUS TEXT ARGUMENT...
    status=$1 text=$2
    shift 2
    ./tilewright quantize "$@" >"$tmp/out" 2>&1
    [ $? = "$status" ] && grep -qF -- "$text" "$tmp/out" ||
        { echo "quantize $*:"; cat "$tmp/out"; bad=1; }
}
refused 2 'a text wants --tokenizer' "$tmp/m.bin" --data "$tmp/t.txt" \
    -o "$tmp/x.il"
refused 2 'are of language models' zoo/dscnn-f32/network.onnx --group 8 \
    --data zoo/dscnn-f32/inputs.npz -o "$tmp/x.il"
refused 1 'quantized already' "$tmp/int8int8.il" --data "$tmp/t.npz" \
    -o "$tmp/x.il"
refused 2 'wanted int8 or int4' "$tmp/m.bin" --weights int2
refused 2 'wanted float, int8, static or int16' "$tmp/m.bin" --activations int4
exit $bad
