#!/bin/sh
# Language models of integers throughout: random models compute the same on every
# target and in chunks, no float is left but the logits, weights of version 2 are
# widened (static.long: of a trained one little is lost).  static.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
seed=${1:-${SEED:-$(date +%s)}}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fault() { echo "$* (seed $seed)"; bad=1; }
make -s build/test/llama2c || exit 1
for version in 0 2; do
    build/test/llama2c -w "$tmp/m$version.bin" "$seed" $version || exit 1
done
build/test/llama2c -k "$tmp/t.bin" "$seed" || exit 1
python3 - "$tmp" "$seed" <<'END'
import sys
import numpy as np
tmp, r = sys.argv[1], np.random.default_rng(int(sys.argv[2]))
t = r.integers(0, 300, 200).astype(np.uint16)
np.savez(tmp + '/t.npz', tokens=t, starts=np.arange(0, 201, 20))
np.savez(tmp + '/run.npz', token=t[:20].astype(np.int32)[:, None],
         position=np.arange(20, dtype=np.int32)[:, None])
END
for version in 0 2; do
    [ $version = 0 ] || whole || continue
    ./tilewright quantize "$tmp/m$version.bin" --data "$tmp/t.npz" --samples 4 \
        --activations static -o "$tmp/s$version.il" -q --json "$tmp/j$version" ||
        fault "version $version"
    python3 - "$tmp/j$version" "$tmp/s$version.il" <<'END' || fault 'what is lost'
import json, re, sys
j = json.load(open(sys.argv[1]))
floats = [l for l in open(sys.argv[2]) if re.search(r': f32\[', l) and 'const' not in l]
sys.exit(not (j['status'] == 0 and j['tokens'] == 76 and
              j['kl_nats'] < 0.05 and (j['weights'] < 0.8 * j['weights_float'] or
               j['weights_float'] < 50000) and
              all('dequantize' in l or 'reshape' in l for l in floats)))
END
done
for t in host $(printf '%s\n' cortex-m4 cortex-m55 siracusa | each); do
    ./tilewright run -n network "$tmp/s0.il" -t $t --sequence \
        -i "$tmp/run.npz" \
        --at rows=1+1 -q -o "$tmp/$t.npz" || fault "on $t"
    python3 - "$tmp/host.npz" "$tmp/$t.npz" <<'END' || fault "$t: not as on host"
import sys
import numpy as np
a, b = (np.load(f) for f in sys.argv[1:])
sys.exit(not (a.files == b.files and len(a.files) and
              all(np.array_equal(a[k], b[k]) for k in a.files)))
END
done
for chunk in '' '--chunk 5'; do # a prompt in chunks: the same text
    # shellcheck disable=SC2086
    ./tilewright generate "$tmp/m0.bin" --activations static --data "$tmp/t.npz" \
        -t host -q --tokens 5 --tokenizer "$tmp/t.bin" --past-end \
        --prompt 'ab cd ef ab' $chunk >"$tmp/text${chunk#* }" ||
        fault "generate $chunk"
done
cmp -s "$tmp/text" "$tmp/text5" || fault 'generate: another text in chunks'
refused() { # STATUS TEXT VERB ARGUMENT...
    status=$1 text=$2
    shift 2
    ./tilewright "$@" >"$tmp/out" 2>&1
    [ $? = "$status" ] && grep -qF -- "$text" "$tmp/out" ||
        { echo "$*:"; cat "$tmp/out"; bad=1; }
}
refused 2 'leave out --weights int4' quantize "$tmp/m0.bin" --data "$tmp/t.npz" \
    --weights int4 --activations static -o "$tmp/x.il"
refused 2 'static wants --data' generate "$tmp/m0.bin" -t host \
    --tokenizer "$tmp/t.bin" --activations static
refused 2 'are of language models' quantize zoo/dscnn-f32/network.onnx \
    --activations static --data zoo/dscnn-f32/inputs.npz -o "$tmp/x.il"
whole || exit $bad # the README's model takes long
./tilewright quantize zoo/stories/stories8x64.bin -q --context 64 \
    --activations static --data zoo/stories/texts.txt \
    --tokenizer zoo/stories/words.bin -o "$tmp/story.il" || fault zoo/stories
for t in host siracusa; do # the README's model
    ./tilewright generate "$tmp/story.il" -n network -t $t -q --tokens 12 \
        --tokenizer zoo/stories/words.bin --prompt 'Once upon a time' \
        --json "$tmp/story.json" >"$tmp/story.$t" || fault "zoo/stories on $t"
done
python3 - "$tmp/story.json" <<'END' || fault 'energy of a token'
import json, sys
j = json.load(open(sys.argv[1]))
cores = 8 * 26e-6 * j['token_cycles'] # uJ: 26 pJ a core and cycle
sys.exit(not cores < j['token_uj'] < 1.1 * cores)
END
cmp -s "$tmp/story.host" "$tmp/story.siracusa" &&
    grep -q 'Once upon a time [a-z]' "$tmp/story.host" ||
    fault 'zoo/stories: another text'
exit $bad
