# For tests of which `make check` runs one case in PART (test/check), to be
# sourced.  Run alone, and by `make check-all`, a test has all of its cases.
PART=${PART:-1}

# part N [LEAST]: how many of N random cases; no fewer than LEAST, where fewer
# may leave out what the test wants to have seen.
part() {
    n=$((($1 + PART - 1) / PART))
    echo $((n < ${2:-1} ? ${2:-1} : n))
}

# each: of the lines it reads the first, and then every PART-th.
each() {
    awk -v n="$PART" 'NR % n == 1 % n'
}

# whole: whether all cases are run.
whole() {
    [ "$PART" = 1 ]
}
