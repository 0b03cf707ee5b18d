#!/bin/sh
# Language models: tokens, samples and states of rt/lm against plain versions,
# then `generate` on several targets; the golden texts, where they are.
# lm.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
seed=${1:-${SEED:-$(date +%s)}}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fault() { echo "$*"; bad=1; }
make -s build/test/llama2c || exit 1
build/test/llama2c -w "$tmp/m.bin" "$seed" 0 &&
    build/test/llama2c -k "$tmp/t.bin" "$seed" || exit 1
build() { # MODEL TOKENIZER FOLDER CHUNK: compiled for this machine, with the
          # driver; a file at a time, for many are as in another folder
    cc="cc -std=c99 -O1 -g -fsanitize=address,undefined
        -fno-sanitize-recover=all -w"
    ./tilewright compile "$1" -t host --tokenizer "$2" -n m -o "$3" -q \
        --chunk "$4" && (
        cd "$3" && for f in m.c m_weights.c m_lm.c kern/*.c rt/lm/*.c; do
            $cc -I. -MMD -c -o "$f.o" "$f" || exit 1
        done) &&
        $cc -I"$3" -o "$3/words" test/gen/lm_words.c "$3"/*.o "$3"/kern/*.o \
            "$3"/rt/lm/*.o -lm
}
build "$tmp/m.bin" "$tmp/t.bin" "$tmp/p" 1 || exit 1
for chunk in 2 $((3 + seed % 9)); do
    [ $chunk != 2 ] || whole || continue
    build "$tmp/m.bin" "$tmp/t.bin" "$tmp/c$chunk" $chunk &&
        "$tmp/c$chunk/words" state "$seed" || bad=1
done
"$tmp/p/words" sample "$seed" 1000 || bad=1
"$tmp/p/words" state "$seed" || bad=1

# Byte-pair encoding as defined, on strings.
cat >"$tmp/encode.py" <<'END'
import random, struct, subprocess, sys
driver, path, n, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
data, at, words = open(path, 'rb').read(), 4, []
for _ in range(n):
    score, size = struct.unpack_from('<fi', data, at)
    words.append((data[at + 8:at + 8 + size], score))
    at += 8 + size
ids = {}
for i, (w, _) in enumerate(words):
    ids.setdefault(w, []).append(i)
def characters(b):
    i = 0
    while i < len(b):
        j = i + 1
        while j < len(b) and j - i < 4 and b[j] & 0xc0 == 0x80:
            j += 1
        yield b[i:j]
        i = j
def encode(b):
    t = [1] + ([ids[b' '][0]] if b else [])
    for c in characters(b):
        t += [ids[c][0]] if c in ids else [3 + x for x in c]
    while True:
        best = None
        for i in range(len(t) - 1):
            w = words[t[i]][0] + words[t[i + 1]][0]
            if w in ids and (best is None or words[ids[w][0]][1] > best[0]):
                best = (words[ids[w][0]][1], i, w)
        if best is None:
            return t
        t[best[1]:best[1] + 2] = [ids[best[2]][0]]
rand = random.Random(int(seed))
pool = [b'a', b'b', b'c', b'd', b'e', b' ', b'.', b'\n', '\u00e9'.encode(),
        '\u20ac'.encode(), '\U0001f600'.encode(), b'\xff', b'\xc3', b'Z']
texts = [b'', b' ', b'a', b'abc abc'] + [
    b''.join(rand.choice(pool) for _ in range(rand.randrange(40)))
    for _ in range(300)]
if len(sys.argv) > 5:
    texts = []
    wanted = []
    for line in open(sys.argv[5], 'rb').read().split(b'\n'):
        if b'\t' in line:
            w, text = line.split(b'\t', 1)
            wanted.append([int(x) for x in w.split()])
            texts.append(text)
said = subprocess.run([driver, 'encode'], input=b''.join(
    t.hex().encode() + b'\n' for t in texts), stdout=subprocess.PIPE).stdout
wrong = 0
lines = said.decode().splitlines()
for k, t in enumerate(texts):
    is_, back = lines[k].split(':')
    is_ = [int(x) for x in is_.split()]
    want = wanted[k] if len(sys.argv) > 5 else encode(t)
    # Words of equal bytes are one.
    same = len(is_) == len(want) and all(
        a == b or words[a][0] == words[b][0] for a, b in zip(is_, want))
    if not same or bytes.fromhex(back.strip()) != t:
        wrong += 1
        print(t, 'is', is_, 'wanted', want, 'back', back)
print(len(texts), 'texts encoded and decoded,', wrong, 'wrong')
sys.exit(wrong > 0)
END
python3 "$tmp/encode.py" "$tmp/p/words" "$tmp/t.bin" 300 "$seed" || bad=1

# The same with long words between, so that offsets have 17 bits.
python3 - "$tmp/t.bin" "$tmp/long-words.bin" <<'END'
import struct, sys
data, at, out, i = open(sys.argv[1], 'rb').read(), 4, [], 0
while at < len(data):
    score, size = struct.unpack_from('<fi', data, at)
    word = data[at + 8:at + 8 + size]
    at += 8 + size
    if 271 <= i < 290:
        word += b'#' * 4000
    out.append(struct.pack('<fi', score, len(word)) + word)
    i += 1
open(sys.argv[2], 'wb').write(struct.pack('<i', 4016) + b''.join(out))
END
! whole || {
    build "$tmp/m.bin" "$tmp/long-words.bin" "$tmp/l" 1 &&
        python3 "$tmp/encode.py" "$tmp/l/words" "$tmp/long-words.bin" 300 "$seed"
} || bad=1

# The same tokens on every target, each run counted; a core that dequantizes
# nothing is slow enough.
tokens() { # TARGET CHUNK [MODEL]
    model=${3:-$tmp/m.bin}
    set -- "$1" --chunk "$2"
    [ "$model" = "$tmp/m.bin" ] || set -- "$1"
    ./tilewright generate "$model" -t "$@" --tokenizer "$tmp/t.bin" \
        --prompt abcdeabcde --tokens 12 --past-end --json - $on |
        python3 -c '
import json, sys
j = json.load(sys.stdin)
if "'"$1$on"'" in ("cortex-m4", "siracusa"):
    assert all(s["instructions"] or s["cycles"] for s in j["steps"]), j["steps"]
print(j["tokens"])'
}
runs=0
want=$(tokens host 1)
[ "$(echo "$want" | tr ',' '\n' | wc -l)" -gt 12 ] || fault "host: $want"
for tool in qemu-system-arm:cortex-m4 riscv64-unknown-elf-gcc:siracusa; do
    command -v "${tool%%:*}" >/dev/null || continue
    for chunk in 1 3; do
        [ $chunk = 3 ] || whole || continue
        is=$(tokens "${tool#*:}" $chunk)
        [ "$is" = "$want" ] || fault "${tool#*:} $chunk: $is, wanted $want"
        runs=$((runs + 1))
    done
done
for at in qemu-system-arm:cortex-m4:qemu riscv64-unknown-elf-gcc:siracusa:sim; do
    whole || continue
    command -v "${at%%:*}" >/dev/null || continue
    t=${at#*:}
    on="--device ${t#*:}"
    is=$(tokens "${t%:*}" 3)
    [ "$is" = "$want" ] || fault "on a device, $t: $is, wanted $want"
    on=
done
[ "$(tokens host 4)" = "$want" ] || fault "host, chunks of 4"

# The text form is the same model; its inputs must be those of one.
./tilewright report "$tmp/m.bin" -t host -q -d front 2>&1 |
    sed -n '/^graph/,$p' >"$tmp/m.il"
[ "$(tokens host 1 "$tmp/m.il")" = "$want" ] ||
    fault "the text form writes something else"

refused() { # STATUS WORDS ARGUMENTS...
    status=$1 words=$2
    shift 2
    ./tilewright generate "$@" >"$tmp/said" 2>&1
    [ $? = "$status" ] && grep -q "$words" "$tmp/said" ||
        fault "$words: $(cat "$tmp/said")"
}
refused 2 'wants --tokenizer' "$tmp/m.bin" -t host
refused 2 'no language model' zoo/dscnn-int/network.onnx -t host
refused 2 'language models; ' zoo/dscnn-int/network.onnx -t host \
    --tokenizer "$tmp/t.bin"
refused 2 'positions' "$tmp/m.bin" -t host --tokenizer "$tmp/t.bin" \
    --context 41
head -c 900 "$tmp/t.bin" >"$tmp/short.bin"
refused 1 'cut short' "$tmp/m.bin" -t host --tokenizer "$tmp/short.bin"
{ cat "$tmp/t.bin"; printf 'more words'; } >"$tmp/long.bin"
refused 1 'behind the last' "$tmp/m.bin" -t host --tokenizer "$tmp/long.bin"
# Digits are bytes: a token each, after those of the beginning and the space.
refused 1 'the prompt has 502 tokens, the context only 40' "$tmp/m.bin" \
    -t host --tokenizer "$tmp/t.bin" --prompt "$(printf '%0500d' 0)"

sed 's/position/place/g' "$tmp/m.il" >"$tmp/odd.il"
refused 1 "has an input 'position'" "$tmp/odd.il" -t host \
    --tokenizer "$tmp/t.bin"

# More bytes than the context has positions, but fewer tokens: a word of two
# letters, 22 times.
python3 - "$tmp/t.bin" >"$tmp/pairs" <<'END'
import struct, sys
data, at = open(sys.argv[1], 'rb').read(), 4
while at < len(data):
    size = struct.unpack_from('<fi', data, at)[1]
    word, at = data[at + 8:at + 8 + size], at + 8 + size
    if len(word) == 2 and word.isalpha() and word.isascii():
        print(word.decode() * 22, end='')
        break
END
[ "$(wc -c <"$tmp/pairs")" = 44 ] || fault "no word of two letters"
./tilewright generate "$tmp/m.bin" -t host --tokenizer "$tmp/t.bin" -q \
    --prompt "$(cat "$tmp/pairs")" --tokens 1 >"$tmp/said" 2>&1 ||
    fault "$(cat "$tmp/pairs"): $(cat "$tmp/said")"

# The page's program compiles as printed.
cp "$tmp/m.bin" "$tmp/stories260K.bin"
./tilewright compile "$tmp/stories260K.bin" -t host -q \
    --tokenizer "$tmp/t.bin" -o "$tmp/page" || bad=1
sed -n '/^```c/,/^```/p' doc/llm.md | grep -v '^```' >"$tmp/page.c"
cc -std=c99 -Wall -Wextra -Werror -I"$tmp/page" -c -o "$tmp/page.o" \
    "$tmp/page.c" && [ -s "$tmp/page.c" ] || fault "doc/llm.md: its program"

models=${TILEWRIGHT_MODELS:-../shared/models}/llama2c
golden=0
text() { # MODEL FILE ARGUMENTS...: generate prints FILE
    model=$models/$1 file=$models/golden/$2
    shift 2
    ./tilewright generate "$model" -t host -q \
        --tokenizer "$models/tok512_stories.bin" "$@" >"$tmp/text" 2>&1
    diff "$tmp/text" "$file" || fault "$file differs"
    golden=$((golden + 1))
}
if [ -d "$models" ]; then
    ! whole || {
        build "$models/stories260K.bin" "$models/tok512_stories.bin" "$tmp/g" 1 &&
            python3 "$tmp/encode.py" "$tmp/g/words" \
                "$models/tok512_stories.bin" 512 1 "$models/golden/encode.tsv"
    } || bad=1
    text stories260K.bin dog.txt --prompt 'The dog'
    ! whole || text stories260K.bin none.txt
    ! whole || text stories260K_q80_gs4.bin q80_dog.txt --prompt 'The dog'
    ! whole || text stories260K.bin lily.txt --prompt Lily --chunk 3
    ! whole || text stories260K.bin words40.txt --chunk 7 --tokens 183 \
        --prompt "$(grep -o '^.*a ball' "$models/golden/words40.txt" |
            head -1)"
    ! whole ||
        text stories260K.bin none_t1_p1_s42.txt --temperature 1 --seed 42
    text stories260K.bin dog_t08_p09_s7.txt --prompt 'The dog' --tokens 253 --temperature 0.8 --top-p 0.9 \
        --seed 7
fi
echo "seed $seed: $runs targets beside the host, $golden golden texts"
exit $bad
