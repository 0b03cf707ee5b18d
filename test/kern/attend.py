"""attend.py DIR SEED COUNT: attention of integers drawn at random, with masks of
all kinds (test/kern/attend.t): DIR/NUMBER.il, of EACH operators or fewer."""
import math
import os
import random
import re
import sys

EACH = 8

rng = random.Random(int(sys.argv[2]))


def const(name, shape, kind, values):
    return '%s = const : %s[%s] {%s}' % (name, kind, shape,
                                         ','.join(map(str, values)))


def side(name, heads, rows, width, first):
    shape = (rows, heads, width) if first else (heads, rows, width)
    return '%s = input : s8[1,%d,%d,%d]' % (name, *shape)


def mask(heads, rows, keys, bound, both=False):
    """Of each head and row or of all; of later keys, of the last, some, all of
    some rows, or any."""
    heads, rows = rng.choice((1, 1, heads)), rng.choice((rows, rows, 1))
    shown, hidden = (127, -128) if bound else (0, -128)
    kind = rng.choice(('later', 'last', 'some', 'rows', 'any'))
    return const('mask', '%d,%d,%d' % (heads, rows, keys), 's8', [
        rng.randint(-128, 127) if kind == 'any' else
        rng.choice((shown, hidden)) if kind == 'some' else
        (shown, hidden)[i % 3 == 1] if kind == 'rows' else
        hidden if j > (i if kind == 'later' else keys * 2 // 3) else
        rng.randint(-60, 60) if both else shown
        for _ in range(heads) for i in range(rows) for j in range(keys)])


def attend():
    heads, m = rng.randint(1, 6), rng.randint(2, 40)
    n = rng.choice((m, 4 * rng.randint(8, 20), rng.randint(4, 60)))
    d, e = rng.choice((rng.randint(1, 20), 32)), rng.randint(1, 20)
    p2, divided, kind = rng.choice((0, 7)), rng.random() < .6, rng.random()
    bound, slope = divided and rng.random() < .5, rng.choice((3, 9, 40))
    both = kind < .8 and not bound and rng.random() < .5
    least = rng.choice((-128, -128, -90))
    lines = [side('q', heads, m, d, p2), side('k', heads, n, d, p2),
             side('v', heads, n, e, p2),
             const('scores', 256, 's8', [max(i, least)
                                         for i in range(-128, 128)])]
    falls = [math.exp((i - 255) / slope) for i in range(256)]
    if divided:
        lines += [const('scale', 4, 's32', [300 // d + 1, 1 << 15, 10 ** 9,
                                            rng.randint(-20, 20)]),
                  const('powers', 256, 'u8', [round(255 * x) for x in falls])]
    else:
        lines += [const('scale', 4, 's32', [300 // d + 1, 1 << 15, 400,
                                            1 << 15]),
                  const('powers', 256, 's32', [round(2000 * x) for x in falls]),
                  const('parts', 256, 'u8', range(256))]
    if kind < .8:
        lines.append(mask(heads, m, n, bound, both))
    lines += ['y = iattend q k v scale scores powers %s%s p2=%d p0=16 shift=%d '
              'p1=255 lo=-128 hi=127%s' % (
                  '_' if divided else 'parts', ' mask' if kind < .8 else '',
                  p2, 29 if divided else 16,
                  ' mode=1' if bound else ' mode=4' if both else ''),
              'output y']
    return lines


def quotients():
    """Weights that are rounded quotients, of operands with zero points."""
    heads, m = rng.randint(1, 6), rng.randint(2, 40)
    n = rng.choice((m, rng.randint(4, 8), rng.randint(4, 90)))
    d, e, p2 = rng.randint(1, 20), rng.randint(1, 20), rng.choice((0, 7))
    slope, most = rng.choice((2, 9, 40)), rng.choice((2**31 - 1, 2**31 - 1, 99))
    kind = 's32' if most > 255 else rng.choice(('s32', 'u8'))
    shift, least = rng.choice((16, 37, 40)), rng.choice((-128, -128, -90))
    lines = [side('q', heads, m, d, p2), side('k', heads, n, d, p2),
             side('v', heads, n, e, p2),
             const('scores', 256, 's8', [max(i, least)
                                         for i in range(-128, 128)]),
             const('scale', 4, 's32', [
                 min(2**31 - 1, round(2**shift / rng.randint(2, 300) / d)),
                 rng.randint(-20, 20),
                 min(2**31 - 1, round(2**shift / rng.randint(100, 900))),
                 rng.randint(-20, 20)]),
             const('powers', 256, kind, [
                 round(most * math.exp((i - 255) / slope))
                 for i in range(256)])]
    zero = rng.choice(('', ' zero=%d,%d,%d' % tuple(
        rng.randint(-128, 127) for _ in range(3))))
    by = rng.choice(('', '', ' p4=%d' % rng.randint(2**24, 2**27)))
    mode, masked = rng.choice(((2, False), (2, True), (3, True), (3, True)))
    if masked:
        lines.append(mask(heads, m, n, True))
    lines += ['y = iattend q k v scale scores powers%s p2=%d p0=%d shift=%d '
              'p1=%d lo=-128 hi=127 mode=%d%s%s' % (
                  ' _ mask' if masked else '', p2, shift, shift,
                  rng.choice((255, 256, 100)), mode,
                  rng.choice(('', ' p3=21', ' p3=%d' % round(255 / n)))
                  if mode == 3 else '', zero + by),
              'output y']
    return lines


def few():
    """Of four to eight keys: factors of results whose products are short, or
    not; powers are weights or have a table."""
    heads, m, n = rng.randint(1, 12), rng.randint(1, 12), rng.randint(4, 8)
    d, e, p2 = 8 * rng.randint(1, 4), 4 * rng.randint(1, 9), rng.choice((0, 7))
    slope, kind = rng.choice((9, 40)), rng.choice(('s8', 'u8', 'divided'))
    divided, long = kind == 'divided', rng.random() < .5
    falls = [math.exp((i - 255) / slope) for i in range(256)]
    shift = (50 if long else 29) if divided else 24 if long else 16
    lines = [side('q', heads, m, d, p2), side('k', heads, n, d, p2),
             side('v', heads, n, e, p2),
             const('scores', 256, 's8', [rng.randint(-128, 127)
                                         for _ in range(256)]),
             const('scale', 4, 's32', [300 // d + 1, 1 << 15] + (
                 [10 ** 9, rng.randint(-20, 20)] if divided else
                 [400 << shift - 16, 1 << shift - 1]))]
    if divided:
        lines.append(const('powers', 256, 'u8', [round(255 * x)
                                                 for x in falls]))
    else:
        lines += [const('powers', 256, 's32', [round(700 * x) for x in falls]),
                  const('parts', 256, kind,
                        [i // 2 if kind == 's8' else i for i in range(256)])]
    return lines + ['y = iattend q k v scale scores powers %s p2=%d p0=16 '
                    'shift=%d p1=255 lo=-128 hi=127' % (
                        '_' if divided else 'parts', p2, shift), 'output y']


def own(line, i):
    """Its names with the operator's number behind."""
    return re.sub(r'\b(q|k|v|y|mask|parts|powers|scale|scores)\b(?!=)',
                  r'\g<1>%d' % i, line)


count = int(sys.argv[3])
for i in range(0, count, EACH):
    with open(os.path.join(sys.argv[1], '%02d.il' % i), 'w') as f:
        f.write('graph "attend" exact\n')
        for j in range(i, min(i + EACH, count)):
            f.write('\n'.join(own(line, j) for line in rng.choice(
                (attend, attend, quotients, few))()) + '\n')
