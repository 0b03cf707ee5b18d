#!/usr/bin/env python3
"""Makes attention-int-cache: zoo/cache.py (numpy, onnx).

One step of attention over what came before, in the integer dialect: a token of
64 numbers, 4 heads of 16, whose keys and values are appended to caches by
Concat, as exporters write them.  The caches are inputs and outputs of dynamic
length: `past` rows before, past + 1 behind.  The file `options` has what the
compiler is told: past is a run-time number, and the caches are states.
inputs.npz holds STEPS tokens, outputs.npz what each step gives, which
tools/dialect.py computes with caches that grow.
"""
import os
import sys
import numpy as np
import onnx
from onnx import helper, TensorProto

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, '..', 'tools')]
import dialect
from integer import Dialect, tensor

NAME, STEPS, DIM, HEADS, LAYERS = 'attention-int-cache', 256, 64, 4, 2
EACH = DIM // HEADS


def product(g, x, w, y, mul):
    g.node('MatMul', [x, g.const(y + '_w', w)], y + '_acc')
    g.requant(y + '_acc', y, mul, 0, True)


def weights(rng):
    return np.clip(np.round(rng.normal(0, 32, (DIM, DIM))), -127, 127)


def heads(g, x, shape):
    g.node('Reshape', [x, shape], x + '_r')
    g.node('Transpose', [x + '_r'], x + '_h', perm=[0, 2, 1, 3])
    return x + '_h'


def layer(g, rng, i, x, shapes):
    """Attention, and what came in is added."""
    p = 'l%d_' % i
    for n in 'qkv':
        product(g, x, weights(rng), p + n, 2 ** 16 / 500)
    q = heads(g, p + 'q', shapes[0])
    for n in 'kv':
        g.node('Concat', ['past_%s%d' % (n, i), heads(g, p + n, shapes[0])],
               'present_%s%d' % (n, i), axis=2)
    g.node('Transpose', ['present_k%d' % i], p + 'kt', perm=[0, 1, 3, 2])
    g.node('MatMul', [q, p + 'kt'], p + 's_acc')
    g.requant(p + 's_acc', p + 's', 2 ** 16 / 300, 0, True)
    g.node('iSoftmax', [p + 's'], p + 'a', domain='PACTOps',
           n_levels=tensor(256), coeffA=tensor(1), coeffB=tensor(43),
           coeffC=tensor(982), log2=tensor(22))
    g.node('MatMul', [p + 'a', 'present_v%d' % i], p + 'm_acc')
    g.requant(p + 'm_acc', p + 'm', 2 ** 16 / 160, 0, True)
    g.node('Transpose', [p + 'm'], p + 'm_t', perm=[0, 2, 1, 3])
    g.node('Reshape', [p + 'm_t', shapes[1]], p + 'm_r')
    product(g, p + 'm_r', weights(rng), p + 'o', 2 ** 16 / 500)
    g.node('Add', [p + 'o', x], p + 'sum')
    y = 'output' if i + 1 == LAYERS else p + 'y'
    g.requant(p + 'sum', y, 2 ** 16 * .7, 0, True)
    return y


def caches(what):
    return ['%s_%s%d' % (what, n, i) for i in range(LAYERS) for n in 'kv']


def make(past):
    """The model; past: rows of the caches, or a name."""
    rng, g = np.random.default_rng(21), Dialect()
    shapes = [g.const('split', [1, 1, HEADS, EACH], np.int64),
              g.const('whole', [1, 1, DIM], np.int64)]
    x = 'input'
    for i in range(LAYERS):
        x = layer(g, rng, i, x, shapes)
    later = past + 1 if isinstance(past, int) else past + ' + 1'

    def info(n, shape):
        return helper.make_tensor_value_info(n, TensorProto.FLOAT, shape)

    graph = helper.make_graph(
        g.nodes, 'attention',
        [info('input', [1, 1, DIM])] +
        [info(n, [1, HEADS, past, EACH]) for n in caches('past')],
        [info('output', [1, 1, DIM])] +
        [info(n, [1, HEADS, later, EACH]) for n in caches('present')],
        list(g.inits.values()))
    return helper.make_model(graph, producer_name='zoo', ir_version=8,
                             opset_imports=[helper.make_opsetid('', 13),
                                            helper.make_opsetid('PACTOps', 1)])


def main():
    rng = np.random.default_rng(22)
    x = np.clip(np.round(rng.normal(0, 40, (STEPS, 1, 1, DIM))), -128, 127)
    past = [np.zeros((1, HEADS, 0, EACH))] * (2 * LAYERS)
    y = []
    for t in range(STEPS):
        got = dialect.run(make(t), [x[t]] + past)
        y.append(got[0])
        past = got[1:]
    d = os.path.join(here, NAME)
    os.makedirs(d, exist_ok=True)
    onnx.save(make('past'), d + '/network.onnx')
    np.savez_compressed(d + '/inputs.npz', input=x.astype(np.float32))
    np.savez_compressed(d + '/outputs.npz',
                        output_0=np.stack(y).astype(np.float32))
    with open(d + '/options', 'w') as f:
        print('--sequence --dim past=0..%d --at past=0+1' % (STEPS - 1),
              *('--state %s=%s' % s
                for s in zip(caches('past'), caches('present'))), file=f)


if __name__ == '__main__':
    main()
