#!/bin/sh
# Packages: CMake builds one, installs it and finds it again; Arduino's builder
# one for a board of test/gen/package/arduino, which QEMU runs; of Zephyr and
# ESP-IDF, which are not here, as much stands in test/gen/package as a sample
# needs; libraries are compiled as Arduino and PlatformIO do, every source with
# src/ on the path; the pack has what its description lists.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
top=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1"; exit 1; }
make_package() { # KIND TARGET
    ./tilewright compile zoo/dscnn-int/network.onnx -q -n kws -t "$2" \
        --package "$1" -o "$tmp/$1" || fail "$1: not compiled"
}
quietly() { "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; fail "$*"; }; }

make_package cmake host
cd "$tmp/cmake" || exit 1
quietly cmake -B build -DCMAKE_INSTALL_PREFIX="$tmp/inst"
quietly cmake --build build
quietly ctest --test-dir build
quietly cmake --install build
mkdir "$tmp/app" && cd "$tmp/app" || exit 1
cp "$tmp/cmake/example/main.c" . || exit 1
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(app C)
find_package(kws REQUIRED)
add_executable(app main.c)
target_link_libraries(app kws::kws)
END
quietly cmake -B build -DCMAKE_PREFIX_PATH="$tmp/inst"
quietly cmake --build build
[ "$(build/app)" = "kws: self-test passed" ] || fail "installed: not passed"
cd "$top" || exit 1

make_package zephyr host
quietly cmake -S "$tmp/zephyr/sample" -B "$tmp/z" \
    -DZephyr_DIR="$top/test/gen/package/zephyr"
quietly cmake --build "$tmp/z"
[ "$("$tmp/z/app")" = "kws: self-test passed" ] || fail "zephyr: not passed"

make_package esp-idf host
mv "$tmp/esp-idf" "$tmp/kws"
IDF_PATH=$top/test/gen/package/idf
export IDF_PATH
quietly cmake -S "$tmp/kws/examples/selftest" -B "$tmp/e"
quietly cmake --build "$tmp/e"
[ "$("$tmp/e/app")" = "kws: self-test passed" ] || fail "esp-idf: not passed"

for kind in arduino platformio; do
    make_package $kind cortex-m4
    for f in $(cd "$tmp/$kind/src" && find . -name '*.c' | each); do
        quietly arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os -Wall -Wextra \
            -Werror -I "$tmp/$kind/src" -c "$tmp/$kind/src/$f" -o "$tmp/o"
    done
done
cp "$tmp/arduino/examples/selftest/selftest.ino" "$tmp/sketch.cpp"
{ echo 'struct S { void begin(long) {} void print(const char *) {} } Serial;'
    cat "$tmp/sketch.cpp"; } >"$tmp/s.cpp"
quietly g++ -Wall -I "$tmp/arduino/src" -c "$tmp/s.cpp" -o "$tmp/o"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' \
    "$tmp/platformio/library.json" || fail "library.json"

said="no arduino-builder"
if command -v arduino-builder >/dev/null; then
    mkdir "$tmp/lib" "$tmp/built" && mv "$tmp/arduino" "$tmp/lib/kws"
    quietly arduino-builder -compile -warnings all -fqbn tilewright:arm:m4 \
        -hardware test/gen/package/arduino -tools /usr/bin \
        -hardware /usr/share/arduino-builder -libraries "$tmp/lib" \
        -build-path "$tmp/built" "$tmp/lib/kws/examples/selftest/selftest.ino"
    run=$(timeout 60 qemu-system-arm -M mps2-an386 -display none \
        -monitor none -serial none -semihosting-config \
        enable=on,target=native -kernel "$tmp/built/selftest.ino.elf" 2>&1)
    [ "$run" = "kws: self-test passed" ] || fail "arduino: $run"
    said="Arduino's builder made one"
fi

make_package cmsis-pack cortex-m4
python3 - "$tmp/cmsis-pack" <<'END' || fail "cmsis-pack"
import glob, sys, zipfile
from xml.etree import ElementTree
pdsc = ElementTree.parse(glob.glob(sys.argv[1] + "/*.pdsc")[0]).getroot()
pack = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.pack")[0])
for tag in "vendor", "name", "description", "url", "releases":
    assert pdsc.find(tag) is not None, tag
files = [f.get("name") for f in pdsc.iter("file")]
names = pack.namelist()
for f in files:
    assert any(n == f or n.startswith(f) and f[-1] == "/" for n in names), f
assert pdsc.find(".//require").get("Dcore") == "Cortex-M4"
sources = [n for n in names if n.startswith("src/") and n.endswith(".c")]
assert sorted(sources) == sorted(f for f in files if f.startswith("src/")
                                 and f.endswith(".c"))
END

./tilewright compile zoo/dscnn-int/network.onnx -q -t gap8 --package cmake \
    -o "$tmp/no" 2>/dev/null && fail "a package for a cluster"
./tilewright compile zoo/dscnn-int/network.onnx -q -t host --package cmaek \
    -o "$tmp/no" 2>/dev/null && fail "a package of no kind"
[ ! -e "$tmp/no" ] || fail "a refused package is there"
echo "6 packages, three ran; $said"
