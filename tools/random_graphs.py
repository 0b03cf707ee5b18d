#!/usr/bin/env python3
"""Random networks against an oracle: tools/random_graphs.py EVAL [options]

    -n COUNT     graphs of floats, and as many of integers (default 200)
    -f           floats alone
    -s SEED      of the first; graph i has seed SEED + i (default: the time)
    -t TARGET    also run this many of them on a target: -t cortex-m4 -q 10
    -q COUNT
    -c COMPILER  also compile every graph with this tilewright, one built with
                 sanitizers for instance, for the chips by turns
    -k DIR       keep the graphs that fail, as DIR/SEED/

EVAL is the driver test/ir/eval.c, built.  Floats are judged by onnxruntime within
1e-4 absolute or relative, integers by tools/dialect.py exactly; on a target by
`tilewright run`.  Graphs whose values leave the range where such a comparison
means something are thrown away.  The seeds are printed: any graph can be made
again with -n 1 -s SEED.
"""
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

import dialect
from random_more import MORE

warnings.filterwarnings('ignore')
ort.set_default_logger_severity(4)
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')

# Where a small error stays small ...
SMOOTH = '''Abs Neg Relu Sigmoid Tanh Erf Softplus Softsign HardSigmoid
HardSwish Elu Selu Celu LeakyRelu Mish Gelu Sin Cos Atan Asinh
ThresholdedRelu'''.split()
# ... and where it does not: only on what comes from outside.
STEPS = 'Floor Ceil Round Sign'.split()
REDUCE = '''ReduceSum ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2
ReduceSumSquare ReduceLogSumExp'''.split()


OPSET = 24
CHIPS = 'cortex-m4 gap8 rv32imc siracusa cortex-m55 gap9 cortex-m7'.split()


class Dead(Exception):
    """This operator does not fit these values; another is tried."""


