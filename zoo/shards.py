#!/usr/bin/env python3
"""Networks for many chips: zoo/shards.py [NAME...] (numpy, onnx), in build/zoo.

Blocks of the Transformers of a paper (Distributed inference with minimal off-chip
traffic for Transformers on low-power MCUs, DATE 2025) in the integer dialect, with
weights that are drawn.  Of TinyLlama-42M's shape (E 512, three feed-forward matrices
of F 2048, so 4.19 M weights a block) with H heads and B blocks:

    gen-H-B     a token, caches of up to 127 rows before it (`options`)
    prompt-H-B  16 tokens, no caches
    bert-B      MobileBERT's encoder: E 512, F 512, 4 heads, 268 tokens

There is no rotation of queries and keys, no embedding, and no mask; the gate is
a hard swish.  Results are those of the reference kernels (tilewright run).
"""
import os
import sys
import numpy as np
import onnx
from onnx import helper, TensorProto

from integer import Dialect, tensor

here = os.path.dirname(os.path.abspath(__file__))
PAST = 127


class Block:
    def __init__(self, g, rng, i, e, f, heads, s, caches):
        self.g, self.rng, self.p = g, rng, 'b%d_' % i
        self.e, self.f, self.h, self.s, self.caches = e, f, heads, s, caches
        self.i = i

    def linear(self, x, y, rows, columns):
        """Values and weights of deviation 32 give such again."""
        w = np.clip(np.round(self.rng.normal(0, 32, (rows, columns))), -127,
                    127)
        y = self.p + y
        self.g.node('MatMul', [x, self.g.const(y + '_w', w)], y + '_acc')
        self.g.requant(y + '_acc', y, 2 ** 16 / (32 * rows ** .5), 0, True)
        return y

    def norm(self, x, y, rms):
        y, w = self.p + y, np.round(self.rng.normal(32 * 256, 800, self.e))
        if rms:
            self.g.node('iRMSNorm', [x, self.g.const(y + '_w', w)], y,
                        domain='PACTOps', D=256, n_levels=256)
        else:
            b = np.round(self.rng.normal(0, 800, self.e))
            self.g.node('iLayerNorm', [x, self.g.const(y + '_w', w),
                                       self.g.const(y + '_b', b)], y,
                        domain='PACTOps', D=tensor(256), n_levels=tensor(256))
        return y

    def split(self, x, to):
        y = x + '_h'
        self.g.node('Reshape', [x, self.g.const(
            y + '_s', [1, self.s, self.h, self.e // self.h], np.int64)],
            x + '_r')
        self.g.node('Transpose', [x + '_r'], y, perm=to)
        return y

    def cached(self, x, n):
        y = 'present_%s%d' % (n, self.i)
        self.g.node('Concat', ['past_%s%d' % (n, self.i), x], y, axis=2)
        return y

    def attention(self, x):
        g, p = self.g, self.p
        q, k, v = (self.linear(x, n, self.e, self.e) for n in 'qkv')
        q, k, v = (self.split(t, [0, 2, 1, 3]) for t in (q, k, v))
        if self.caches:
            k, v = self.cached(k, 'k'), self.cached(v, 'v')
        g.node('Transpose', [k], p + 'kt', perm=[0, 1, 3, 2])
        g.node('MatMul', [q, p + 'kt'], p + 's_acc')
        g.requant(p + 's_acc', p + 's',
                  2 ** 16 / (38 * (self.e / self.h) ** .5), 0, True)
        g.node('iSoftmax', [p + 's'], p + 'a', domain='PACTOps',
               n_levels=tensor(256), coeffA=tensor(1), coeffB=tensor(43),
               coeffC=tensor(982), log2=tensor(22))
        g.node('MatMul', [p + 'a', v], p + 'm_acc')
        g.requant(p + 'm_acc', p + 'm', 2 ** 16 / 160, 0, True)
        g.node('Transpose', [p + 'm'], p + 'm_t', perm=[0, 2, 1, 3])
        g.node('Reshape', [p + 'm_t', g.const(
            p + 'm_s', [1, self.s, self.e], np.int64)], p + 'm_r')
        return self.linear(p + 'm_r', 'o', self.e, self.e)

    def gated(self, x):
        """down(hardswish(gate(x)) up(x))"""
        g, p = self.g, self.p
        a = self.linear(x, 'gate', self.e, self.f)
        b = self.linear(x, 'up', self.e, self.f)
        g.node('iHardswish', [a], p + 'w_acc', domain='PACTOps',
               one_over_six=1, three=48, six=96)
        g.requant(p + 'w_acc', p + 'w', 2 ** 16 / 64, 0, True)
        g.node('Mul', [p + 'w', b], p + 'u_acc')
        g.requant(p + 'u_acc', p + 'u', 2 ** 16 / 32, 0, True)
        return self.linear(p + 'u', 'down', self.f, self.e)

    def plain(self, x):
        """second(max(first(x), 0))"""
        a = self.linear(x, 'first', self.e, self.f)
        self.g.node('Relu', [a], a + '_r')
        return self.linear(a + '_r', 'second', self.f, self.e)

    def sum(self, a, b, y):
        y = self.p + y
        self.g.node('Add', [a, b], y + '_acc')
        self.g.requant(y + '_acc', y, 2 ** 16 * .7, 0, True)
        return y


def model(name, e, f, heads, blocks, s, caches, pre):
    rng, g = np.random.default_rng(31), Dialect()
    x = 'input'
    for i in range(blocks):
        b = Block(g, rng, i, e, f, heads, s, caches)
        if pre:
            x = b.sum(b.attention(b.norm(x, 'n1', True)), x, 'x1')
            x = b.sum(b.gated(b.norm(x, 'n2', True)), x, 'x2')
        else:
            x = b.norm(b.sum(b.attention(x), x, 'x1'), 'n1', False)
            x = b.norm(b.sum(b.plain(x), x, 'x2'), 'n2', False)

    def info(n, *shape):
        return helper.make_tensor_value_info(n, TensorProto.FLOAT, shape)

    def rows(what, n):
        return [info('%s_%s%d' % (what, k, i), 1, heads, n, e // heads)
                for i in range(blocks * caches) for k in 'kv']

    graph = helper.make_graph(
        g.nodes, name, [info('input', 1, s, e)] + rows('past', 'past'),
        [info(x, 1, s, e)] + rows('present', 'past + 1'),
        list(g.inits.values()))
    return helper.make_model(graph, producer_name='zoo', ir_version=8,
                             opset_imports=[helper.make_opsetid('', 13),
                                            helper.make_opsetid('PACTOps', 1)])


def make(name):
    kind, *n = name.split('-')
    n = [int(i) for i in n]
    if kind == 'bert':
        m = model(name, 512, 512, 4, n[0], 268, False, False)
    else:
        m = model(name, 512, 2048, n[0], n[1], 1 if kind == 'gen' else 16,
                  kind == 'gen', True)
    d = os.path.join(here, '..', 'build', 'zoo', name)
    os.makedirs(d, exist_ok=True)
    onnx.save(m, d + '/network.onnx')
    with open(d + '/options', 'w') as f:
        if kind == 'gen':
            print('--dim past=0..%d --at past=%d' % (PAST, PAST),
                  *('--state past_%s%d=present_%s%d' % (k, i, k, i)
                    for i in range(n[1]) for k in 'kv'), file=f)


if __name__ == '__main__':
    for arg in sys.argv[1:] or ['gen-8-1', 'gen-64-1', 'gen-8-8', 'prompt-8-1',
                                'bert-1']:
        make(arg)
