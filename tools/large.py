#!/usr/bin/env python3
"""Large networks, by their kind: tools/large.py KIND N FILE.onnx

    chain    N elementwise operators, one after the other
    lstm     an LSTM cell of 8 units, unrolled over N steps
    concat   N inputs, joined
    outputs  one input, N outputs
    tree     N inputs, added pairwise
    resnet   a float ResNet-18 for N classes (N = 1000: 46 MB)

Weights are drawn with seed 1.
"""
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(1)


class Net:
    def __init__(self):
        self.nodes, self.inits, self.ins, self.outs = [], [], [], []

    def input(self, name, *shape):
        self.ins.append(helper.make_tensor_value_info(
            name, TensorProto.FLOAT, shape))
        return name

    def output(self, name, *shape):
        self.outs.append(helper.make_tensor_value_info(
            name, TensorProto.FLOAT, shape or None))

    def const(self, array):
        name = 'c%d' % len(self.inits)
        self.inits.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape):
        n = np.prod(shape[1:])
        return self.const((rng.standard_normal(shape) / n ** .5).astype(
            np.float32))

    def node(self, op, *x, **attrs):
        name = 'v%d' % len(self.nodes)
        self.nodes.append(helper.make_node(op, list(x), [name], name=name,
                                           **attrs))
        return name

    def save(self, path):
        g = helper.make_graph(self.nodes, 'large', self.ins, self.outs,
                              self.inits)
        onnx.save(helper.make_model(
            g, ir_version=8, opset_imports=[helper.make_opsetid('', 17)]),
            path)


def chain(t, n):
    v = t.input('x', 1, 64)
    for i in range(n):
        v = t.node('Tanh' if i % 2 else 'Sigmoid', v)
    t.output(v, 1, 64)


def lstm(t, n, units=8):
    x, h, c = (t.input(k, 1, s) for k, s in
               (('x', n * 4), ('h', units), ('c', units)))
    w, r, b = t.weight(4, 4 * units), t.weight(units, 4 * units), t.weight(
        4 * units)
    axes = t.const(np.int64([1]))
    ends = [t.const(np.int64([units * i])) for i in range(5)]
    for i in range(n):
        now = t.node('Slice', x, t.const(np.int64([4 * i])),
                     t.const(np.int64([4 * i + 4])), axes)
        gates = t.node('Add', t.node('Add', t.node('MatMul', now, w),
                                     t.node('MatMul', h, r)), b)
        i, o, f, g = (t.node('Slice', gates, ends[k], ends[k + 1], axes)
                      for k in range(4))
        i, o, f = (t.node('Sigmoid', k) for k in (i, o, f))
        c = t.node('Add', t.node('Mul', f, c),
                   t.node('Mul', i, t.node('Tanh', g)))
        h = t.node('Mul', o, t.node('Tanh', c))
    t.output(h, 1, units)


def concat(t, n):
    v = [t.input('x%d' % i, 1, 4) for i in range(n)]
    t.output(t.node('Concat', *v, axis=1), 1, 4 * n)


def outputs(t, n):
    x = t.input('x', 1, 4)
    for i in range(n):
        t.output(t.node('Add', x, t.const(np.float32(i + 1))), 1, 4)


def tree(t, n):
    v = [t.input('x%d' % i, 1, 8) for i in range(n)]
    while len(v) > 1:
        v = [t.node('Add', *v[i:i + 2]) if i + 1 < len(v) else v[i]
             for i in range(0, len(v), 2)]
    t.output(v[0], 1, 8)


def conv(t, x, old, new, size, stride):
    return t.node('Conv', x, t.weight(new, old, size, size), t.weight(new),
                  strides=[stride] * 2, pads=[size // 2] * 4)


def resnet(t, n):
    v = t.node('Relu', conv(t, t.input('x', 1, 3, 224, 224), 3, 64, 7, 2))
    v = t.node('MaxPool', v, kernel_shape=[3, 3], strides=[2, 2],
               pads=[1] * 4)
    old = 64
    for new in 64, 128, 256, 512:
        for stride in (1 if new == 64 else 2), 1:
            y = t.node('Relu', conv(t, v, old, new, 3, stride))
            if old != new:
                v = conv(t, v, old, new, 1, stride)
            v = t.node('Relu', t.node('Add', conv(t, y, new, new, 3, 1), v))
            old = new
    v = t.node('Flatten', t.node('GlobalAveragePool', v))
    t.output(t.node('Gemm', v, t.weight(n, old), t.weight(n), transB=1), 1, n)


if __name__ == '__main__':
    kind, count, path = sys.argv[1:]
    net = Net()
    globals()[kind](net, int(count))
    net.save(path)
