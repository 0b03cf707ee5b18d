#!/bin/sh
# On this machine every network of zoo/ and one in three of the others; the long
# test has all, and the chips too.
SOME=3 exec "$(dirname "$0")/networks" host
