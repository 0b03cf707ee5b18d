"""Random layers that an accelerator may compute, as a graph in text form: one input, one output each.

    neureka.py SEED COUNT TYPE... >NET.txt      inputs have these types
KINDS, in the environment, are those of which they are.
"""
import os
import random
import sys

rnd = random.Random(int(sys.argv[1]))
lines, outs = ['graph "layers" exact'], []


def const(name, kind, shape, values):
    lines.append('%s = const : %s[%s] {%s}' % (
        name, kind, ','.join(map(str, shape)), ','.join(map(str, values))))


def weights(name, shape, bits):
    n = 1
    for d in shape:
        n *= d
    lo = rnd.randint(-128, 128 - (1 << bits))
    const(name, 's8', shape,
          [rnd.randrange(lo, lo + (1 << bits)) for _ in range(n)])
    return n // shape[0] if len(shape) > 2 or shape[0] > shape[1] else n


def epilogue(i, m, most, shift, shape):
    one = rnd.random() < 0.3
    n = 1 if one else m
    const('m%s' % i, 's32', [n] if one else shape,
          [rnd.randint(-most // 9, most) for _ in range(n)])
    const('a%s' % i, 's32', shape, [rnd.randint(-1 << 28, 1 << 28)
                                    for _ in range(m)])
    lo, hi = rnd.choice([(0, 255), (-128, 127)])
    return 'm%s a%s' % (i, i), 'lo=%d hi=%d shift=%d' % (lo, hi, shift)


def wide_epilogue(i, m, shape, most):
    """Of sums up to `most`, of which the accelerator makes sums of 32 bits and
    cores what the network wants: rounded once or twice, with shifts that differ,
    or addends that have lower bits."""
    twice, differ = rnd.random() < 0.5, rnd.random() < 0.5
    odd = not twice and rnd.random() < 0.3
    lo, hi = rnd.choice([(0, 255), (-128, 127), (-128, 127), (3, 90)])
    least = max(32, 23 + most.bit_length())
    shift = [rnd.randint(least, least + 5) for _ in range(m)]
    if not differ:
        shift = shift[:1] * m
    const('m%s' % i, 's32', shape,
          [rnd.randint(1 << 30, (1 << 31) - 1) for _ in range(m)])
    const('a%s' % i, 's64', shape,
          [(rnd.randint(lo, hi) << n) + (1 << n - 1) + (1 << 30 if twice else 0)
           + (rnd.randint(-999, 999) if odd else 0) for n in shift])
    scale, attrs = 'm%s a%s' % (i, i), 'lo=%d hi=%d round=%d' % (lo, hi, twice)
    if not differ:
        return scale, attrs + ' shift=%d' % shift[0]
    const('s%s' % i, rnd.choice(['s8', 's32']), shape, shift)
    return scale + ' s%s' % i, attrs


def epilogue_type(attrs):
    return 's8' if attrs.startswith('lo=-') else 'u8'


def forward(i):
    """A product, a look-up, a product: cores and the accelerator in turns."""
    rows, k, m = rnd.randint(20, 140), rnd.randint(16, 90), rnd.randint(90, 256)
    lines.append('x%d = input : %s[%d,%d]' % (i, rnd.choice(sys.argv[3:]),
                                              rows, k))
    const('t%d' % i, sys.argv[3], [256],
          [rnd.randint(0, 127) for _ in range(256)])
    x = 'x%d' % i
    for j, (a, b) in enumerate([(k, m), (m, k)]):
        n = '%d_%d' % (i, j)
        weights('w' + n, [a, b], rnd.randint(2, 8))
        const('m' + n, 's32', [b], [rnd.randint(1, 99) for _ in range(b)])
        const('a' + n, 's32', [b], [rnd.randint(-1 << 20, 1 << 20)
                                    for _ in range(b)])
        lines.append('y%s = matmul %s w%s _ m%s a%s lo=0 hi=255 shift=%d' % (
            n, x, n, n, n, rnd.randint(12, 18)))
        x = 'g%d' % i
        if not j:
            lines.append('%s = gather t%d y%s axis=0' % (x, i, n))
    outs.append('y' + n)


def residual(i):
    """Layers and a sum, with signs between them."""
    h, w, c = rnd.randint(3, 9), rnd.randint(3, 9), 4 * rnd.randint(1, 12)
    lines.append('x%d = input : %s[1,%d,%d,%d]' % (
        i, rnd.choice(sys.argv[3:]), h, w, c))
    x, results = 'x%d' % i, []
    for j, side in enumerate([1, 3, 1]):
        n = '%d_%d' % (i, j)
        weights('w' + n, [c, side, side, c], rnd.randint(2, 8))
        scale, attrs = wide_epilogue(n, c, [c], side * side * c * 255 * 128)
        lines.append('y%s = conv %s w%s _ %s pad=%s last=1 padvalue=-9 %s' % (
            n, x, n, scale, ','.join([str(side // 2)] * 4), attrs))
        results.append('y' + n)
        x = results[-1]
        if j == 1:
            const('c%d' % i, 's32', [1], [rnd.randint(-1 << 20, 1 << 20)])
            x = 'z%d' % i
            lines.append('%s = wadd %s %s c%d p0=%d p1=%d shift=16 lo=-128 '
                         'hi=127' % (x, *results, i, rnd.randint(1, 65535),
                                     rnd.randint(1, 65535)))
    outs.append(x)


def shortcut(i):
    """A layer of whole words of channels, and a sum with an input, of one scale;
    or both side by side."""
    h, w, side = rnd.randint(4, 20), rnd.randint(4, 20), rnd.choice([1, 1, 3])
    c, m = rnd.randint(1, 200), 32 * rnd.randint(1, 3)
    scale, attrs = epilogue('%d_0' % i, m,
                            max(1, (1 << 29) // (side * side * c * 255 * 128)),
                            rnd.randint(8, 24), [m])
    kind = epilogue_type(attrs)
    x = put_input(i, 0, rnd.choice(sys.argv[3:]), [1, h, w, c])
    r = put_input(i, 1, kind, [1, h, w, m])
    weights('w%d' % i, [m, side, side, c], rnd.randint(1, 8))
    lines.append('t%d = conv %s w%d _ %s pad=%s last=1 padvalue=%d %s' % (
        i, x, i, scale, ','.join([str(side // 2)] * 4), rnd.randint(0, 9), attrs))
    two = ' '.join(rnd.sample(['t%d' % i, r], 2))
    if m == 32 and rnd.random() < 0.6:
        lines.append('y%d = concat %s axis=3' % (i, two))
    else:
        const('n%d' % i, 's32', [1], [rnd.randint(1, 65535)])
        const('o%d' % i, 's32', [1], [rnd.randint(-1 << 20, 1 << 20)])
        lines.append('y%d = add %s n%d o%d shift=%d %s' % (
            i, two, i, i, rnd.randint(8, 17),
            rnd.choice(['lo=0 hi=255', 'lo=-128 hi=127'])))
    outs.append('y%d' % i)
    if rnd.random() < 0.2:
        outs.append('t%d' % i)  # another reader


def product_epilogue(i, k, m):
    """Of m sums of k products."""
    if rnd.random() < 0.3:
        return wide_epilogue(i, m, [m], k * 255 * 128)
    return epilogue(i, m, max(1, (1 << 29) // (k * 255 * 128)),
                    rnd.randint(8, 24), [m])


def vector(i):
    """A product of one row, of few bits."""
    k, m = rnd.randint(9, 700), rnd.randint(1, 130)
    transb, bits = rnd.random() < 0.5, rnd.randint(1, 8)
    x = put_input(i, 0, rnd.choice(sys.argv[3:]), [1, k])
    weights('w%d' % i, [m, k] if transb else [k, m], bits)
    scale, attrs = product_epilogue(i, k, m)
    lines.append('y%d = matmul %s w%d _ %s transb=%d %s' % (
        i, x, i, scale, transb, attrs))
    outs.append('y%d' % i)


def put_input(i, j, kind, shape):
    """Input j of layer i."""
    name = 'x%d' % (100000 * (j + 1) + i)
    lines.append('%s = input : %s[%s]' % (name, kind,
                                          ','.join(map(str, shape))))
    return name


def products(i):
    """Heads of a product of two values."""
    heads, m = rnd.choice([[], [1], [2], [2, 2], [3]]), rnd.randint(9, 40)
    rows, k = rnd.randint(20, 90), rnd.randint(9, 70)
    transb = rnd.random() < 0.5
    x = put_input(i, 0, rnd.choice(sys.argv[3:]), heads + [rows, k])
    w = put_input(i, 1, 's8', heads + ([m, k] if transb else [k, m]))
    scale, attrs = product_epilogue(i, k, m)
    lines.append('y%d = matmul %s %s _ %s transb=%d %s' % (
        i, x, w, scale, transb, attrs))
    outs.append('y%d' % i)


def attention(i):
    """Weights that are powers, or the greatest halved."""
    heads, m, n = rnd.randint(1, 4), rnd.randint(12, 60), rnd.randint(12, 60)
    d, e, rows_first = rnd.randint(4, 40), rnd.randint(4, 40), rnd.choice([0, 7])
    sides = [put_input(i, j, 's8', [1, rows, heads, of] if rows_first else
                       [1, heads, rows, of])
             for j, (rows, of) in enumerate([(m, d), (n, d), (n, e)])]
    mul, halves = rnd.randint(1, (1 << 29) // (d << 14)), rnd.random() < 0.5
    p0 = max(1, (d * mul << 4).bit_length() - rnd.randint(0, 3))
    scores = [x - 128 for x in range(256)]
    if rnd.random() < 0.3:
        scores = [max(-128, min(127, x * 3 // 2 - rnd.randint(0, 9)))
                  for x in scores]
    const('s%d' % i, 's8', [256], sorted(scores))
    parts, shift = '_', rnd.randint(16, 29)
    if halves:
        const('p%d' % i, 's32', [256],
              [256 >> (255 - t + 16 >> 5) for t in range(256)])
        const('q%d' % i, 'u8', [256], range(256))
        parts, shift = 'q%d' % i, rnd.randint(8, 14)
        scale = [mul, rnd.randint(-99, 99), rnd.randint(1, 99),
                 rnd.randint(-999, 999)]
    else:
        by = rnd.randint(8, 40)
        const('p%d' % i, 'u8', [256],
              [int(255 * 2 ** ((t - 255) / by)) for t in range(256)])
        scale = [mul, 0, rnd.randint(1 << shift, (1 << shift + 1) - 1),
                 rnd.randint(-20, 20)]
    const('c%d' % i, 's32', [4], scale)
    lines.append('y%d = iattend %s c%d s%d p%d %s p0=%d p1=255 p2=%d shift=%d '
                 'lo=-128 hi=127' % (i, ' '.join(sides), i, i, i, parts, p0,
                                     rows_first, shift))
    outs.append('y%d' % i)


def small_heads(i):
    """Heads of few channels, which share a job; weights are parts, most with a
    mask that is causal or of a length."""
    heads, n, d = rnd.choice([4, 6, 8, 16]), 4 * rnd.randint(12, 20), 4
    m, e, rows_first = rnd.choice([n, 40]), rnd.choice([3, 4, 8]), \
        rnd.choice([0, 1, 7])
    sides = [put_input(i, j, 's8', [1, rows, heads, of] if rows_first >> j & 1
                       else [1, heads, rows, of])
             for j, (rows, of) in enumerate([(m, d), (n, d), (n, e)])]
    by, most, step = rnd.randint(4, 40), rnd.choice([90, 900, 6000]), \
        rnd.randint(1, 2)
    const('s%d' % i, 's8', [256], [(x - 128) // step for x in range(256)])
    const('p%d' % i, 's32', [256],
          [int(most * 2 ** ((t - 255) / by)) for t in range(256)])
    const('q%d' % i, 's8', [256], [min(127, t * 5 // 4) for t in range(256)])
    const('c%d' % i, 's32', [4], [rnd.randint(90, 900), rnd.randint(-99, 99),
                                  rnd.randint(1, 40), rnd.randint(-999, 999)])
    mask = rnd.choice(['', 'causal', 'length'])
    if mask:
        shown = rnd.randint(1, n)
        rows = m if mask == 'causal' else 1
        const('k%d' % i, 's8', [1, rows, n],
              [0 if j <= (r * n // m if rows > 1 else shown) else -128
               for r in range(rows) for j in range(n)])
    lines.append('y%d = iattend %s c%d s%d p%d q%d %s p0=16 p1=255 p2=%d '
                 'shift=12 lo=-128 hi=127' % (
                     i, ' '.join(sides), i, i, i, i, 'k%d' % i if mask else '',
                     rows_first))
    outs.append('y%d' % i)


kinds = os.environ.get('KINDS', '').split()
last = None  # a layer's result that the next may read: name, type, images, h,
             # w, c
for i in range(int(sys.argv[2])):
    kind = rnd.choice(kinds or ['point', 'conv', 'depth', 'matmul', 'strided',
                                'forward', 'residual', 'shortcut', 'products',
                                'attention', 'small_heads', 'vector'])
    if not i and not kinds:
        kind = 'forward' # a unit takes that
    if kind in ('forward', 'residual', 'shortcut', 'products', 'attention',
                'small_heads', 'vector'):
        {'forward': forward, 'residual': residual, 'shortcut': shortcut,
         'products': products, 'attention': attention,
         'small_heads': small_heads, 'vector': vector}[kind](i)
        continue
    c, m = rnd.randint(1, 100), rnd.randint(1, 80)
    h, w, side = rnd.randint(3, 20), rnd.randint(3, 20), 3
    xtype = rnd.choice(sys.argv[3:])
    bits = rnd.randint(1, 8)
    biased, by_row = rnd.random() < 0.3, False
    if kind == 'depth':
        m = c
        c = max(c, 2)
        m = c
    if kind == 'matmul':
        k = rnd.randint(1, 200)
        transb = rnd.random() < 0.5
        rows = [rnd.randint(1, 40)] if rnd.random() < 0.7 else [2, 9]
        by_row = rnd.random() < 0.2 # as many rows as columns
        rows = [m] if by_row else rows
        lines.append('x%d = input : %s[%s]' % (
            i, xtype, ','.join(map(str, rows + [k]))))
        weights('w%d' % i, [m, k] if transb else [k, m], bits)
        taps = k
    else:
        if kind == 'point':
            side = 1
        x, images = 'x%d' % i, rnd.choice([1, 1, 1, 2, 5])
        if last and kind == 'point' and last[1] in sys.argv[3:]:
            x, xtype, images, h, w, c = last
        else:
            lines.append('%s = input : %s[%d,%d,%d,%d]' % (
                x, xtype, images, h, w, c))
        each = 1 if kind == 'depth' else c
        weights('w%d' % i, [m, side, side, each], bits)
        taps = side * side * each
    shape = [m, 1] if by_row else [m]
    if rnd.random() < 0.4:
        scale, attrs = wide_epilogue(i, m, shape, taps * 255 * 128)
    else:
        scale, attrs = epilogue(i, m, max(1, (1 << 29) // (taps * 255 * 128)),
                                rnd.randint(8, 24), shape)
    bias = '_'
    if biased:
        const('b%d' % i, 's32', [m], [rnd.randint(-500, 500)
                                      for _ in range(m)])
        bias = 'b%d' % i
    if kind == 'matmul':
        lines.append('y%d = matmul x%d w%d %s %s transb=%d %s' % (
            i, i, i, bias, scale, transb, attrs))
    else:
        pads = [rnd.randint(0, 1) for _ in range(4)] if side == 3 else [0] * 4
        step = 2 if kind == 'strided' or rnd.random() < 0.1 else 1
        group = c if kind == 'depth' or (kind == 'strided' and
                                         each == 1) else 1
        lines.append('y%d = conv %s w%d %s %s stride=%d,%d pad=%s group=%d '
                     'last=1 padvalue=%d %s' % (
                         i, x, i, bias, scale, step, step,
                         ','.join(map(str, pads)), group,
                         rnd.choice([0, 0, 7]), attrs))
        last = ('y%d' % i, epilogue_type(attrs), images,
                (h + pads[0] + pads[2] - side) // step + 1,
                (w + pads[1] + pads[3] - side) // step + 1, m)
    outs.append('y%d' % i)
lines += ['output %s' % o for o in outs]
print('\n'.join(lines))
