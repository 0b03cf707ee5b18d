#!/bin/sh
# Work of cores comes before they wait for an accelerator, and jobs before work,
# but not where chips exchange something.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/order || exit 1
exec build/test/order
