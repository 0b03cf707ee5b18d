#!/bin/sh
# A handful of random networks in little memory (test/tiles.c); many more in
# test/tiles.long.
cd "$(dirname "$0")/.." || exit 1
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
make -s build/test/tiles && build/test/tiles "${1:-1}" "${2:-16}"
