#!/bin/bash
# The pages for those who arrive: tables and drawings are what the ledgers give,
# README's example works as printed, rooms are those of `deps`, links lead
# somewhere, the glossary is in order.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fault() { echo "$*"; bad=1; }

bench/results --check >"$tmp/results" || { cat "$tmp/results"; bad=1; }

# The one indented block of README.md that includes a header.
awk '/^    #include <string.h>/ { on = 1 }
    on && /^[^ ]/ { exit }
    on { sub(/^    /, ""); print }' README.md >"$tmp/use.c"
cat >"$tmp/main.c" <<'END'
#include <stdint.h>
#include <stdio.h>

int classify(const int8_t *samples, int8_t *scores);

int main(void)
{
    static int8_t samples[490], scores[12];
    int sum = 0;

    if (classify(samples, scores))
        return 2;
    for (int i = 0; i < 12; i++)
        sum |= scores[i];
    printf("%s\n", sum ? "scores" : "nothing");
    return 0;
}
END
net=$tmp/net
./tilewright compile zoo/dscnn-int/network.onnx -t host -o "$net" -q &&
    gcc -std=c99 -Wall -Wextra -Werror -O1 -o "$tmp/use" "$tmp/use.c" \
        "$tmp/main.c" "$net/network.c" "$net/network_weights.c" \
        "$net"/kern/*.c -lm &&
    [ "$("$tmp/use")" = scores ] || fault "README.md: the example is wrong"

# Rooms: a line of `deps` each, as a row of the table.
while read -r room _ allowed; do
    row=$(grep "^| \`$room\` |" doc/architecture.md | cut -d'|' -f3)
    [ "$(echo $row)" = "$(echo $allowed)" ] ||
        fault "doc/architecture.md: $room may include '$allowed'"
done <deps
rooms=$(sed -n '/^## The rooms/,/^## /s/^| `\([a-z]*\)`.*/\1/p' \
    doc/architecture.md | wc -l)
[ "$rooms" = "$(grep -c : deps)" ] || fault "doc/architecture.md: rooms"

links=0
for page in README.md CONTRIBUTING.md CHANGELOG.md doc/*.md; do
    for to in $(grep -o '](\([^)]*\))' "$page" | sed 's/](//; s/)//; s/#.*//'); do
        case $to in http*) continue ;; esac
        links=$((links + 1))
        [ -e "$(dirname "$page")/$to" ] || fault "$page: no $to"
    done
done
[ $links -gt 30 ] || fault "only $links links"

tail -n 1 "$tmp/results"
echo "$links links, $rooms rooms, README's example"
exit $bad
