"""forms.py DIR: attention in the forms in which exporters write it, small, in
integers, a text form each (test/pass/forms.t)."""
import math
import os
import random
import sys

S, T, E, H, P = 12, 9, 16, 4, 8  # rows, rows of another, elements, heads of P


class Text:
    """Lines of a text form; each method adds one and returns its value."""

    def __init__(self, name, divided):
        self.name, self.divides = name, divided
        self.line, self.n = ['graph "%s" exact' % name], 0
        self.rng = random.Random(7)

    def add(self, text, *args):
        self.n += 1
        self.line.append('v%d = ' % self.n + text % args)
        return 'v%d' % self.n

    def const(self, kind, shape, values):
        return self.add('const : %s[%s] {%s}', kind, commas(shape),
                        commas(values))

    def input(self, name, *shape):
        self.line.append('%s = input : s8[%s]' % (name, commas(shape)))
        return name

    def drawn(self, kind, most, *shape):
        n = 1
        for i in shape:
            n *= i
        return self.const(kind, shape,
                          [self.rng.randint(-most, most) for _ in range(n)])

    def scale(self, x, mul):
        return self.add('requant %s %s %s lo=-128 hi=127 shift=16', x,
                        self.const('s32', (), [mul]),
                        self.const('s32', (), [1 << 15]))

    def linear(self, x, columns, depth=E, mul=200):
        return self.scale(self.add(
            'matmul %s %s %s transb=1', x,
            self.drawn('s8', 100, columns, depth),
            self.drawn('s32', 3000, columns)), mul)

    def reshape(self, x, *shape):
        return self.add('reshape %s shape=%s', x, commas(shape))

    def transpose(self, x, *perm):
        return self.add('transpose %s perm=%s', x, commas(perm))

    def parts(self, x, shape, axis, count):
        """As many equal parts of x along an axis."""
        some = list(shape)
        some[axis] //= count
        return [self.add('slice %s start=%s step=%s count=%s', x,
                         commas([i * some[axis] if k == axis else 0
                                 for k in range(len(some))]),
                         commas([1] * len(some)), commas(some))
                for i in range(count)]

    def heads(self, x, perm=(0, 2, 1, 3), rows=S, heads=H):
        return self.transpose(self.reshape(x, 1, rows, heads, P), *perm)

    def attention(self, q, kt, v, mask=None, bound=False, bias=None):
        a = self.scale(self.add('matmul %s %s', q, kt), 700)
        if bias:
            a = self.add('add %s %s lo=-128 hi=127', a, bias)
        if bound:
            a = self.add('min %s %s', mask, a)
        elif mask:
            a = self.add('add %s %s lo=-128 hi=127', a, mask)
        if self.divides:
            return self.divided(a, v)
        a = self.add('isoftmax %s p0=1 p1=43 p2=982 p3=22 hi=255', a)
        return self.scale(self.add('matmul %s %s', a, v), 300)

    def divided(self, a, v):
        """As `quantize` has it: by the sum of a row's weights."""
        w = self.add('powers %s %s', a, self.const(
            'u8', (256,), [round(255 * math.exp(-i / 20)) for i in range(256)]))
        n = self.add('sum %s axes=-1 keep=1', w)
        return self.add(
            'mul %s %s %s %s lo=-128 hi=127 shift=28',
            self.add('matmul %s %s', w, v),
            self.add('div %s %s', self.const('s32', (), [700000000]), n),
            self.const('s32', (), [1]), self.const('s64', (), [-5 << 27]))

    def end(self, y, *perm, batch=1):
        y = self.transpose(y, *(perm or (0, 2, 1, 3)))
        y = self.reshape(y, batch, S, H * P)
        self.line.append('output ' + self.linear(y, E, H * P, 100))


def commas(list_):
    return ','.join(map(str, list_))


def three(t, columns=H * P, rows=S, batch=1):
    x = t.input('x', batch, rows, E)
    return [t.linear(x, columns) for _ in range(3)]


def separate(t, mask=None, scale=False, bound=False, bias=None):
    q, k, v = three(t)
    if scale:
        q = t.scale(q, 40000)
    t.end(t.attention(t.heads(q), t.heads(k, (0, 2, 3, 1)), t.heads(v), mask,
                      bound, bias))


def twice(t):
    """Keys are transposed twice."""
    q, k, v = map(t.heads, three(t))
    t.end(t.attention(q, t.transpose(k, 0, 1, 3, 2), v))


def scaled(t):
    separate(t, scale=True)


def masked(t):
    separate(t, t.const('s8', (1, 1, S, S),
                        [-128 * (k > i) for i in range(S) for k in range(S)]))


def padded(t):
    """A mask of keys alone."""
    separate(t, t.const('s8', (1, 1, 1, S), [0] * (S - 2) + [-128] * 2))


def told(t):
    """The same, given at run time."""
    separate(t, t.input('mask', 1, 1, 1, S))


def each(t):
    """A mask of each head."""
    separate(t, t.drawn('s8', 100, 1, H, S, S))


def each_told(t):
    separate(t, t.input('mask', H, S, S))


def each_keys(t):
    """A mask of keys alone, of each head."""
    separate(t, t.drawn('s8', 100, 1, H, 1, S))


def bounded(t):
    """Scores of what is hidden are the least."""
    separate(t, t.const('s8', (S, S), [-128 if k > i else 127
                                       for i in range(S) for k in range(S)]),
             bound=True)


def bounded_told(t):
    separate(t, t.input('mask', 1, 1, 1, S), bound=True)


def bounded_each(t):
    separate(t, t.input('mask', 1, H, S, S), bound=True)


