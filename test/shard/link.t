#!/bin/sh
# Exchanges between processes over sockets, by all ways, under the sanitizers;
# with faults every one is reported, and no result is wrong.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
echo "seed $seed"
gcc -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Wpedantic -Wshadow -Werror \
    -fsanitize=address,undefined -fno-sanitize-recover=all -I. \
    -o "$tmp/link" test/shard/link.c rt/link/link.c rt/link/say.c \
    rt/link/unix.c || exit 1
timeout ${LIMIT:-100} "$tmp/link" "$seed" "${ROUNDS:-16}" "${CHIPS:-16}" "${FAULTS:-20}"
