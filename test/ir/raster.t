#!/bin/sh
# Rows in which accelerators go through pixels.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/raster || exit 1
build/test/raster
