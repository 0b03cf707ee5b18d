# For tests of random networks that compute on a chip what they compute on the
# host, to be sourced: the seed ($1, or SEED), a folder $tmp, in which Python
# writes net.il and net.npz (text.py), and
#     as_host TARGET OPTION...    runs both; the reports are $tmp/h and $tmp/j
seed=${1:-${SEED:-$(date +%s)}}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PYTHONPATH=test/lib

fail() {
    echo "seed $seed: $*"
    exit 1
}

as_host() {
    ./tilewright run -n network "$tmp/net.il" -t host -q -i "$tmp/net.npz" \
        -o "$tmp/out.npz" --json "$tmp/h" || fail host
    ./tilewright run -n network "$tmp/net.il" -t "$@" -q -i "$tmp/net.npz" \
        -e "$tmp/out.npz" --json "$tmp/j" || fail "$1"
}
