#!/usr/bin/env python3
"""Runs integer networks of the dialect: an oracle in NumPy.

    tools/dialect.py DIR...      runs DIR/network.onnx on DIR/inputs.npz and
                                 compares with DIR/outputs.npz
As a module: run(path, inputs) gives the outputs, trace() every value.

Every value is an exact integer (int64).  Operators are matched by name only;
attributes may be integers, floats or tensors.  Only what the dialect defines
is here: a float network fails.
"""
import sys
import numpy as np
import onnx
from onnx import numpy_helper

OPS = {}


def op(*names):
    return lambda f: OPS.update({n: f for n in names}) or f


class Node:
    def __init__(self, n):
        self.op, self.x, self.y = n.op_type, n.input, n.output
        self.attrs = {a.name: a for a in n.attribute}

    def __contains__(self, name):
        return name in self.attrs

    def get(self, name, none=None):
        """An attribute as an integer or a list of integers."""
        if name not in self.attrs:
            return none
        v = onnx.helper.get_attribute_value(self.attrs[name])
        if isinstance(v, onnx.TensorProto):
            v = numpy_helper.to_array(v).reshape(-1)[0]
        if isinstance(v, (bytes, str)):
            return v
        return [int(i) for i in v] if np.iterable(v) else int(round(float(v)))


def integers(a, what):
    r = np.rint(a)
    if np.abs(a - r).max(initial=0) > 1e-3:
        raise ValueError('%s: not integers' % what)
    return r.astype(np.int64)


def log2(v):
    assert v > 0 and v & (v - 1) == 0, 'no power of two: %d' % v
    return v.bit_length() - 1


def tdiv(a, b):
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


def isqrt(v):
    r = np.floor(np.sqrt(v.astype(np.float64))).astype(np.int64)
    r -= r * r > v
    return r + ((r + 1) ** 2 <= v)


