#!/bin/sh
# The page names every operator there is: doc/il.md.
cd "$(dirname "$0")/../.." || exit 1
missing=0 count=0
for op in $(sed -n 's/^OP(\([a-z0-9]*\),.*/\1/p' src/ir/op.def); do
    count=$((count + 1))
    # the name as the first word of a code span, or among several
    grep -q "^| \`[^|]*\<$op\>" doc/il.md && continue
    missing=$((missing + 1))
    echo "doc/il.md does not say what $op means"
done
echo "$((count - missing)) of $count operators described"
[ $missing = 0 ] && [ $count -gt 100 ]