class Net:
    """A graph that grows by random nodes; shapes are known all along."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.inits, self.shape = [], {}, {}
        self.inputs, self.read, self.n = [], set(), 0
        self.type = {}     # of what is not float

    def pick(self, *what):
        return what[self.rng.integers(len(what))]

    def chance(self, p):
        return self.rng.random() < p

    def size(self, lo, hi):
        if hi < lo:
            raise Dead
        return int(self.rng.integers(lo, hi + 1))

    def input(self, shape):
        self.n += 1
        name = 'in%d' % self.n
        self.shape[name] = tuple(shape)
        self.inputs.append(name)
        return name

    def value(self, *ranks):
        """A value of one of these ranks, the newest most often."""
        known = [v for v in self.shape if v not in self.inits and
                 self.type.get(v, 1) == TensorProto.FLOAT and
                 (not ranks or len(self.shape[v]) in ranks)]
        if not known:
            raise Dead
        known = known[-3:] if self.chance(0.7) else known
        return self.pick(*known)

    def const(self, value, dtype=np.float32):
        self.n += 1
        name = 'c%d' % self.n
        self.inits[name] = np.asarray(value, dtype)
        return name

    def normal(self, *shape, fan=1):
        return self.const(self.rng.normal(0, fan ** -0.5, shape))

    def node(self, op, *x, outputs=1, **attrs):
        self.n += 1
        ys = ['v%d_%d' % (self.n, i) for i in range(outputs)]
        made = helper.make_node(op, list(x), ys, name='%s_%d' % (op, self.n),
                                **attrs)
        shapes = infer(made, self)
        self.nodes.append(made)
        self.read.update(x)
        self.shape.update(zip(ys, shapes))
        return ys[0]

    def model(self, opset=OPSET):
        info = helper.make_tensor_value_info
        ends = [v for v in self.shape if v not in self.read and
                v not in self.inputs]
        used = {k: v for k, v in self.inits.items() if k in self.read}
        return helper.make_model(helper.make_graph(
            self.nodes, 'random',
            [info(v, TensorProto.FLOAT, self.shape[v]) for v in self.inputs],
            [info(v, self.type.get(v, TensorProto.FLOAT), None) for v in ends],
            [numpy_helper.from_array(v, k) for k, v in used.items()]),
            ir_version=9, opset_imports=[helper.make_opsetid('', opset)])


def infer(n, net):
    """Result shapes of a node; Dead if it is none that ONNX allows."""
    info = helper.make_tensor_value_info
    read = set(n.input).union(*(d.input for a in n.attribute
                                for d in a.g.node))
    consts = [x for x in read if x in net.inits]
    g = helper.make_graph(
        [n], 'one', [info(x, net.type.get(x, TensorProto.FLOAT),
                          net.shape[x])
                     for x in read if x in net.shape],
        [info(y, TensorProto.UNDEFINED, None) for y in n.output],
        [numpy_helper.from_array(net.inits[x], x) for x in set(consts)])
    m = helper.make_model(g, ir_version=9, opset_imports=[
        helper.make_opsetid("", OPSET)])
    try:
        m = onnx.shape_inference.infer_shapes(m, strict_mode=True,
                                              data_prop=True)
    except Exception:
        raise Dead
    types = [o.type.tensor_type for o in m.graph.output]
    shapes = [tuple(d.dim_value for d in t.shape.dim) for t in types]
    if not all(t.HasField('shape') and min(s, default=1) for t, s in
               zip(types, shapes)):
        shapes = run_one(m, net)
    if any(min(s, default=1) < 1 or np.prod(s) > 20000 or len(s) > 8
           for s in shapes):
        raise Dead
    net.type.update((o.name, t.elem_type) for o, t in
                    zip(m.graph.output, types))
    return shapes


def run_one(m, net):
    """Shapes that only running shows: those that depend on constants."""
    try:
        s = ort.InferenceSession(m.SerializeToString())
        return [v.shape for v in s.run(None, {v.name: np.zeros(
            net.shape[v.name], helper.tensor_dtype_to_np_dtype(
                v.type.tensor_type.elem_type)) for v in m.graph.input})]
    except Exception:
        raise Dead


GROW = []


def grow(weight):
    return lambda f: GROW.extend([f] * weight) or f


@grow(6)
def unary(n):
    n.node(n.pick(*SMOOTH), n.value())


@grow(1)
def step(n):
    n.node(n.pick(*STEPS), n.pick(*n.inputs))


@grow(1)
def positive(n):
    x = n.node('Add', n.node('Abs', n.value()), n.const(0.5))
    n.node(n.pick('Sqrt', 'Log', 'Reciprocal'), x)


@grow(1)
def bounded(n):
    x = n.node('Tanh', n.value())
    x = n.node('Mul', x, n.const(0.9))
    n.node(n.pick('Asin', 'Acos', 'Atanh', 'Exp', 'Sinh', 'Cosh', 'Tan'), x)


@grow(1)
def power(n):
    x = n.value()
    if n.chance(0.5):
        n.node('Pow', x, n.const(n.pick(2, 3)))
    else:
        x = n.node('Add', n.node('Abs', x), n.const(0.5))
        n.node('Pow', x, n.const(n.rng.uniform(-1, 1.5)))


@grow(1)
def shrink(n):
    n.node('Shrink', n.pick(*n.inputs), bias=0.2, lambd=0.4)


def compared(n, x):
    """Truth values that a rounding error does not turn."""
    c = n.node(n.pick('Greater', 'Less', 'GreaterOrEqual', 'LessOrEqual'), x,
               n.const(0.123))
    return n.node('Not', c) if n.chance(0.3) else c


@grow(1)
def choose(n):
    x = n.pick(*n.inputs)
    c = compared(n, x)
    if n.chance(0.4):
        c = n.node(n.pick('And', 'Or', 'Xor'), c, compared(n, x))
    n.node('Where', c, partner(n, n.shape[x]), x)


@grow(1)
def position(n):
    x = n.pick(*n.inputs)
    y = n.node(n.pick('ArgMax', 'ArgMin'), x, keepdims=n.size(0, 1),
               axis=n.size(0, len(n.shape[x]) - 1))
    n.node('Cast', y, to=TensorProto.FLOAT)


@grow(1)
def topk(n):
    x = n.pick(*n.inputs)
    axis = n.size(0, len(n.shape[x]) - 1)
    y = n.node('TopK', x, n.const([n.size(1, min(4, n.shape[x][axis]))],
                                  np.int64), outputs=2, axis=axis,
               largest=n.size(0, 1))
    n.node('Cast', y[:-1] + '1', to=TensorProto.FLOAT)


@grow(1)
def truncate(n):
    y = n.node('Cast', n.pick(*n.inputs), to=n.pick(TensorProto.INT32,
                                                    TensorProto.INT8))
    n.node('Cast', y, to=TensorProto.FLOAT)


@grow(1)
def remainder(n):
    n.node('Mod', n.pick(*n.inputs), n.const(0.7), fmod=1)


@grow(2)
def several(n):
    x = n.value()
    n.node(n.pick('Sum', 'Mean', 'Max', 'Min'), x, *(
        partner(n, n.shape[x]) for _ in range(n.size(0, 3))))


@grow(2)
def clip(n):
    lo, hi = sorted(n.rng.normal(0, 1, 2))
    n.node('Clip', n.value(), n.pick('', n.const(lo)), n.const(hi))


def partner(n, shape):
    """An operand that broadcasts with this shape: a value or a constant."""
    same = [v for v in n.shape if n.shape[v] == shape and
            n.type.get(v, 1) == TensorProto.FLOAT]
    if same and n.chance(0.6):
        return n.pick(*same)
    cut = shape[n.size(0, len(shape)):]
    return n.normal(*(1 if n.chance(0.4) else d for d in cut))


@grow(6)
def binary(n):
    x = n.value()
    y = partner(n, n.shape[x])
    x, y = (x, y) if n.chance(0.5) else (y, x)
    n.node(n.pick('Add', 'Sub', 'Mul', 'Min', 'Max'), x, y)


@grow(1)
def divide(n):
    x = n.value()
    n.node('Div', x, n.const(n.rng.uniform(0.5, 2, n.shape[x][-1:])))


@grow(1)
def where(n):
    x = n.value()
    s = n.shape[x]
    n.node('Where', n.const(n.rng.random(s) < 0.5, bool), x, partner(n, s))


@grow(1)
def prelu(n):
    x = n.value()
    n.node('PRelu', x, n.normal(*n.shape[x][1:]))


def window(n, x, most=4):
    """A kernel that fits x, its padding and steps."""
    size = n.shape[x][2:]
    k = [n.size(1, most) for _ in size]
    pads = [n.size(0, (v - 1)) for v in k + k]
    if any(v > d + a + b for v, d, a, b in
           zip(k, size, pads, pads[len(k):])):
        raise Dead
    return dict(kernel_shape=k, strides=[n.size(1, 2) for _ in k], pads=pads)


@grow(5)
def conv(n):
    x = n.value(3, 4)
    c, spatial = n.shape[x][1], len(n.shape[x]) - 2
    group = n.pick(1, 1, c) if c % 2 else n.pick(1, 2, c)
    m = group * n.size(1, 4)
    a = window(n, x)
    a['dilations'] = [n.pick(1, 1, 2) for _ in range(spatial)]
    if n.chance(0.2):
        del a['pads']
        a['auto_pad'] = n.pick('SAME_UPPER', 'SAME_LOWER', 'VALID')
    fan = c // group * np.prod(a['kernel_shape'])
    w = n.normal(m, c // group, *a['kernel_shape'], fan=fan)
    b = [n.normal(m)] if n.chance(0.6) else []
    y = n.node('Conv', x, w, *b, group=group, **a)
    if n.chance(0.4):
        n.node('Relu', y)


@grow(1)
def convtranspose(n):
    x = n.value(3, 4)
    c, spatial = n.shape[x][1], len(n.shape[x]) - 2
    a = window(n, x, 3)
    group = n.pick(1, c)
    w = n.normal(c, n.size(1, 4), *a['kernel_shape'], fan=c)
    n.node('ConvTranspose', x, w, group=group, **a)


@grow(3)
def pool(n):
    x = n.value(3, 4)
    a = window(n, x, 3)
    op = n.pick('MaxPool', 'AveragePool', 'AveragePool')
    if op == 'AveragePool':
        a['count_include_pad'] = n.size(0, 1)
    n.node(op, x, ceil_mode=n.pick(0, 0, 1), **a)


@grow(1)
def globalpool(n):
    n.node(n.pick('GlobalAveragePool', 'GlobalMaxPool'), n.value(3, 4))


@grow(2)
def norm(n):
    x = n.value(3, 4)
    c = n.shape[x][1]
    if n.chance(0.5):
        n.node('BatchNormalization', x, n.normal(c), n.normal(c), n.normal(c),
               n.const(n.rng.uniform(0.5, 2, c)))
    elif np.prod(n.shape[x][2:]) > 1:
        # Of one element the result is the bias: onnxruntime is off by the
        # rounding of scale * x - scale * mean where x is in the thousands.
        n.node('InstanceNormalization', x, n.normal(c), n.normal(c),
               epsilon=0.1)


@grow(1)
def groupnorm(n):
    x = n.value(3, 4)
    c = n.shape[x][1]
    groups = n.pick(*(g for g in range(1, c + 1) if c % g == 0))
    n.node('GroupNormalization', x, n.normal(c), n.normal(c),
           num_groups=groups, epsilon=0.1)


@grow(1)
def localnorm(n):
    x = n.value(4)
    if n.chance(0.5):
        n.node('LRN', x, size=n.pick(1, 3, 5), alpha=0.1, beta=0.6)
    else:
        n.node('LpPool', x, p=n.pick(1, 2), **window(n, x, 3))


@grow(1)
def lpnorm(n):
    """Not of values near 0, whose rounding errors it would make large."""
    x = n.node('Add', n.node('Abs', n.value(2, 3, 4)), n.const(0.5))
    n.node('LpNormalization', x, axis=n.size(0, 1), p=n.size(1, 2))


@grow(2)
def layernorm(n):
    x = n.value()
    axis = n.size(-len(n.shape[x]), -1)
    s = n.shape[x][axis:]
    n.node('LayerNormalization', x, n.normal(*s), *n.pick([], [n.normal(*s)]),
           axis=axis, epsilon=0.1)


@grow(2)
def softmax(n):
    x = n.value()
    n.node(n.pick('Softmax', 'LogSoftmax'), x,
           axis=n.size(-len(n.shape[x]), len(n.shape[x]) - 1))


@grow(3)
def matmul(n):
    x = n.value(2, 3, 4)
    k = n.shape[x][-1]
    if n.chance(0.3):
        n.node('MatMul', x, n.node('Transpose', x, perm=list(
            range(len(n.shape[x]) - 2)) + [len(n.shape[x]) - 1,
                                           len(n.shape[x]) - 2]))
    else:
        n.node('MatMul', x, n.normal(k, n.size(1, 12), fan=k))


@grow(2)
def gemm(n):
    x = n.value(2)
    a = dict(transA=n.size(0, 1), transB=n.size(0, 1),
             alpha=n.pick(1.0, 0.5), beta=n.pick(1.0, 2.0))
    k, m = n.shape[x][0 if a['transA'] else 1], n.size(1, 12)
    w = n.normal(*((m, k) if a['transB'] else (k, m)), fan=k)
    n.node('Gemm', x, w, *n.pick([], [n.normal(m)], [n.normal(1)]), **a)


@grow(2)
def reduce(n):
    x = n.value()
    rank = len(n.shape[x])
    axes = sorted(n.rng.permutation(rank)[:n.size(1, rank)])
    n.node(n.pick(*REDUCE), x, n.const(axes, np.int64),
           keepdims=n.size(0, 1))


@grow(3)
def transpose(n):
    x = n.value(1, 2, 3, 4, 5)
    n.node('Transpose', x, perm=[int(i) for i in
                                 n.rng.permutation(len(n.shape[x]))])


@grow(2)
def reshape(n):
    x = n.value()
    s = list(n.shape[x])
    if len(s) > 1 and n.chance(0.5):
        i = n.size(0, len(s) - 2)
        s[i:i + 2] = [s[i] * s[i + 1]]
    else:
        i = n.size(0, len(s) - 1) if s else 0
        d = next((d for d in (2, 3, 5) if s and s[i] % d == 0), 1)
        s[i:i + 1] = [d, s[i] // d] if s else [1]
    n.node('Reshape', x, n.const(s, np.int64))


@grow(1)
def unsqueeze(n):
    x = n.value(1, 2, 3)
    y = n.node('Unsqueeze', x, n.const([n.size(0, len(n.shape[x]))], np.int64))
    if n.chance(0.3):
        n.node('Flatten', y, axis=n.size(0, len(n.shape[y])))


@grow(2)
def slice_(n):
    x = n.value(1, 2, 3, 4)
    axis = n.size(0, len(n.shape[x]) - 1)
    d = n.shape[x][axis]
    a, b = sorted((n.size(0, d), n.size(0, d)))
    step = n.pick(1, 1, 2, -1)
    a, b = (a, b) if step > 0 else (b - 1, a - 1 if a else -d - 1)
    n.node('Slice', x, *(n.const([v], np.int64) for v in (a, b, axis, step)))


@grow(3)
def concat(n):
    x = n.value(1, 2, 3, 4)
    axis = n.size(0, len(n.shape[x]) - 1)
    rest = lambda v: n.shape[v][:axis] + n.shape[v][axis + 1:]
    same = [v for v in n.shape if len(n.shape[v]) == len(n.shape[x]) and
            rest(v) == rest(x) and n.type.get(v, 1) == n.type.get(x, 1)]
    n.node('Concat', *(n.pick(*same) for _ in range(n.size(1, 3))), axis=axis)


@grow(2)
def split(n):
    x = n.value(1, 2, 3, 4)
    axis = n.size(0, len(n.shape[x]) - 1)
    d = n.shape[x][axis]
    if d < 2:
        raise Dead
    at = n.size(1, d - 1)
    n.node('Split', x, n.const([at, d - at], np.int64), outputs=2, axis=axis)


@grow(2)
def pad(n):
    x = n.value(2, 3, 4)
    mode = n.pick('constant', 'constant', 'reflect', 'edge')
    most = min(n.shape[x]) - 1 if mode == 'reflect' else 2
    pads = [n.size(0, min(2, most)) for _ in range(2 * len(n.shape[x]))]
    n.node('Pad', x, n.const(pads, np.int64), n.const(0.5), mode=mode)


@grow(1)
def tile(n):
    x = n.value(1, 2, 3)
    n.node('Tile', x, n.const([n.size(1, 2) for _ in n.shape[x]], np.int64))


@grow(1)
def expand(n):
    x = n.value(1, 2, 3)
    s = [n.size(1, 3) if d == 1 else d for d in n.shape[x]]
    n.node('Expand', x, n.const([2] + s, np.int64))


@grow(2)
def gather(n):
    x = n.value(1, 2, 3, 4)
    axis = n.size(0, len(n.shape[x]) - 1)
    d = n.shape[x][axis]
    n.node('Gather', x, n.const(n.rng.integers(-d, d, n.pick((), (3,), (2, 2))),
                                np.int64), axis=axis)


@grow(1)
def elements(n):
    x = n.value(1, 2, 3)
    axis = n.size(0, len(n.shape[x]) - 1)
    s = list(n.shape[x])
    d, s[axis] = s[axis], n.size(1, s[axis])
    index = np.argsort(n.rng.random(n.shape[x]), axis=axis)
    index = n.const(np.take(index, range(s[axis]), axis), np.int64)
    if n.chance(0.5):
        n.node('GatherElements', x, index, axis=axis)
    else:
        n.node('ScatterElements', x, index, n.normal(*s), axis=axis,
               reduction=n.pick('none', 'add', 'max'))


@grow(1)
def tuples(n):
    x = n.value(2, 3)
    s = n.shape[x]
    count = n.size(1, s[0])
    index = n.rng.permutation(s[0])[:count].reshape(count, 1)
    if n.chance(0.5):
        n.node('GatherND', x, n.const(index, np.int64))
    else:
        n.node('ScatterND', x, n.const(index, np.int64),
               n.normal(count, *s[1:]), reduction=n.pick('none', 'add', 'mul'))


@grow(1)
def triangle(n):
    n.node('Trilu', n.value(2, 3, 4), upper=n.size(0, 1))


@grow(1)
def einsum(n):
    x = n.value(3)
    b, i, k = n.shape[x]
    n.node('Einsum', x, n.normal(b, k, 3, fan=k), equation='bik,bkj->bij')


@grow(1)
def resize(n):
    x = n.value(4)
    scale = n.const([1, 1, n.pick(1, 2), n.pick(2, 3)])
    how = n.pick(('nearest', 'asymmetric'), ('linear', 'half_pixel'),
                 ('linear', 'align_corners'))
    attrs = dict(nearest_mode='floor') if how[0] == 'nearest' else {}
    n.node('Resize', x, '', scale, mode=how[0],
           coordinate_transformation_mode=how[1], **attrs)


@grow(1)
def space(n):
    x = n.value(4)
    op = n.pick('SpaceToDepth', 'DepthToSpace')
    attrs = {} if op == 'SpaceToDepth' else dict(mode=n.pick('DCR', 'CRD'))
    n.node(op, x, blocksize=2, **attrs)


@grow(1)
def cumsum(n):
    x = n.value(1, 2, 3)
    n.node('CumSum', x, n.const(n.size(0, len(n.shape[x]) - 1), np.int64),
           exclusive=n.size(0, 1), reverse=n.size(0, 1))


@grow(1)
def recurrent(n):
    x = n.value(3)
    d, h = n.shape[x][2], n.size(1, 6)
    op, gates = n.pick(('LSTM', 4), ('GRU', 3))
    ways = n.pick(('forward', 1), ('reverse', 1), ('bidirectional', 2))
    if n.shape[x][0] > 12:
        raise Dead
    n.node(op, x, n.normal(ways[1], gates * h, d, fan=d),
           n.normal(ways[1], gates * h, h, fan=h),
           n.normal(ways[1], 2 * gates * h), hidden_size=h, direction=ways[0])


def first_shape(n):
    """Mostly of images, else of up to eight dimensions, or a number."""
    if n.chance(0.75):
        shape = [n.size(1, 3), n.size(1, 6), n.size(2, 9), n.size(2, 9)]
        return shape[n.pick(0, 0, 1, 2):]
    return [n.size(1, 3) for _ in range(n.size(0, 8))]


def random_float(seed):
    n = Net(seed)
    n.input(first_shape(n))
    if n.chance(0.4):
        n.input(n.shape[n.inputs[0]])
    for _ in range(n.size(60, 150) if n.chance(0.03) else n.size(2, 9)):
        try:
            n.pick(*GROW, *MORE)(n)
        except Dead:
            pass
    if not n.nodes or not set(n.inputs) <= n.read:
        return None
    x = {v: n.rng.normal(0, 1, n.shape[v]).astype(np.float32)
         for v in n.inputs}
    m = n.model()
    o = ort.SessionOptions()
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    o.intra_op_num_threads = 1
    try:
        y = ort.InferenceSession(m.SerializeToString(), o).run(None, x)
    except Exception:
        return None
    if any(not np.isfinite(v).all() or np.abs(v).max(initial=0) > 1e4
           for v in y):
        return None
    return m, x, y


class Ints(Net):
    """Networks of the integer dialect; every value is known while it grows,
    so that requantization can be made to fit."""

    def __init__(self, seed):
        super().__init__(seed)
        self.now = {}

    def node(self, op, *x, outputs=1, **attrs):
        self.n += 1
        y = 'v%d' % self.n
        made = helper.make_node(op, list(x), [y], name='n%d' % self.n, **attrs)
        v = {**self.inits, **self.now}
        try:
            got = dialect.OPS[op](dialect.Node(made), *(
                np.asarray(v[i], np.int64) if i else None for i in x))
        except (ValueError, IndexError):
            raise Dead
        if got.size > 20000 or not got.size or abs(got).max() > 2 ** 30:
            raise Dead
        self.nodes.append(made)
        self.read.update(x)
        self.now[y], self.shape[y] = got, got.shape
        return y

    def small(self, *shape):
        return self.const(self.rng.integers(-127, 128, shape))

    def narrow(self, x):
        """Back to 8 bits by a RequantShift, per channel or not."""
        v = self.now[x]
        per = self.channels(v.shape) if self.chance(0.5) else \
            self.pick((1,), (), (1, 1))
        is_signed = bool(self.size(0, 1))
        top = max(1, int(np.abs(v).max()))
        bits = self.pick(8, 12, 16)
        mul = max(1, int(127 * 2 ** bits / top))
        m = np.maximum(1, np.rint(mul * self.rng.uniform(0.4, 1.2, per)))
        a = np.rint(self.rng.normal(0, 20, per) * 2 ** bits)
        levels = self.pick('n_levels', 'n_levels_out')
        return self.node('RequantShift', x, self.const(m), self.const(a),
                         div=self.number(2 ** bits),
                         signed=self.number(is_signed),
                         **{levels: self.number(256)})

    def channels(self, s):
        """A shape of one element per channel, as exporters write it."""
        if len(s) < 2:
            return (1,)
        if len(s) == 2:
            return self.pick((s[1],), (s[0], 1))
        return self.pick((s[1],), (s[1],) + (1,) * (len(s) - 2),
                         (1, s[1]) + (1,) * (len(s) - 2))

    def number(self, v):
        """A scalar attribute in one of its encodings."""
        return self.pick(int(v), float(v),
                         numpy_helper.from_array(np.float32(v)),
                         numpy_helper.from_array(np.float32([v])))


def int_conv(n):
    x = n.value(3, 4)
    c = n.shape[x][1]
    group = n.pick(1, c)
    a = window(n, x, 3)
    n.narrow(n.node('Conv', x, n.small(group * n.size(1, 4), c // group,
                                       *a['kernel_shape']), group=group, **a))


def int_matmul(n):
    x = n.value(2, 3, 4)
    y = n.node('MatMul', x, n.small(n.shape[x][-1], n.size(1, 12)))
    if n.chance(0.5):
        y = n.node('Add', y, n.small(n.shape[y][-1]))
    n.narrow(y)


def int_matmul_dynamic(n):
    x = n.value(2, 3, 4)
    y = n.node('Transpose', x, perm=[*range(len(n.shape[x]) - 2),
                                     len(n.shape[x]) - 1,
                                     len(n.shape[x]) - 2])
    n.narrow(n.node('MatMul', *n.pick((x, y), (y, x))))


def int_gemm(n):
    x, m = n.value(2), n.size(1, 12)
    ta, tb = n.size(0, 1), n.size(0, 1)
    rows, k = n.shape[x][::-1] if ta else n.shape[x]
    w = n.small(*((m, k) if tb else (k, m)))
    c = n.small(*n.pick((m,), (rows, m), (1, m), (rows, 1), (1,)))
    n.narrow(n.node('Gemm', x, w, c, transA=ta, transB=tb,
                    alpha=float(n.size(1, 3)), beta=float(n.size(1, 2))))


def int_add(n):
    x = n.value()
    same = [v for v in n.shape if n.shape[v] == n.shape[x]]
    n.narrow(n.node(n.pick('Add', 'Sub', 'Mul'), x, n.pick(*same)))


def int_pool(n):
    x = n.value(3, 4)
    n.node('MaxPool', x, **window(n, x, 3))


def int_mean(n):
    x = n.value(2, 3, 4)
    axis = n.size(0, len(n.shape[x]) - 1) - n.pick(0, len(n.shape[x]))
    op = n.pick('ReduceMean', 'IntegerMean', 'ReduceSum')
    n.node(op, x, axes=n.pick([axis], axis) if op == 'IntegerMean' else [axis],
           keepdims=n.size(0, 1))


def int_row(n):
    x = n.value(2, 3, 4)
    d = n.shape[x][-1]
    tensor = n.number
    what = n.size(0, 5)
    if what == 0:
        n.node('iSoftmax', x, coeffA=tensor(1), coeffB=tensor(n.size(20, 200)),
               coeffC=tensor(n.size(100, 9000)), log2=tensor(n.size(3, 99)),
               n_levels=tensor(256))
    elif what == 1:
        n.node('iLayerNorm', x, n.small(d), n.small(d), D=tensor(2 ** 4),
               n_levels=tensor(256))
    elif what == 2:
        n.node('iRMSNorm', x, n.small(d), D=2 ** n.size(3, 6), n_levels=256)
    elif what == 3:
        n.narrow(n.node('iGELU', x, b=-n.size(20, 127),
                        one=n.size(2000, 16000)))
    elif n.now[x].min() < -128 or n.now[x].max() > 127:
        raise Dead
    elif what == 4:
        n.node('ITAMax', x, n_levels=tensor(256))
    else:
        n.node('ITAPartialMax', n.narrow(x), n_levels=tensor(256),
               group_width=n.pick(*(w for w in range(1, d + 1) if not d % w)))


def int_scale(n):
    x = n.value()
    what = n.size(0, 3)
    if what == 0:
        n.narrow(n.node('TrueIntegerDiv', x, Delta=n.pick(1, 256, 16384),
                        eta=n.pick(1, 1000, 200000), eps=n.size(0, 1),
                        y=n.size(1, 9)))
    elif what == 1:
        n.narrow(n.node('iHardswish', x, one_over_six=n.size(1, 43),
                        three=n.size(10, 60), six=n.size(20, 120)))
    elif what == 2:
        w = n.small(*n.shape[x][1:])
        n.narrow(n.node('iNoNorm', x, w, n.small(n.shape[x][-1]),
                        D=n.number(2 ** n.size(1, 6)), mul=n.number(3),
                        n_levels=n.number(256)))
    else:
        # an odd denominator: no exact ties, which no definition settles
        y = n.const(n.rng.integers(1, 100, n.shape[x][:-1] + (1,)))
        n.narrow(n.node('IntegerDiv', x, y, Delta=n.size(1, 256),
                        eta=2 * n.size(1, 100), eps=1))


def int_more(n):
    x = n.value(2, 3, 4)
    rank = len(n.shape[x])
    if n.chance(0.5):
        n.narrow(n.node('ReduceSum', x, axes=[n.size(0, 1)], keepdims=1))
    else:
        n.node('Pad', x, pads=[n.size(0, 2) for _ in range(2 * rank)],
               value=float(n.size(-9, 9)))


def int_move(n):
    n.pick(transpose, reshape, slice_, concat, int_shape, int_pad,
           int_gather)(n)


def int_shape(n):
    x = n.value()
    if 1 in n.shape[x] and len(n.shape[x]) > 1 and n.chance(0.5):
        n.node('Squeeze', x, axes=[n.shape[x].index(1)])
    elif len(n.shape[x]) < 4:
        n.node('Unsqueeze', x, axes=[n.size(0, len(n.shape[x]))])


def int_pad(n):
    x = n.value(3, 4)
    d = len(n.shape[x])
    pads = [0] * 2 * d
    for i in range(2, d):
        pads[i], pads[d + i] = n.size(0, 2), n.size(0, 2)
    n.node('Pad', x, mode='constant', pads=pads, value=float(n.size(-3, 3)))


def int_gather(n):
    x = n.value(2, 3, 4)
    axis = n.size(0, len(n.shape[x]) - 1)
    n.node('Gather', x, n.const(n.size(0, n.shape[x][axis] - 1), np.int64),
           axis=axis)


def exported(m, n):
    """The same model as other exporters write it: nodes in any order,
    initializers among the inputs, the default domain imported twice."""
    g = m.graph
    if n.chance(0.3):
        nodes = [g.node[i] for i in n.rng.permutation(len(g.node))]
        del g.node[:]
        g.node.extend(nodes)
    if n.chance(0.3):
        g.input.extend(helper.make_tensor_value_info(
            t.name, t.data_type, t.dims) for t in g.initializer)
    if n.chance(0.2):
        m.opset_import.append(helper.make_opsetid('', n.size(9, 19)))
    for d in g.node:
        if d.op_type[0] == 'i' or 'Requant' in d.op_type:
            d.domain = n.pick('', 'PACTOps', 'ai.onnx.contrib')
    return m


def random_integer(seed):
    n = Ints(seed)
    shape = [n.size(1, 2), n.size(1, 6), n.size(2, 9), n.size(2, 9)]
    x = n.input(shape[n.pick(0, 0, 1, 2):])
    n.now[x] = n.rng.integers(-128, 128, n.shape[x])
    for _ in range(n.size(2, 8)):
        try:
            n.pick(int_conv, int_conv, int_matmul, int_matmul_dynamic,
                   int_gemm, int_add, int_pool, int_mean, int_row, int_scale,
                   int_more, int_move)(n)
        except Dead:
            pass
    if not n.nodes or not any(d.op_type == 'RequantShift' for d in n.nodes):
        return None
    m = exported(n.model(13), n)
    return m, {x: n.now[x]}, [n.now[o.name] for o in m.graph.output]


class Case:
    def __init__(self, top, seed, exact, made):
        self.seed, self.exact, self.why = seed, exact, ''
        self.path = '%s/%s%d' % (top, 'int' if exact else 'float', seed)
        m, x, self.want = made
        os.makedirs(self.path)
        onnx.save(m, self.path + '/network.onnx')
        np.savez(self.path + '/inputs.npz', **x)
        np.savez(self.path + '/outputs.npz', *self.want)
        self.ops = ' '.join(n.op_type for n in m.graph.node)

    def judge(self, said):
        if said != 'ok':
            self.why = said
            return
        z = np.load(self.path + '/got.npz')
        for k, w in zip(z.files, self.want):
            if z[k].shape != w.shape:
                self.why = 'shape %s, wanted %s' % (z[k].shape, w.shape)
                return
            d = np.abs(z[k].astype(np.float64) - w)
            d = d if self.exact else d / np.maximum(1, np.abs(w))
            if not (d <= (0 if self.exact else 1e-4)).all():
                self.why = '%s differs by up to %g' % (k, d.max(initial=0))


def run_host(driver, cases, *flags):
    lines = ''.join('{0}/network.onnx {0}/inputs.npz {0}/got.npz\n'.format(
        c.path) for c in cases)
    said = subprocess.run([driver, '-t', 'host', *flags], input=lines,
                          capture_output=True, text=True).stdout
    said = dict(l.split(' ', 1) for l in said.splitlines() if ' ' in l)
    for c in cases:
        c.judge(said.get(c.path + '/network.onnx', 'no answer'))


def run_target(target, cases):
    for c in cases:
        r = subprocess.run(
            [root + '/tilewright', 'run', c.path + '/network.onnx', '-q', '-t',
             target, '-i', c.path + '/inputs.npz', '-e',
             c.path + '/outputs.npz'], capture_output=True, text=True)
        if r.returncode:
            c.why = '%s: exit %d: %s' % (target, r.returncode,
                                         r.stderr.strip()[-300:])


def run_compiler(program, cases):
    """Large graphs need not fit (exit 3)."""
    for c, chip in zip(cases, itertools.cycle(CHIPS)):
        r = subprocess.run(
            [program, 'compile', c.path + '/network.onnx', '-q', '-t', chip,
             '-i', c.path + '/inputs.npz', '-o', c.path + '/project'],
            capture_output=True, text=True)
        if r.returncode not in (0, 3):
            c.why = '%s: exit %d: %s' % (chip, r.returncode, r.stderr[:2000])


def make(top, count, seed, exact):
    cases = []
    while len(cases) < count:
        made = (random_integer if exact else random_float)(seed)
        if made:
            cases.append(Case(top, seed, exact, made))
        elif count == 1:
            break
        seed += 1
    return cases


def main():
    args = sys.argv[2:]
    option = lambda k, none: args[args.index(k) + 1] if k in args else none
    count, seed = int(option('-n', 200)), int(option('-s', time.time()))
    target, keep = option('-t', None), option('-k', None)
    print('seed %d' % seed)
    with tempfile.TemporaryDirectory() as top:
        floats = make(top, count, seed, False)
        ints = [] if '-f' in args else make(top, count, seed, True)
        run_host(sys.argv[1], floats)
        run_host(sys.argv[1], ints, '-v')
        on = [c for c in floats + ints if not c.why]
        on = on[::max(1, len(on) // int(option('-q', 10)))] if target else []
        run_target(target, on)
        if '-c' in args:
            run_compiler(option('-c', None),
                         [c for c in floats + ints if not c.why])
        bad = [c for c in floats + ints if c.why]
        for c in bad:
            print('%s: %s\n    %s' % (os.path.basename(c.path), c.why.replace(
                top, ''), c.ops))
            if keep:
                shutil.copytree(c.path, '%s/%s' % (
                    keep, os.path.basename(c.path)), dirs_exist_ok=True)
    print('%d random graphs of floats, %d of integers, %d on %s: %d fail' %
          (len(floats), len(ints), len(on), target or 'a target', len(bad)))
    return len(bad) != 0


if __name__ == '__main__':
    sys.exit(main())
