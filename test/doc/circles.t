#!/bin/sh
# Circles within rooms do not grow (tools/circles has the limits), and the tool
# finds those of a small tree.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
room=$tmp/src/plan
mkdir -p "$room" "$tmp/tools" "$tmp/build/src/plan"
cp tools/circles "$tmp/tools"
echo '#include "plan/b.h"' >"$room/a.h"
echo '#include "plan/a.h"' >"$room/b.h"
echo 'int b(void); int a(void) { return b(); }' >"$room/a.c"
echo 'int c(void); int b(void) { return c(); }' >"$room/b.c"
echo 'int a(void); int c(void) { return a(); }' >"$room/c.c"
echo 'int a(void); int d(void) { return a(); }' >"$room/d.c"
for f in a b c d; do
    ${CC:-gcc} -c -o "$tmp/build/src/plan/$f.o" "$room/$f.c" || exit 1
done
said=$("$tmp/tools/circles" plan) && { echo "circles are no error"; exit 1; }
for want in 'includes: 2 edges, 2 files in circles' \
    'uses: 4 edges, 3 files in circles'; do
    echo "$said" | grep -q "$want" || { echo "not found: $want"; exit 1; }
done
tools/circles >"$tmp/said" || { cat "$tmp/said"; exit 1; }
awk '{ n += $5 } END { print n " files in circles, none more than allowed" }' \
    "$tmp/said"
