#!/bin/bash
# The tutorial works as printed: its files are written, its commands run in one
# shell, and what it shows of their output is there.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for tool in arm-none-eabi-gcc qemu-system-arm; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 0; }
done
mkdir "$tmp/tree"
ln -s "$PWD/tilewright" "$PWD/zoo" "$tmp/tree"

# expect LINE [exact] <SHOWN: each of its lines is in $tmp/out, in that order,
# but for the digits of numbers.
expect() {
    awk -v exact="$2" '
    function plain(s) {
        if (!exact)
            gsub(/[0-9]+/, "0", s)
        gsub(/[ \t]+/, " ", s)
        sub(/ $/, "", s)
        return s
    }
    NR == FNR { want[++n] = plain($0); next }
    at < n && plain($0) == want[at + 1] { at++ }
    END {
        if (at == n) exit 0
        print "not in the output: " want[at + 1]
        exit 1
    }' - "$tmp/out" >>"$tmp/why" || exit 1
}
export tmp
export -f expect

# The page as a script of bash.
awk '
/^```/ && !inside {
    inside = 1
    kind = substr($1, 4)
    if (kind == "sh") {
        printf "at=%d\nexec >\"$tmp/out\" 2>&1\n", NR
        count++
    } else if (kind == "text")
        printf "at=%d\nexpect %d %s <<\"END OF TEXT\"\n", NR, NR, $2
    else if ($2 != "")
        printf "cat >%s <<\"END OF TEXT\"\n", $2
    else
        kind = ""
    next
}
/^```/ {
    inside = 0
    if (kind != "sh" && kind != "")
        print "END OF TEXT"
    next
}
inside && kind != ""
END { if (count < 8) print "echo too few commands >&2; exit 1" }
' doc/tutorial.md >"$tmp/script"

{
    echo 'set -e'
    echo "trap 's=\$?; echo \$at >\"\$tmp/at\"; exit \$s' EXIT"
    cat "$tmp/script"
} >"$tmp/all"
cd "$tmp/tree" || exit 1
if ! timeout 300 bash "$tmp/all" </dev/null; then
    echo "doc/tutorial.md:$(cat "$tmp/at"): failed"
    cat "$tmp/why" "$tmp/out" 2>/dev/null
    exit 1
fi
echo "$(grep -c '^at=' "$tmp/script") blocks of the tutorial as printed"
