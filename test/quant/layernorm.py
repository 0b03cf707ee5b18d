"""layernorm.py DIR SEED [OUT.npz...]: a layer norm between QuantizeLinear and
DequantizeLinear, drawn at random: DIR/layernorm.onnx and .npz; or says where
results of it are not those of exact arithmetic, rounded, unless a part in
50000 of a step would make them so."""
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

to, rng = sys.argv[1] + '/layernorm', np.random.RandomState(int(sys.argv[2]))
n, signed = int(rng.choice([3, 16, 32, 100, 768])), rng.rand() < .5
rows, eps = 6000 // n, float(rng.choice([1e-5, 1e-5, 1e-12, .1]))
kind, least = (np.int8, -128) if signed else (np.uint8, 0)
step, grid = np.float32(rng.uniform(.001, .2)), np.float32(rng.choice(
    [.004, .03, .05]))
spread = rng.choice([0, 1, 10, 60], (rows, 1))
x = rng.normal(0, 1, (rows, n)) * spread + rng.normal(0, 20, (rows, 1))
x = (np.round(x).clip(-128, 127) + 128 + least).astype(kind)
w = rng.normal(1, .5, n).astype(np.float32)
b = rng.normal(0, .5, n).astype(np.float32)
qw = rng.randint(-127, 128, n).astype(np.int8) # a factor, or quantized
packed = rng.rand() < .5
zero = int(rng.randint(least + 100, least + 156))


def tensor(name, value):
    return numpy_helper.from_array(np.asarray(value), name)


def write():
    node, info = helper.make_node, helper.make_tensor_value_info
    t = TensorProto.INT8 if signed else TensorProto.UINT8
    nodes = [node('DequantizeLinear', ['x', 'sx', 'zx'], ['d']),
             node('LayerNormalization', ['d', 'w', 'b'], ['l'], axis=-1,
                  epsilon=eps),
             node('QuantizeLinear', ['l', 'sy', 'zy'], ['y'])]
    if packed:
        nodes.insert(0, node('DequantizeLinear', ['qw', 'sw'], ['w']))
    factor = ([tensor('qw', qw), tensor('sw', np.float32(.01))] if packed
              else [tensor('w', w)])
    graph = helper.make_graph(
        nodes, 'layernorm', [info('x', t, [rows, n])],
        [info('y', t, [rows, n])],
        factor + [tensor('b', b), tensor('sx', step), tensor('zx', kind(3)),
                  tensor('sy', grid), tensor('zy', kind(zero))])
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid('', 17)]), to + '.onnx')
    np.savez(to + '.npz', x)


def judge(names):
    d = x.astype(np.longdouble) * np.longdouble(step)
    d -= d.mean(-1, keepdims=True)
    d /= np.sqrt((d * d).mean(-1, keepdims=True) + np.longdouble(
        np.float32(eps)))
    by = (qw * np.float32(.01)).astype(np.float32) if packed else w
    y = (d * by + b) / np.longdouble(grid)
    lo, hi = (np.clip(np.rint(y + e) + zero, least, least + 255)
              for e in (-2e-5, 2e-5))
    for name in names:
        is_ = np.load(name)['output_0'].astype(int)
        wrong = (is_ != lo) & (is_ != hi)
        if wrong.any():
            print(name, wrong.sum(), 'of', wrong.size, 'differ')


judge(sys.argv[3:]) if sys.argv[3:] else write()
