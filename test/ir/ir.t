#!/bin/sh
# Graphs: their text, what is inferred, every error of node_infer.
cd "$(dirname "$0")/../.." || exit 1
test/run test/ir/*.nn
