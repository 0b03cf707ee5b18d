"""softmax.py DIR SEED [OUT.npz...]: a softmax between QuantizeLinear and
DequantizeLinear, drawn at random, perhaps of scores that are multiplied by a
number and hidden by a mask: DIR/softmax.onnx and .npz; or says where
results of it are not those of exact arithmetic, rounded, unless a millionth of
a step would make them so."""
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

to, rng = sys.argv[1] + '/softmax', np.random.RandomState(int(sys.argv[2]))
n, levels = int(rng.choice([3, 8, 24, 64, 300])), rng.choice([255, 256, 255.03, 180, 400.7])
rows, signed = 6000 // n, rng.rand() < .5
kind, least = (np.int8, -128) if signed else (np.uint8, 0)
step = np.float32(rng.uniform(.01, .2))
x = rng.normal(0, rng.choice([10, 30, 60]), (rows, n)).clip(-128, 127)
x = (np.round(x) + 128 + least).astype(kind)
factor = np.float32(rng.choice([1, 1, .3, 1.5]))
masked = rng.rand() < .6
far = np.float32(rng.choice([-120, -1e4, -3.4028235e38, -np.inf]))
shown = (rng.rand(rows, n) < rng.choice([.2, .8])) | (np.arange(n) == n // 2)
shown |= not masked


def tensor(name, value):
    return numpy_helper.from_array(np.asarray(value), name)


def write():
    node, info = helper.make_node, helper.make_tensor_value_info
    t = TensorProto.INT8 if signed else TensorProto.UINT8
    parts = [node('Mul', ['d', 'factor'], ['f'])] * int(factor != 1)
    parts += [node('Add', [parts[-1].output[0] if parts else 'd', 'mask'],
                   ['m'])] * int(masked)
    graph = helper.make_graph(
        [node('DequantizeLinear', ['x', 'sx', 'zx'], ['d']), *parts,
         node('Softmax', [parts[-1].output[0] if parts else 'd'], ['s'],
              axis=-1),
         node('QuantizeLinear', ['s', 'sy', 'zy'], ['y'])], 'softmax',
        [info('x', t, [rows, n])], [info('y', t, [rows, n])],
        [tensor('sx', step), tensor('zx', kind(3)), tensor('factor', factor),
         tensor('mask', np.where(shown, 0, far).astype(np.float32)),
         tensor('sy', np.float32(1 / levels)), tensor('zy', kind(least))])
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid('', 17)]), to + '.onnx')
    np.savez(to + '.npz', x)


def judge(names):
    top = np.where(shown, x.astype(float), -np.inf).max(-1, keepdims=True)
    e = np.where(shown, np.exp((x - top) * float(step) * float(factor)), 0)
    y = e / e.sum(-1, keepdims=True) * levels
    lo, hi = (np.clip(np.rint(y + d) + least, least, least + 255)
              for d in (-1e-6, 1e-6))
    for name in names:
        is_ = np.load(name)['output_0'].astype(int)
        wrong = (is_ != lo) & (is_ != hi)
        if wrong.any():
            print(name, wrong.sum(), 'of', wrong.size, 'differ')


judge(sys.argv[3:]) if sys.argv[3:] else write()