def signed(v, n):
    return np.clip(v, -n // 2, n // 2 - 1)


@op('RequantShift')
def requant(n, x, mul, add):
    if mul.size > 1 and x.ndim > 2:
        mul, add = (a.reshape((-1,) + (1,) * (x.ndim - 2)) for a in (mul, add))
    elif mul.size == 1:
        mul, add = mul.reshape(()), add.reshape(())
    k, levels = log2(n.get('div')), n.get('n_levels', n.get('n_levels_out'))
    v = x * mul + add
    v = v + (1 << k >> 1) >> k
    return signed(v, levels) if n.get('signed') else np.clip(v, 0, levels - 1)


def windows(n, x, k, fill):
    """x padded, and for each element of the kernel its view: the elements of
    x it meets, one per output position."""
    d = len(k)
    pads, steps = n.get('pads', [0] * 2 * d), n.get('strides', [1] * d)
    gaps = n.get('dilations', [1] * d)
    x = np.pad(x, [(0, 0)] * 2 + list(zip(pads[:d], pads[d:])),
               constant_values=fill)
    out = [(x.shape[2 + i] - (k[i] - 1) * gaps[i] - 1) // steps[i] + 1
           for i in range(d)]
    for at in np.ndindex(*k):
        yield at, x[(slice(None),) * 2 + tuple(
            slice(a * g, a * g + (o - 1) * s + 1, s)
            for a, g, o, s in zip(at, gaps, out, steps))]


@op('Conv')
def conv(n, x, w, b=None):
    group, y = n.get('group', 1), 0
    for at, v in windows(n, x, w.shape[2:], 0):
        v = v.reshape(v.shape[0], group, -1, *v.shape[2:])
        tap = w[(slice(None),) * 2 + at].reshape(group, -1, w.shape[1])
        y = y + np.einsum('ngc...,goc->ngo...', v, tap)
    y = y.reshape(y.shape[0], -1, *y.shape[3:])
    return y if b is None else y + b.reshape((-1,) + (1,) * (y.ndim - 2))


@op('MaxPool')
def maxpool(n, x):
    low = np.iinfo(np.int64).min
    return np.stack([v for _, v in windows(n, x, n.get('kernel_shape'),
                                           low)]).max(axis=0)


@op('Gemm')
def gemm(n, a, b, c=0):
    a = a.swapaxes(-1, -2) if n.get('transA', 0) else a
    b = b.swapaxes(-1, -2) if n.get('transB', 0) else b
    return n.get('alpha', 1) * (a @ b) + n.get('beta', 1) * c


OPS['MatMul'] = lambda n, a, b: a @ b
OPS['Add'] = lambda n, a, b: a + b
OPS['Sub'] = lambda n, a, b: a - b
OPS['Mul'] = lambda n, a, b: a * b
OPS['Identity'] = lambda n, x: x
OPS['Constant'] = lambda n: integers(
    numpy_helper.to_array(n.attrs['value'].t), n.y[0])


def reduced(n, x, axes):
    axes = n.get('axes') if axes is None else list(axes.reshape(-1))
    axes = [axes] if isinstance(axes, int) else axes
    return tuple(axes) if axes is not None else tuple(range(x.ndim))


@op('ReduceSum')
def reducesum(n, x, axes=None):
    return x.sum(axis=reduced(n, x, axes), keepdims=bool(n.get('keepdims', 1)))


@op('ReduceMean', 'IntegerMean')
def reducemean(n, x, axes=None):
    axes = reduced(n, x, axes)
    s = x.sum(axis=axes, keepdims=bool(n.get('keepdims', 1)))
    length = x.size // max(s.size, 1)
    return (2 * s + length) // (2 * length)


@op('iSoftmax')
def isoftmax(n, x):
    a, b, c = (n.get('coeff' + k) for k in 'ABC')
    t = x - x.max(axis=-1, keepdims=True)
    z = -t // n.get('log2')
    p = t + z * n.get('log2')
    y = a * (p + b) ** 2 + c >> np.minimum(z, 31)
    return y * (n.get('n_levels') - 1) // y.sum(axis=-1, keepdims=True)


@op('ITAMax')
def itamax(n, x):
    s = x.max(axis=-1, keepdims=True) - x + 16 >> 5
    total = (256 >> s).sum(axis=-1, keepdims=True)
    return (n.get('n_levels') - 1) * 256 // total >> s


@op('ITAPartialMax')
def itapartial(n, x):
    width = n.get('group_width')
    top = np.full(x.shape[:-1] + (1,), -128)
    acc = np.zeros_like(top)
    for i in range(0, x.shape[-1], width):
        g = x[..., i:i + width]
        m = np.maximum(top, g.max(axis=-1, keepdims=True))
        d = np.where(m > top, m - top + 16 >> 5, 0)
        acc = (acc >> d) + (256 >> (m - g + 16 >> 5)).sum(axis=-1,
                                                          keepdims=True)
        top = m
    inv = (n.get('n_levels') // 2 - 1) * 256 // acc
    return inv >> (top - x + 16 >> 5)


@op('iLayerNorm')
def ilayernorm(n, x, w, b):
    size = x.shape[-1]
    d = x - tdiv(x.sum(axis=-1, keepdims=True), size)
    sd = isqrt((d * d).sum(axis=-1, keepdims=True) // size + 1)
    return signed(tdiv(d * w, sd) + b >> log2(n.get('D')), n.get('n_levels'))


@op('iRMSNorm')
def irmsnorm(n, x, w):
    sd = isqrt((x * x).sum(axis=-1, keepdims=True) // x.shape[-1] + 1)
    return signed(tdiv(x * w, sd) >> log2(n.get('D')), n.get('n_levels'))


@op('iNoNorm')
def inonorm(n, x, w, b):
    return (x * w + b) * n.get('mul') >> log2(n.get('D'))


@op('iGELU')
def igelu(n, x):
    b, one = n.get('b'), n.get('one')
    q = np.minimum(np.abs(x), -b)
    return x * (one + np.sign(x) * (one - (q + b) ** 2) >> 1)


@op('iHardswish')
def ihardswish(n, x):
    return x * (np.clip(x + n.get('three'), 0, n.get('six'))
                * n.get('one_over_six'))


@op('TrueIntegerDiv')
def trueintegerdiv(n, x, y=None):
    y = n.get('y') if y is None else y
    eta = n.get('eta')
    return x * (n.get('Delta') * eta // (y * eta + n.get('eps')))


@op('IntegerDiv')
def integerdiv(n, x, y):
    eta = n.get('eta')
    d = y * eta + n.get('eps')
    return (2 * x * n.get('Delta') * eta + d) // (2 * d)


@op('Pad')
def pad(n, x, pads=None, value=0):
    pads = n.get('pads') if pads is None else pads.reshape(-1)
    value = n.get('value', int(np.reshape(value, -1)[0]))
    return np.pad(x, list(zip(pads[:x.ndim], pads[x.ndim:])),
                  constant_values=value)


@op('Slice')
def slice_(n, x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    at = [slice(None)] * x.ndim
    for s, e, a, step in zip(starts, ends, axes, steps):
        e = None if step < 0 and e < -x.shape[a] else int(e)
        at[int(a)] = slice(int(s), e, int(step))
    return x[tuple(at)]


@op('Reshape')
def reshape(n, x, shape):
    return x.reshape([x.shape[i] if v == 0 else int(v)
                      for i, v in enumerate(shape)])


@op('Squeeze')
def squeeze(n, x, axes=None):
    axes = n.get('axes') if axes is None else axes
    return x.squeeze(None if axes is None else tuple(int(a) for a in axes))


@op('Unsqueeze')
def unsqueeze(n, x, axes=None):
    axes = n.get('axes') if axes is None else axes
    return np.expand_dims(x, tuple(int(a) for a in axes))


@op('Flatten')
def flatten(n, x):
    return x.reshape(int(np.prod(x.shape[:n.get('axis', 1)])), -1)


@op('Concat')
def concat(n, *x):
    return np.concatenate([v for v in x if v.size], axis=n.get('axis'))


@op('Gather')
def gather(n, x, i):
    return np.take(x, i, axis=n.get('axis', 0))


@op('Transpose')
def transpose(n, x):
    return x.transpose(n.get('perm', list(range(x.ndim))[::-1]))


def constants(g):
    return {t.name: integers(numpy_helper.to_array(t), t.name)
            for t in g.initializer}


def trace(model, inputs):
    """Every value by name; nodes run as soon as their operands are there.
    model: a path, or what onnx.load gives for one."""
    g = (onnx.load(model) if isinstance(model, str) else model).graph
    v = constants(g)
    names = [i.name for i in g.input if i.name not in v and
             all(d.dim_value for d in i.type.tensor_type.shape.dim)]
    v.update({k: integers(a, k) for k, a in zip(names, inputs)})
    v.update({i.name: np.zeros(0, np.int64) for i in g.input
              if i.name not in v})
    todo = [Node(n) for n in g.node]
    while todo:
        ready = [n for n in todo if all(x in v or not x for x in n.x)]
        if not ready:
            raise ValueError('a cycle or a missing value')
        for n in ready:
            v[n.y[0]] = OPS[n.op](n, *(v[x] if x else None for x in n.x))
        todo = [n for n in todo if n not in ready]
    return v, [o.name for o in g.output]


def run(model, inputs):
    v, outputs = trace(model, inputs)
    return [v[o] for o in outputs]


def reproduces(d):
    x, y = np.load(d + '/inputs.npz'), np.load(d + '/outputs.npz')
    try:
        got = run(d + '/network.onnx', [x[k] for k in x.files])
    except Exception as e:
        print('%s: %s: %s' % (d, type(e).__name__, e))
        return False
    same = all(np.array_equal(a, integers(y[k], k))
               for a, k in zip(got, y.files))
    if not same:
        print('%s: differs' % d)
    return same


def main():
    good = sum(reproduces(d) for d in sys.argv[1:])
    print('%d of %d integer networks as expected' % (good, len(sys.argv) - 1))
    return good != len(sys.argv) - 1


if __name__ == '__main__':
    sys.exit(main())