def biased(t):
    """A bias of each head, and later keys are the least."""
    separate(t, t.const('s8', (S, S), [-128 if k > i else 127
                                       for i in range(S) for k in range(S)]),
             bound=True, bias=t.drawn('s8', 100, 1, H, S, S))


def biased_told(t):
    """The same of what bits say."""
    t.line.append('seen = input : b8[1,1,1,%d]' % S)
    separate(t, t.add('where seen %s %s', t.const('s8', (), [127]),
                      t.const('s8', (), [-128])),
             bound=True, bias=t.drawn('s8', 100, S, S))


def axis(t):
    """q, k and v packed: an axis of three, which goes to the front."""
    p = t.linear(t.input('x', 1, S, E), 3 * H * P)
    p = t.transpose(t.reshape(p, 1, S, 3, H, P), 2, 0, 3, 1, 4)
    q, k, v = (t.reshape(i, 1, H, S, P)
               for i in t.parts(p, (3, 1, H, S, P), 0, 3))
    t.end(t.attention(q, t.transpose(k, 0, 1, 3, 2), v))


def columns(t):
    """Packed side by side."""
    p = t.linear(t.input('x', 1, S, E), 3 * H * P)
    q, k, v = map(t.heads, t.parts(p, (1, S, 3 * H * P), 2, 3))
    t.end(t.attention(q, t.transpose(k, 0, 1, 3, 2), v))


def by_head(t):
    """Packed in each head."""
    p = t.linear(t.input('x', 1, S, E), 3 * H * P)
    p = t.transpose(t.reshape(p, 1, S, H, 3 * P), 0, 2, 1, 3)
    q, k, v = t.parts(p, (1, H, S, 3 * P), 3, 3)
    t.end(t.attention(q, t.transpose(k, 0, 1, 3, 2), v))


def rows_first(t):
    """Packed, rows before the batch, heads of three axes."""
    p = t.linear(t.input('x', S, 1, E), 3 * H * P)
    p = t.transpose(t.reshape(p, 1, S, 1, 3, H * P), 3, 1, 2, 0, 4)
    q, k, v = (t.transpose(t.reshape(i, S, H, P), 1, 0, 2)
               for i in t.parts(p, (3, S, 1, 1, H * P), 0, 3))
    t.end(t.attention(q, t.transpose(k, 0, 2, 1), v), 1, 0, 2)


def cross(t):
    """Keys and values of another, packed."""
    q = t.linear(t.input('x', 1, S, E), H * P)
    p = t.linear(t.input('z', 1, T, E), 2 * H * P)
    p = t.transpose(t.reshape(p, 1, T, 2, H, P), 2, 0, 3, 1, 4)
    k, v = (t.reshape(i, 1, H, T, P) for i in t.parts(p, (2, 1, H, T, P), 0, 2))
    t.end(t.attention(t.heads(q), t.transpose(k, 0, 1, 3, 2), v))


def grouped(t, heads):
    x = t.input('x', 1, S, E)
    q, k, v = t.linear(x, H * P), t.linear(x, heads * P), t.linear(x, heads * P)
    return t.heads(q), *(t.heads(i, heads=heads) for i in (k, v))


def repeated(t, mask=None):
    """Two heads of keys and values, repeated."""
    q, *kv = grouped(t, 2)
    k, v = (t.reshape(t.add('expand %s shape=1,2,2,%d,%d',
                            t.reshape(i, 1, 2, 1, S, P), S, P), 1, H, S, P)
            for i in kv)
    t.end(t.attention(q, t.transpose(k, 0, 1, 3, 2), v, mask))


def repeated_masked(t):
    repeated(t, t.input('mask', S, S))


def repeated_keys(t):
    repeated(t, t.input('mask', S))


def repeated_each(t):
    repeated(t, t.drawn('s8', 100, H, S, S))


def broadcast(t):
    """Two heads of keys and values, an axis for those that share one."""
    q, *kv = grouped(t, 2)
    k, v = (t.reshape(i, 1, 2, 1, S, P) for i in kv)
    y = t.attention(t.reshape(q, 1, 2, 2, S, P),
                    t.transpose(k, 0, 1, 2, 4, 3), v)
    t.end(t.reshape(y, 1, H, S, P))


def one_of_keys(t):
    """One head of keys and values."""
    q, k, v = grouped(t, 1)
    t.end(t.attention(q, t.transpose(k, 0, 1, 3, 2), v))


def one_head(t):
    q, k, v = three(t)
    y = t.attention(q, t.transpose(k, 0, 2, 1), v)
    t.end(y, 0, 1, 2)


def batch(t, mask=None):
    q, k, v = (t.transpose(t.reshape(i, 2, S, H, P), 0, 2, 1, 3)
               for i in three(t, batch=2))
    t.end(t.attention(q, t.transpose(k, 0, 1, 3, 2), v, mask), batch=2)


def batch_masked(t):
    """A mask of keys alone, of each of the batch."""
    batch(t, t.input('mask', 2, 1, 1, S))


FORMS = (separate, twice, scaled, masked, padded, told, each, each_told,
         each_keys, axis, columns, by_head, rows_first, cross, repeated,
         repeated_masked, repeated_keys, repeated_each, broadcast, one_of_keys,
         one_head, batch, batch_masked)
DIVIDED = (separate, twice, masked, told, each, bounded, bounded_told,
           bounded_each, biased, biased_told, rows_first, cross, repeated, repeated_each, broadcast,
           one_of_keys, one_head, batch_masked)
for form, divided in ([(f, False) for f in FORMS] +
                      [(f, True) for f in DIVIDED]):
    text = Text(form.__name__ + '_divided' * divided, divided)
    form(text)
    with open(os.path.join(sys.argv[1], text.name + '.il'), 'w') as f:
        f.write('\n'.join(text.line) + '\n')
