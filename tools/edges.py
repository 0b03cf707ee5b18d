#!/usr/bin/env python3
"""Operators on scalars, empty tensors and tensors of eight axes.

    tools/edges.py EVAL [-e N] TARGET...

EVAL is the driver test/ir/eval.c, built: it reads each network of one operator,
evaluates it, and plans it for the targets.  onnxruntime says what is wanted; a
network that it refuses, or whose shapes it has wrong, is left out.  -e: only
every Nth one.
"""
import os
import subprocess
import sys
import tempfile
import warnings
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

warnings.filterwarnings('ignore')
ort.set_default_logger_severity(4)

SHAPES = [(), (1,), (0,), (2, 0, 3), (1,) * 8, (2, 1, 3, 1, 2, 1, 1, 2),
          (2, 3, 1, 1, 0, 1, 2, 1)]
UNARY = '''Abs Neg Relu Sigmoid Tanh Erf Softplus Softsign HardSigmoid Floor
HardSwish Elu Selu Celu LeakyRelu Mish Gelu Sin Cos Atan Ceil Round Sign Exp
ThresholdedRelu Identity Reciprocal IsNaN IsInf Shrink Flatten Shape Size
Softmax LogSoftmax Hardmax LpNormalization Transpose Squeeze NonZero
DynamicQuantizeLinear GlobalAveragePool Clip Dropout ReduceSum Mean Sum
Max Min'''.split()
BINARY = '''Add Sub Mul Div Pow Max Min Sum Mean PRelu Greater Less Equal
GreaterOrEqual LessOrEqual MatMul Mod'''.split()
REDUCE = '''ReduceSum ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2
ReduceSumSquare ReduceLogSumExp ReduceProd ReduceLogSum'''.split()
OPSET = 21
# What may be refused: numbers that nothing is the answer to.
REFUSED = 'mean of no elements', 'to be reduced has no elements', 'the best 0'


def inner(shape):
    """Another shape that broadcasts to it: every second axis is 1."""
    return tuple(d if i % 2 else 1 for i, d in enumerate(shape))[1:]


def float_cases():
    """op, arrays, how many of them are constants, attributes"""
    rng = np.random.default_rng(1)
    f = lambda s: rng.normal(0, 1, s).astype(np.float32)
    ints = lambda *v: np.array(v, np.int64)
    for s in SHAPES:
        rank = len(s)
        for op in UNARY:
            yield op, [f(s)], 0, {'fmod': 1} if op == 'Mod' else {}
        for op in BINARY:
            a = {'fmod': 1} if op == 'Mod' else {}
            for t in {s, (), inner(s)}:
                x = np.abs(f(s)) + 0.5 if op in ('Pow', 'Div', 'Mod') else f(s)
                yield op, [x, np.abs(f(t)) + 1], 0, a
                yield op, [x, np.abs(f(t)) + 1], 1, a
        for op in REDUCE:
            for keep in 0, 1:
                yield op, [np.abs(f(s)) + 1], 0, {'keepdims': keep}
                if rank:
                    yield (op, [np.abs(f(s)) + 1, ints(-1)], 1,
                           {'keepdims': keep})
        for t in ints(), ints(*s), ints(-1) if 0 not in s else ints(0):
            yield 'Reshape', [f(s), t], 1, {}
        for t in (2,) + s if rank < 8 else s, s:
            yield 'Expand', [f(s), ints(*t)], 1, {}
        yield 'Unsqueeze', [f(s), ints(0)], 1, {}
        yield 'Cast', [f(s)], 0, {'to': TensorProto.INT8}
        yield 'Cast', [f(s)], 0, {'to': TensorProto.BOOL}
        yield 'Where', [f(s) > 0, f(s), f(())], 0, {}
        yield 'QuantizeLinear', [f(s), np.float32(.1), np.int8(3)], 2, {}
        yield ('DequantizeLinear', [f(s).astype(np.int8), np.float32(.1),
                                    np.int8(3)], 2, {})
        yield 'ConstantOfShape', [ints(*s)], 1, {}
        yield 'Tile', [f(s), np.full(rank, 2, np.int64)], 1, {}
        yield 'Pad', [f(s), np.ones(2 * rank, np.int64)], 1, {}
        if not rank:
            continue
        for axis in 0, -1:
            a = {'axis': axis}
            yield 'Concat', [f(s), f(s)], 0, a
            yield 'Concat', [f(s), f(s)], 1, a
            yield 'Gather', [f(s), ints(0, 0)], 1, a
            yield 'Gather', [f(s), np.int64(0)], 0, a
            yield 'GatherElements', [f(s), np.zeros(s, np.int64)], 1, a
            yield 'ScatterElements', [f(s), np.zeros(s, np.int64)[:1],
                                      f(s)[:1]], 0, a
            yield 'Softmax', [f(s)], 0, a
            yield 'ArgMax', [f(s)], 0, a
            yield 'ArgMin', [f(s)], 0, {'axis': axis, 'keepdims': 0}
            yield 'LayerNormalization', [f(s), f(s[-1:])], 1, {'axis': -1}
            yield 'CumSum', [f(s), np.int64(axis)], 1, {}
            yield 'Split', [f(s), ints(s[axis], 0)], 1, a
            yield 'TopK', [f(s), ints(min(1, s[axis]))], 1, a
        yield 'Slice', [f(s), ints(0), ints(1), ints(0)], 3, {}
        yield 'Slice', [f(s), ints(5), ints(-2**63), ints(-1), ints(-1)], 4, {}
        yield 'Slice', [f(s), ints(0), ints(100), ints(0), ints(50)], 4, {}
        yield 'Squeeze', [f((1,) + s[1:]), ints(0)], 1, {}
        yield 'Transpose', [f(s)], 0, {'perm': [*range(1, rank), 0]}
        yield 'MatMul', [f(s), f(s[-1:])], 1, {}
        yield 'MatMul', [f(s), f(s[-1:] + (2,))], 1, {}


