#!/bin/sh
# Quantized networks: what they are lowered to.
cd "$(dirname "$0")/../.." || exit 1
test/run test/quant/*.nn
