"""softmax.py DIR SEED [OUT.npz...]: a softmax between QuantizeLinear and
DequantizeLinear, drawn at random: DIR/softmax.onnx and .npz; or says where
results of it are not those of exact arithmetic, rounded, unless a millionth of
a step would make them so."""
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

to, rng = sys.argv[1] + '/softmax', np.random.RandomState(int(sys.argv[2]))
n, levels = int(rng.choice([3, 8, 24, 64, 300])), int(rng.choice([255, 256]))
rows, signed = 6000 // n, rng.rand() < .5
kind, least = (np.int8, -128) if signed else (np.uint8, 0)
step = np.float32(rng.uniform(.01, .2))
x = rng.normal(0, rng.choice([10, 30, 60]), (rows, n)).clip(-128, 127)
x = (np.round(x) + 128 + least).astype(kind)


def tensor(name, value):
    return numpy_helper.from_array(np.asarray(value), name)


def write():
    node, info = helper.make_node, helper.make_tensor_value_info
    t = TensorProto.INT8 if signed else TensorProto.UINT8
    graph = helper.make_graph(
        [node('DequantizeLinear', ['x', 'sx', 'zx'], ['d']),
         node('Softmax', ['d'], ['s'], axis=-1),
         node('QuantizeLinear', ['s', 'sy', 'zy'], ['y'])], 'softmax',
        [info('x', t, [rows, n])], [info('y', t, [rows, n])],
        [tensor('sx', step), tensor('zx', kind(3)),
         tensor('sy', np.float32(1 / levels)), tensor('zy', kind(least))])
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid('', 17)]), to + '.onnx')
    np.savez(to + '.npz', x)


def judge(names):
    e = np.exp((x - x.max(-1, keepdims=True).astype(float)) * float(step))
    y = e / e.sum(-1, keepdims=True) * levels
    lo, hi = (np.clip(np.rint(y + d) + least, least, least + 255)
              for d in (-1e-6, 1e-6))
    for name in names:
        is_ = np.load(name)['output_0'].astype(int)
        wrong = (is_ != lo) & (is_ != hi)
        if wrong.any():
            print(name, wrong.sum(), 'of', wrong.size, 'differ')


judge(sys.argv[3:]) if sys.argv[3:] else write()
