#!/usr/bin/env python3
"""Models with weights of four bits: nibbles.py SEED DIR.

net.onnx, of QuantizeLinear and DequantizeLinear with scales that are powers of
two, so that floats are exact, what goes in (onnx.npz) and what comes out of
each layer (want.npz); any.il, of layers of random sizes, and what goes in (any.npz)."""
import sys
import numpy as np
from onnx import TensorProto as T, helper as h, save

rng = np.random.default_rng(int(sys.argv[1]))
to = sys.argv[2] + '/'


def conv(x, w, stride, pad):
    """x[h,w,c], padded, by w[m,kh,kw,c]."""
    x = np.pad(x.astype('i8'), ((pad, pad), (pad, pad), (0, 0)))
    k = w.shape[1]
    rows = range(0, x.shape[0] - k + 1, stride)
    return np.array([[np.tensordot(w.astype('i8'), x[i:i + k, j:j + k], 3)
                      for j in rows] for i in rows])


def small(v, shift, least):
    """Halves, of which there are many, go up (doc/quant.md)."""
    return np.clip((v + (1 << shift - 1)) >> shift, least, 127).astype('i1')


class Onnx:
    """A chain of layers whose tensors have scale 1 / 16 and zero point 0."""

    def __init__(self):
        self.nodes, self.consts = [], []
        self.const('s', T.FLOAT, [], [2.0 ** -4])
        self.const('z', T.INT8, [], [0])

    def const(self, name, kind, dims, v):
        self.consts.append(h.make_tensor(name, kind, dims, v))

    def node(self, op, args, result, **attr):
        self.nodes.append(h.make_node(op, args, [result], **attr))
        return result

    def layer(self, op, x, w, b, shift, **attr):
        """Weights of scale 2^-shift, so that what is summed is as much less."""
        name = '%d' % len(self.nodes)
        self.const('w' + name, T.INT4, w.shape, w.ravel().tolist())
        self.const('sw' + name, T.FLOAT, [], [2.0 ** -shift])
        self.const('b' + name, T.INT32, b.shape, b.tolist())
        self.const('sb' + name, T.FLOAT, [], [2.0 ** (-shift - 4)])
        x = self.node('DequantizeLinear', [x, 's', 'z'], 'x' + name)
        w = self.node('DequantizeLinear', ['w' + name, 'sw' + name], 'v' + name)
        b = self.node('DequantizeLinear', ['b' + name, 'sb' + name], 'c' + name)
        y = self.node(op, [x, w, b], 'y' + name, **attr)
        if op == 'Conv':
            y = self.node('Relu', [y], 'r' + name)
        return self.node('QuantizeLinear', [y, 's', 'z'], 'q' + name)


def onnx():
    o, c = Onnx(), 6
    x = rng.integers(-128, 128, (12, 12, c), 'i1')
    np.savez(to + 'onnx.npz', x=x.transpose(2, 0, 1)[None])
    at, want = 'x', {}
    for k, m, stride in ((3, 24, 2), (1, 40, 1), (3, 32, 1)):
        w = rng.integers(-8, 8, (m, k, k, c), 'i1')
        b, pad = rng.integers(-900, 900, m, 'i4'), k // 2
        shift = 3 + int(np.log2(k * k * c)) // 2
        at = o.layer('Conv', at, w.transpose(0, 3, 1, 2), b, shift, pads=[pad] * 4,
                     strides=[stride] * 2)
        x, c = small(conv(x, w, stride, pad) + b, shift, 0), m
        want[at] = x.transpose(2, 0, 1)[None]
    n, flat = x.size, x.transpose(2, 0, 1).ravel()
    o.const('shape', T.INT64, [2], [1, n])
    at = o.node('Reshape', [at, 'shape'], 'flat')
    w, b = rng.integers(-8, 8, (n, 9), 'i1'), rng.integers(-900, 900, 9, 'i4')
    shift = 3 + int(np.log2(n)) // 2
    at = o.layer('Gemm', at, w, b, shift)
    want[at] = small(flat.astype('i8') @ w + b, shift, -128)[None]
    np.savez(to + 'want.npz', **want)
    g = h.make_graph(o.nodes, 'four', [h.make_tensor_value_info(
        'x', T.INT8, [1, 6, 12, 12])], [h.make_tensor_value_info(
            name, T.INT8, y.shape) for name, y in want.items()], o.consts)
    save(h.make_model(g, opset_imports=[h.make_opsetid('', 21)], ir_version=10),
         to + 'net.onnx')


def text():
    lines, x = ['graph "any" exact'], {}

    def const(name, kind, v):
        lines.append('%s = const : %s[%s] {%s}' % (name, kind, ','.join(map(
            str, v.shape)), ','.join(map(str, v.ravel()))))

    def layer(i, op, shape, w, m, k, attr):
        kind = rng.choice(['s8', 'u8'])
        least = -128 if kind == 's8' else 0
        x['x%d' % i] = rng.integers(least, least + 256, shape,
                                    'i1' if kind == 's8' else 'u1')
        shift, rounds = 38 + int(np.log2(k)) // 2, rng.integers(2)
        lines.append('x%d = input : %s[%s]' % (i, kind, ','.join(map(str, shape))))
        const('w%d' % i, 's8', w)
        const('b%d' % i, 's32', rng.integers(-9999, 9999, m))
        const('m%d' % i, 's32', rng.integers(2**30, 2**31, m))
        const('a%d' % i, 's64', rng.integers(-9, 9, m) * 2**shift + 2**30)
        lines.append('y%d = %s x%d w%d %s m%d a%d %s shift=%d round=%d lo=-128 '
                     'hi=127' % (i, op, i, i, rng.choice(['_', 'b%d' % i]), i, i,
                                 attr, shift, rounds))

    def four(*shape):
        return rng.integers(-8, 8, shape)

    for i in range(6):
        k, s, p = rng.integers(1, 4), rng.integers(1, 3), rng.integers(2)
        n, c, m = rng.integers(1, 3), rng.integers(8, 90), rng.integers(2, 50)
        layer(i, 'conv', (n, *rng.integers(k, 9, 2), c), four(m, k, k, c), m,
              k * k * c, 'last=1 stride=%d,%d pad=%d,%d,%d,%d padvalue=%d' %
              (s, s, p, p, p, p, rng.integers(0, 99)))
    for i in range(6, 12):
        rows, k, m = rng.integers(1, 4), rng.integers(2, 400), rng.integers(2, 50)
        w = four(m, k) if i % 2 else four(k, m)
        layer(i, 'matmul', (rows, k), w, m, k, 'transb=%d' % (i % 2))
    lines.extend('output y%d' % i for i in range(12))
    open(to + 'any.il', 'w').write('\n'.join(lines) + '\n')
    np.savez(to + 'any.npz', **x)


onnx()
text()
