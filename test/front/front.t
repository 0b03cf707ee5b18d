#!/bin/sh
# front.t [-u]: what ONNX models come to, and every error, against the answer
# that each file of test/front carries behind `# >>> want`; -u accepts.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/front || exit 1
# external data: 0 1.5 -2, and a link out of the folder
printf '\0\0\0\0\0\0\300\077\0\0\0\300' >build/test/weights.bin
ln -sf /etc/hostname build/test/link.bin
passed=0 failed=0 models=0
for f in test/front/*.txt; do
    build/test/front "$f" 2>&1 | sed 's/^/# /;s/ $//' >build/test/front.is
    if [ "$1" = -u ]; then
        { sed '/^# >>> want/,$d' "$f"; echo '# >>> want'
          cat build/test/front.is; } >build/test/front.new
        cp build/test/front.new "$f"
    fi
    sed '1,/^# >>> want/d' "$f" >build/test/front.want
    models=$((models + 1 + $(grep -c '^# ---' build/test/front.want)))
    if [ -s build/test/front.want ] &&
        diff build/test/front.want build/test/front.is; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $f"
    fi
done
echo "$models models in $passed files as wanted, $failed files not"
[ $failed = 0 ]
