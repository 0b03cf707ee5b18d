#!/bin/sh
# Plans changed at random: every change of meaning must be rejected; and those of a
# plan in which weights are copied before they are read.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/verify || exit 1
bad=0
for t in host cortex-m7; do
    build/test/verify $t ${SEED:-1} 300 || bad=1
done
d=build/test/verify-copies
mkdir -p $d
printf '%s\n' 'include cortex-m7' 'chip tiny about=""' 'cache data size=64' \
    'memory FLASH fill=9000' >$d/tiny.soc
python3 - >$d/net.nn <<'END'
def const(name, type, shape, text):
    print(f"{name} = const : {type}[{shape}] #{text}")
def conv(name, x, c, m):
    const('w' + name, 's8', f'{m},1,1,{c}', '01' * c * m)
    const('b' + name, 's32', m, '05000000' * m)
    const('m' + name, 's32', m, '20a10700' * m)
    const('a' + name, 's32', m, '00000010' * m)
    print(f"{name} = conv {x} w{name} b{name} m{name} a{name} group=1 last=1"
          " shift=30 lo=-128 hi=127")
print('graph "net" exact')
print('x = input : s8[1,8,16,16] range -128 127')
conv('r', 'x', 16, 16)
conv('s', 'r', 16, 64)
print('output s')
END
build/test/verify $d/tiny.soc ${SEED:-1} 40 $d/net.nn || bad=1
exit $bad
