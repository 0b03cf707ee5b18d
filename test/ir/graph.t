#!/bin/sh
# Graphs by hand, and the checker.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/graph && build/test/graph
