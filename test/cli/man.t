#!/bin/sh
# The man page and the completion have every option that `tilewright help VERB`
# lists, and no other; help lists every word that the verbs look for.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
options() { # words that look like options, one a line
    grep -oE -- "(^|[^-A-Za-z0-9])--?[A-Za-z][-A-Za-z0-9]*" |
        grep -oE -- '-.*' | sort -u
}
verbs='compile run shard validate tune generate quantize check report pack sim shell devices targets ops'
for verb in $verbs; do
    ./tilewright help $verb | sed -n 's/^  \(-.*\)/\1/p' |
        sed 's/^\(-[^ ]*,\{0,1\} *-*[^ ]*\).*/\1/'
done | options | grep -v -- '-sdk' >"$tmp/help"
sed 's/\\-/-/g' doc/tilewright.1 |
    sed -n 's/^\.BI* "*\(-[^ "]*\).*/\1/p' | sort -u >"$tmp/man"
sed -n '/-\*) COMPREPLY/,/;;/p' doc/tilewright.bash | sed 's/compgen -W//' |
    options >"$tmp/bash"
sed -n 's/.*!strcmp(s, "\(-[^"]*\)").*/\1/p; s/.*argv\[i\], "\(-[^"]*\)").*/\1/p' \
    src/cli/sim.c src/cli/pack.c src/cli/list.c \
    src/cli/shell.c | sort -u >"$tmp/source"
bad=0
n=$(wc -l <"$tmp/help")
[ "$n" -gt 35 ] || { echo "only $n options in help"; bad=1; }
same() { # WHAT FILE
    grep -vxF -e --no-PASS -e -- "$tmp/help" >"$tmp/a"
    grep -vxF -e --no-PASS -e -- "$tmp/$2" | diff "$tmp/a" - >"$tmp/d" &&
        return
    echo "$1 and help differ:"
    cat "$tmp/d"
    bad=1
}
same 'the man page' man
same 'the completion' bash
grep -qx -e --no-PASS "$tmp/man" || { echo "no --no-PASS"; bad=1; }
[ -s "$tmp/source" ] || bad=1
grep -vxFf "$tmp/help" "$tmp/source" && echo "not in help" && bad=1
man --warnings -l doc/tilewright.1 >"$tmp/out" 2>"$tmp/err"
[ -s "$tmp/err" ] && ! grep -q 'not found' "$tmp/err" && cat "$tmp/err" && bad=1
echo "$n options in help, man page and completion"
[ $bad = 0 ]