def integer_cases():
    rng = np.random.default_rng(1)
    for s in SHAPES:
        for kind in np.int8, np.int32:
            i = lambda t: rng.integers(-9, 9, t).astype(kind)
            for op in 'Abs Neg Sign Relu Identity'.split():
                yield op, [i(s)], 0, {}
            for op in 'Add Sub Mul Max Min Equal Less'.split():
                yield op, [i(s), i(())], 0, {}
                yield op, [i(s), i(inner(s))], 1, {}
            yield 'ReduceSum', [i(s)], 0, {'keepdims': 0}
            yield 'Concat', [i(s or (1,)), i(s or (1,))], 0, {'axis': 0}
        if s != (0,):  # onnxruntime has sums of nothing wrong
            yield 'MatMulInteger', [
                rng.integers(0, 9, s).astype(np.uint8),
                rng.integers(0, 9, s[-1:] + (2,)).astype(np.uint8)], 1, {}
        yield 'Not', [rng.integers(0, 2, s) > 0], 0, {}


def info(name, a):
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)


def shape_of(v):
    return tuple(d.dim_value for d in v.type.tensor_type.shape.dim)


def network(op, arrays, consts, attrs):
    """A network of one node, and one beside it, so that something is left if
    its result is empty; None: onnxruntime wants nothing of it."""
    arrays = [np.asarray(a) for a in arrays]
    names = ['x%d' % i for i in range(len(arrays))]
    n = len(arrays) - consts
    beside = np.float32([-1, 2])
    out = 2 if op in ('TopK', 'Split') else 3 if op.startswith('Dyn') else 1
    ys = ['y%d' % i for i in range(out)]
    g = helper.make_graph(
        [helper.make_node(op, names, ys, name=op, **attrs),
         helper.make_node('Abs', ['x'], ['y'])], 'edge',
        [info(*v) for v in zip(names[:n] + ['x'], arrays[:n] + [beside])],
        [helper.make_empty_tensor_value_info(y) for y in ys + ['y']],
        [numpy_helper.from_array(a, k)
         for k, a in zip(names[n:], arrays[n:])])
    m = helper.make_model(g, ir_version=10,
                          opset_imports=[helper.make_opsetid('', OPSET)])
    try:
        m = onnx.shape_inference.infer_shapes(m, strict_mode=True,
                                              data_prop=True)
        run = ort.InferenceSession(m.SerializeToString())
        want = run.run(None, dict(zip(names[:n], arrays), x=beside))
    except Exception:
        return None
    shapes = [shape_of(y) for y in m.graph.output]
    if not n or [a.shape for a in want] != shapes or \
            max(len(s) for s in shapes) > 8:
        return None
    full = lambda list: [a for a in list if a.size]
    return m, full(arrays[:n] + [beside]), full(want)


def write(top, cases):
    """Lines for EVAL; what each network is, by its path."""
    lines, known = '', {}
    for i, c in enumerate(cases):
        made = network(*c)
        if not made:
            continue
        path = '%s/%d' % (top, i)
        os.mkdir(path)
        onnx.save(made[0], path + '/n.onnx')
        np.savez(path + '/i.npz', *made[1])
        np.savez(path + '/w.npz', *made[2])
        lines += '{0}/n.onnx {0}/i.npz {0}/o.npz {0}/w.npz\n'.format(path)
        known[path + '/n.onnx'] = '%s %s, %d constant, %s' % (
            c[0], ' '.join(str(np.shape(a)) for a in c[1]), c[2], c[3])
    return lines, known


def main():
    every, targets = 1, sys.argv[2:]
    if targets[:1] == ['-e']:
        every, targets = int(targets[1]), targets[2:]
    bad = refused = 0
    with tempfile.TemporaryDirectory() as top:
        lines, known = write(
            top, [*float_cases(), *integer_cases()][::every])
        for t in targets:
            said = subprocess.run([sys.argv[1], '-t', t], input=lines, text=True,
                                  capture_output=True)
            for l in said.stdout.splitlines():
                path, how = l.split(' ', 1)
                if how == 'ok':
                    continue
                if how.startswith('refused') and any(
                        why in how for why in REFUSED):
                    refused += 1
                    continue
                bad += 1
                print('%s: %s: %s' % (t, known[path], how.replace(top, '')))
            print(said.stderr[-3000:], end='')
    print('%d networks at the edges, for %d chips: %d refused, %d wrong' % (
        len(known), len(targets), refused, bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
