#!/usr/bin/env python3
"""Operators of com.microsoft against onnxruntime: tools/contrib.py EVAL

EVAL is test/models_eval, built.  One small model per operator, constants as
initializers, random inputs; ends with 1 if a result differs."""
import subprocess
import sys
import tempfile
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper, TensorProto

rng = np.random.default_rng(1)
f = lambda *s: rng.standard_normal(s).astype(np.float32)
u8 = lambda *s: rng.integers(0, 256, s).astype(np.uint8)
s8 = lambda *s: rng.integers(-128, 128, s).astype(np.int8)
s32 = lambda *s: rng.integers(-1000, 1000, s).astype(np.int32)
F, U, I = np.float32, np.uint8, np.int8
TYPES = {np.dtype('f4'): TensorProto.FLOAT, np.dtype('u1'): TensorProto.UINT8}

# operator, inputs, constants behind them, attributes
CASES = [
    ('BiasGelu', [f(2, 3, 8)], [f(8)], {}),
    ('FastGelu', [f(2, 3, 8)], [f(8)], {}),
    ('FastGelu', [f(2, 3, 8)], [], {}),
    ('QuickGelu', [f(2, 3, 8)], [], {}),
    ('Gelu', [f(2, 3, 8)], [], {}),
    ('SkipLayerNormalization', [f(2, 3, 8), f(2, 3, 8)], [f(8), f(8), f(8)],
     dict(epsilon=1e-5)),
    ('SkipSimplifiedLayerNormalization', [f(2, 3, 8), f(2, 3, 8)], [f(8)],
     dict(epsilon=1e-5)),
    ('FusedConv', [f(1, 2, 6, 6)], [f(3, 2, 3, 3), f(3)],
     dict(activation='Relu', kernel_shape=[3, 3])),
    ('FusedConv', [f(1, 2, 6, 6)], [f(3, 2, 3, 3), f(3)],
     dict(activation='LeakyRelu', activation_params=[0.3],
          kernel_shape=[3, 3], pads=[1, 1, 1, 1])),
    ('FusedGemm', [f(3, 4)], [f(4, 5), f(5)],
     dict(activation='Relu', alpha=0.5, beta=2.0)),
    ('FusedMatMul', [f(2, 4, 3)], [f(2, 5, 4)],
     dict(transA=1, transB=1, alpha=0.25)),
    ('Attention', [f(2, 5, 8)], [f(8, 24), f(24)], dict(num_heads=2)),
    ('MultiHeadAttention', [f(2, 5, 8), f(2, 6, 8), f(2, 6, 8)], [f(24)],
     dict(num_heads=2)),
    ('MatMulNBits', [f(3, 32)], [u8(6, 2, 8), f(12)],
     dict(K=32, N=6, bits=4, block_size=16)),
    ('MatMulNBits', [f(3, 32)], [u8(6, 2, 8), f(12), u8(6)],
     dict(K=32, N=6, bits=4, block_size=16)),
    ('QLinearAdd', [u8(4, 5)], [F(.1), U(120), u8(4, 5), F(.2), U(10), F(.3),
                                U(100)], {}),
    ('QLinearMul', [u8(4, 5)], [F(.1), U(120), u8(4, 5), F(.2), U(10), F(2),
                                U(100)], {}),
    ('QLinearSigmoid', [u8(4, 5)], [F(.1), U(120), F(1 / 256), U(0)], {}),
    ('QLinearLeakyRelu', [u8(4, 5)], [F(.1), U(120), F(.1), U(60)],
     dict(alpha=0.1)),
    ('QLinearSoftmax', [u8(4, 5)], [F(.1), U(120), F(1 / 256), U(0)],
     dict(axis=-1, opset=13)),
    ('QLinearGlobalAveragePool', [u8(1, 4, 5, 5)], [F(.1), U(120), F(.1),
                                                    U(60)],
     dict(channels_last=0)),
    # scales apart, for means of four have ties, which floats break either way
    ('QLinearAveragePool', [u8(1, 4, 5, 5)], [F(.13), U(120), F(.1), U(60)],
     dict(kernel_shape=[2, 2])),
    ('QGemm', [u8(3, 4)], [F(.1), U(120), s8(4, 5), F(.05), I(3), s32(5),
                           F(.5), U(100)], {}),
    ('QGemm', [u8(3, 4)], [F(.1), U(120), s8(4, 5), F(.05), I(3), s32(5)],
     {}),
    ('MatMulIntegerToFloat', [u8(3, 4)], [s8(4, 5), F(.1), abs(f(5)), U(100),
                                          s8(5), f(5)], {}),
    ('DynamicQuantizeMatMul', [f(3, 4)], [s8(4, 5), abs(f(5)), s8(5), f(5)],
     {}),
]


def model(op, inputs, constants, attributes):
    names = ['x%d' % i for i in range(len(inputs))]
    fixed = ['c%d' % i for i in range(len(constants))]
    node = helper.make_node(op, names + fixed, ['y'], name='n',
                            domain='com.microsoft', **attributes)
    graph = helper.make_graph(
        [node], 'g',
        [helper.make_tensor_value_info(n, TYPES[a.dtype], a.shape)
         for n, a in zip(names, inputs)],
        [onnx.ValueInfoProto(name='y')],
        [numpy_helper.from_array(np.asarray(a), n)
         for n, a in zip(fixed, constants)])
    return helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid('', 17), helper.make_opsetid('com.microsoft', 1)])


def differs(driver, folder, case):
    m = model(*case)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(m.SerializeToString(), options)
    want = session.run(['y'], {'x%d' % i: a for i, a in enumerate(case[1])})
    files = [folder + '/' + n for n in ('m.onnx', 'in.npz', 'out.npz')]
    onnx.save(m, files[0])
    np.savez(files[1], *case[1])
    np.savez(files[2], *want)
    done = subprocess.run([driver] + files, capture_output=True, text=True)
    if done.returncode:
        print(case[0], (done.stdout + done.stderr).strip())
    return done.returncode != 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        bad = sum(differs(sys.argv[1], folder, c) for c in CASES)
    print('%d cases of com.microsoft against onnxruntime, %d differ' %
          (len(CASES), bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
