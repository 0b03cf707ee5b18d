#!/bin/sh
# cppcheck's MISRA addon on generated C finds nothing that doc/safety.md does not
# explain: a network on Cortex-M4 here, many on every kind of target in
# misra.long; what is against a rule without a row is found.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
if ! command -v cppcheck >/dev/null || ! command -v arm-none-eabi-gcc >/dev/null
then
    echo "skipped: no cppcheck, or no compiler for Cortex-M"
    exit 0
fi
./tilewright compile zoo/dscnn-int/network.onnx -q -n net -t cortex-m4 \
    -o "$tmp/net" || exit 1
tools/misra "$tmp/net" >"$tmp/net.said" || { cat "$tmp/net.said"; exit 1; }
# Of a network of one file, with a goto into the past.
mkdir "$tmp/bad"
cp "$tmp/net/Makefile" "$tmp/bad/"
cat >"$tmp/bad/net.c" <<'END'
int spin(int n);
int spin(int n)
{
    int i = 0;
again:
    i = i + 1;
    if (i < n) {
        goto again;
    }
    return i;
}
END
tools/misra "$tmp/bad" >"$tmp/said" && { echo "a goto is not found"; exit 1; }
grep -q 'net.c:8: rule 15.[12], which' "$tmp/said" || { cat "$tmp/said"; exit 1; }
tail -n 1 "$tmp/net.said"
