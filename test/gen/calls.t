#!/bin/sh
# Of generated programs, as their own compilers see them: no recursion, calls
# through pointers only where doc/safety.md states them, no frame of varying
# size, no written globals, no heap, and no path deeper than NAME_STACK_BYTES;
# each of these is found where it is put in.  Compiled again they are the same.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1"; exit 1; }
set --
for job in dscnn-int:siracusa autoencoder-int:host $(printf '%s\n' \
    dscnn-int:cortex-m4 transformer-qdq-u8:cortex-m55 lstm-f32:rv32imc | each)
do
    net=${job%:*} t=${job#*:}
    ./tilewright compile zoo/$net/network.onnx -q -n net -t $t -o "$tmp/$t" ||
        fail "$net on $t: not compiled"
    cc=$(sed -n 's/^CC = //p' "$tmp/$t/Makefile")
    command -v "$cc" >/dev/null && set -- "$@" "$tmp/$t"
done
[ $# -gt 0 ] || fail "no compiler"
tools/calls "$@" >"$tmp/said" || { cat "$tmp/said"; exit 1; }

# The same again elsewhere: the same bytes.
cp zoo/dscnn-int/network.onnx "$tmp/network.onnx"
(cd "$tmp" && "$OLDPWD/tilewright" compile network.onnx -q -n net -t siracusa \
    -o again) && diff -r "$tmp/siracusa" "$tmp/again" || fail "other bytes"

# What is wrong is found.
net=$tmp/host
cp "$net/net.c" "$tmp/net.c"
cat >>"$net/net.c" <<'END'
int down(int n);
int up(int n);
__attribute__((noinline)) int down(int n) { return n ? up(n - 1) + n : 1; }
__attribute__((noinline)) int up(int n) { return down(n) * 3; }
END
tools/calls "$net" >"$tmp/found" && fail "a recursion is not found"
grep -q 'a recursion' "$tmp/found" || { cat "$tmp/found"; exit 1; }
{
    cat "$tmp/net.c"
    cat <<'END'
#include <stdlib.h>
int last, call(int (*f)(void)), look(int n, const char *s);
void set(int n), *room(int n);
int call(int (*f)(void)) { return f() + 1; }
void set(int n) { last = n; }
void *room(int n) { return malloc((size_t)n); }
int look(int n, const char *s)
{
    char a[n];

    memcpy(a, s, (size_t)n);
    __asm__("" : : "r"(a) : "memory");
    return a[n / 2];
}
END
} >"$net/net.c"
sed -i 's/_STACK_BYTES [0-9]*/_STACK_BYTES 100/' "$net/net.h"
tools/calls "$net" >"$tmp/found"
for words in 'call calls through a pointer' 'last is written' \
    'asks for malloc' 'varying size' 'bytes of stack, 100 promised'; do
    grep -q "$words" "$tmp/found" ||
        { cat "$tmp/found"; fail "not found: $words"; }
done
echo "$(tail -n 1 "$tmp/said"), 6 faults found"
