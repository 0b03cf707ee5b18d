#!/usr/bin/env python3
"""Makes the networks with states: zoo/state.py (numpy, onnx, onnxruntime).

Each is one step of a network over time.  What it must remember comes in as an
input and goes out as an output, which is that input of the next step: the file
`options` beside network.onnx says which (--state IN=OUT).  inputs.npz holds
STEPS steps, outputs.npz what the network unrolled over all of them gives: an
LSTM over the whole sequence, and convolutions over the whole recording.

lstm-f32-state: an LSTM of 32 cells on frames of 10 numbers, and 4 classes.
kws-int-state: keywords in a stream of frames of 20 features: convolutions over
time whose windows overlap by cached rows, in the integer dialect; 12 classes
from the sum of the last 8 frames.
"""
import os
import sys
import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, TensorProto

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, '..', 'tools')]
import dialect
from floats import Graph
from integer import Dialect, SHIFT

STEPS = 100
info = helper.make_tensor_value_info


def model(g, name, ends_in, ends_out, domains=()):
    ends = [[info(n, TensorProto.FLOAT, s) for n, s in e]
            for e in (ends_in, ends_out)]
    graph = helper.make_graph(g.nodes, name, *ends, list(g.inits.values()))
    return helper.make_model(
        graph, producer_name='zoo', ir_version=8,
        opset_imports=[helper.make_opsetid('', 17)] +
                      [helper.make_opsetid(d, 1) for d in domains])


def write(name, net, states, x, y):
    d = os.path.join(here, name)
    os.makedirs(d, exist_ok=True)
    onnx.save(net, d + '/network.onnx')
    np.savez_compressed(d + '/inputs.npz', input=x)
    np.savez_compressed(d + '/outputs.npz', output_0=y)
    with open(d + '/options', 'w') as f:
        print('--sequence', *('--state %s=%s' % s for s in states), file=f)


def lstm(g, steps, rng):
    """Frames [steps, 1, 10]; its cells begin as inputs h and c if steps is 1,
    else as zeros."""
    n, m = 32, 10
    w = [g.const('w', rng.normal(0, .35, (1, 4 * n, m))),
         g.const('r', rng.normal(0, .25, (1, 4 * n, n))),
         g.const('b', rng.normal(0, .2, (1, 8 * n)))]
    first = ['', 'h', 'c'] if steps == 1 else []
    g.node('LSTM', ['input'] + w + first, ['y', 'h_next', 'c_next'],
           hidden_size=n)
    g.node('Squeeze', ['y', g.const('one', [1], np.int64)], 'frames')
    g.node('MatMul', ['frames', g.const('v', rng.normal(0, .4, (n, 4)))],
           'output')


def make_lstm():
    x = np.random.default_rng(5).normal(0, 1, (STEPS, 1, 10))
    x = x.astype(np.float32)
    whole, step = Graph(), Graph()
    lstm(whole, STEPS, np.random.default_rng(4))
    lstm(step, 1, np.random.default_rng(4))
    cell = [1, 1, 32]
    net = model(step, 'lstm', [('input', [1, 1, 10]), ('h', cell),
                               ('c', cell)],
                [('output', [1, 1, 4]), ('h_next', cell), ('c_next', cell)])
    every = model(whole, 'lstm', [('input', [STEPS, 1, 10])],
                  [('output', [STEPS, 1, 4])])
    s = ort.InferenceSession(every.SerializeToString(),
                             providers=['CPUExecutionProvider'])
    y = s.run(None, {'input': x})[0]
    write('lstm-f32-state', net, [('h', 'h_next'), ('c', 'c_next')],
          x.reshape(STEPS, 1, 1, 10), y.reshape(STEPS, 1, 1, 4))


# Channels, taps in time, group by channel?
LAYERS = [(32, 3, False), (32, 5, True), (32, 1, False), (32, 5, True),
          (48, 1, False), (48, 5, True), (48, 1, False)]
FEATURES, WINDOW, CLASSES = 20, 8, 12


def kws(g, steps, rng):
    """Frames [1, 20, 1, steps].  With one step what came before is cached; else
    it is zeros."""
    x, c, states = 'input', FEATURES, []

    def joined(x, c, taps, name):
        """x behind the taps - 1 columns before it."""
        if taps == 1:
            return x
        old = name + '_old'
        shape = [1, c, 1, taps - 1]
        if steps > 1:
            g.const(old, np.zeros(shape))
        else:
            states.append((old, name + '_new', shape))
        y = g.node('Concat', [old, x], name + '_all', axis=3)
        if steps == 1:
            ends = [g.const(name + '_from', [1], np.int64),
                    g.const(name + '_to', [taps], np.int64),
                    g.const(name + '_axis', [3], np.int64)]
            g.node('Slice', [y] + ends, name + '_new')
        return y

    for i, (m, k, by_channel) in enumerate(LAYERS):
        name = 'l%d' % i
        w = np.clip(np.round(rng.normal(0, 45, (m, 1 if by_channel else c,
                                                1, k))), -127, 127)
        size = 45 * 60 * np.sqrt(w[0].size)
        x = joined(x, c, k, name)
        g.node('Conv', [x, g.const(name + '_w', w)], name + '_acc',
               kernel_shape=[1, k], group=c if by_channel else 1)
        g.requant(name + '_acc', name,
                  rng.uniform(.7, 1.3, (m, 1, 1)) * 60 / size * 2 ** SHIFT,
                  rng.normal(30, 20, (m, 1, 1)) * 2 ** SHIFT, False)
        x, c = name, m
    x = joined(x, c, WINDOW, 'sum')
    ones = g.const('sum_w', np.ones((c, 1, 1, WINDOW)))
    g.node('Conv', [x, ones], 'sum_acc', kernel_shape=[1, WINDOW], group=c)
    g.requant('sum_acc', 'mean', [2 ** SHIFT / WINDOW], [0], False)
    w = np.round(rng.normal(0, 40, (CLASSES, c, 1, 1)))
    g.node('Conv', ['mean', g.const('fc_w', np.clip(w, -127, 127))], 'output',
           kernel_shape=[1, 1])
    return states


def make_kws():
    rng = np.random.default_rng(8)
    x = np.cumsum(rng.normal(0, 14, (FEATURES, STEPS)), axis=1)
    x = np.clip(np.round(x - x.mean(axis=1, keepdims=True)), -128, 127)
    whole, step = Dialect(), Dialect()
    kws(whole, STEPS, np.random.default_rng(7))
    states = kws(step, 1, np.random.default_rng(7))
    net = model(step, 'kws',
                [('input', [1, FEATURES, 1, 1])] +
                [(old, shape) for old, _, shape in states],
                [('output', [1, CLASSES, 1, 1])] +
                [(new, shape) for _, new, shape in states], ['PACTOps'])
    every = model(whole, 'kws', [('input', [1, FEATURES, 1, STEPS])],
                  [('output', [1, CLASSES, 1, STEPS])], ['PACTOps'])
    y = dialect.run(every, [x.reshape(1, FEATURES, 1, STEPS)])[0]
    write('kws-int-state', net, [(old, new) for old, new, _ in states],
          x.T.reshape(STEPS, 1, FEATURES, 1, 1).astype(np.float32),
          np.moveaxis(y, 3, 0)[:, :, :, :, None].astype(np.float32))


if __name__ == '__main__':
    make_lstm()
    make_kws()
