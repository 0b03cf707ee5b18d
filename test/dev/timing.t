#!/bin/sh
# The models of Cortex-M pipelines against manual and measurements.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/timing && build/test/timing
