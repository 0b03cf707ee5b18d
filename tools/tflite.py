#!/usr/bin/env python3
"""Random TensorFlow Lite models of one operator against the micro runtime.

    tools/tflite.py check [-n COUNT] [--seed S] [--op NAME] [--whole EVERY]
                          [--target TARGET]
    tools/tflite.py write DIR      the small files of test/front/tflite

Needs the packages tflite_micro (--pre), ai-edge-litert, flatbuffers and numpy.  Each model
is run by the micro runtime's reference kernels and by build/test/models_eval, the plain
kernels on the graph as it is read; each EVERYth also by `tilewright run`, on TARGET (host).
Integers must be equal, floats within 1e-4.  What differs is left in build/tflite/.
"""
import argparse
import os
import pickle
import subprocess
import sys
import numpy as np
import flatbuffers
from ai_edge_litert import schema_py_generated as s

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
T = s.TensorType
OP = s.BuiltinOperator
DTYPE = {T.FLOAT32: np.float32, T.INT8: np.int8, T.UINT8: np.uint8,
         T.INT16: np.int16, T.INT32: np.int32, T.INT64: np.int64,
         T.BOOL: np.bool_, T.INT4: np.int8}


class Model:
    """One operator, or a few, and the numbers it is run on."""

    def __init__(self, rng):
        self.rng = rng
        self.m = m = s.ModelT()
        self.g = g = s.SubGraphT()
        m.version, m.subgraphs, m.buffers = 3, [g], [s.BufferT()]
        m.operatorCodes, g.tensors, g.operators = [], [], []
        g.inputs, g.outputs, self.x = [], [], []
        self.tolerance = 0

    def tensor(self, shape, kind, scale=None, zero=0, dim=0, data=None,
               variable=False):
        t = s.TensorT()
        t.shape, t.type = [int(i) for i in shape], kind
        t.name = b't%d' % len(self.g.tensors)
        t.isVariable = variable
        if scale is not None:
            q = t.quantization = s.QuantizationParametersT()
            q.scale = np.atleast_1d(np.float32(scale)).tolist()
            q.zeroPoint = [int(zero)] * len(q.scale)
            q.quantizedDimension = dim
        if data is not None:
            b = s.BufferT()
            if kind == T.INT4:
                d = np.append(data.reshape(-1), np.zeros(data.size % 2, np.int8))
                data = (d[0::2] & 15 | (d[1::2] & 15) << 4).astype(np.uint8)
            b.data = np.frombuffer(data.tobytes(), np.uint8)
            self.m.buffers.append(b)
            t.buffer = len(self.m.buffers) - 1
        self.g.tensors.append(t)
        return len(self.g.tensors) - 1

    def op(self, code, ins, outs, options=None):
        c = s.OperatorCodeT()
        c.builtinCode, c.deprecatedBuiltinCode = code, min(code, 127)
        c.version = 1
        self.m.operatorCodes.append(c)
        o = s.OperatorT()
        o.opcodeIndex = len(self.m.operatorCodes) - 1
        o.inputs, o.outputs = ins, outs
        if options:
            o.builtinOptions = options
            o.builtinOptionsType = getattr(s.BuiltinOptions,
                                           type(options).__name__[:-1])
        self.g.operators.append(o)

    # numbers

    def draw(self, shape, kind, lo=None, hi=None):
        r = self.rng
        if kind == T.FLOAT32:
            return r.normal(0, 2, shape).astype(np.float32)
        if kind == T.BOOL:
            return r.integers(0, 2, shape).astype(np.bool_)
        info = np.iinfo(DTYPE[kind])
        lo = info.min if lo is None else lo
        hi = info.max if hi is None else hi
        return r.integers(lo, hi + 1, shape).astype(DTYPE[kind])

    def input(self, shape, kind, scale=None, zero=0, lo=None, hi=None):
        t = self.tensor(shape, kind, scale, zero)
        self.g.inputs.append(t)
        self.x.append(self.draw(shape, kind, lo, hi))
        return t

    def const(self, shape, kind, scale=None, zero=0, dim=0, lo=None, hi=None):
        return self.tensor(shape, kind, scale, zero, dim,
                           self.draw(shape, kind, lo, hi))

    def ints(self, *v, kind=T.INT32, shape=None):
        a = np.array(v, DTYPE[kind])
        return self.tensor([len(v)] if shape is None else shape, kind, data=a)

    def output(self, shape, kind, scale=None, zero=0):
        t = self.tensor(shape, kind, scale, zero)
        self.g.outputs.append(t)
        return t

    # quantization

    def scale(self, lo=-5, hi=1):
        return float(np.float32(2.0 ** self.rng.uniform(lo, hi)))

    def zero(self, kind):
        return 0 if kind not in (T.INT8, T.UINT8) else \
            int(self.rng.integers(-128, 128)) + 128 * (kind == T.UINT8)

    def quant(self, kind, **k):
        if kind in (T.INT8, T.INT16, T.UINT8):
            return dict(scale=self.scale(**k), zero=self.zero(kind))
        return {}

    def pick(self, *v):
        return v[self.rng.integers(len(v))]

    def size(self, lo, hi):
        return int(self.rng.integers(lo, hi + 1))

    def bytes(self):
        f = flatbuffers.Builder()
        f.Finish(self.m.Pack(f), b'TFL3')
        return bytes(f.Output())


MODELS = {}


def model(f):
    MODELS[f.__name__] = f
    return f


def window(m, x, o, k, padding):
    out = []
    for i in range(2):
        ke = (k[i] - 1) * o['d'][i] + 1
        out.append(-(-x[i] // o['s'][i]) if padding == 0
                   else -(-(x[i] - ke + 1) // o['s'][i]))
    return out


def weighted(m, x_kind, k, n, dim, shape, one=False, wkind=T.INT8, x=None):
    """Scales of x, w and y, weights and bias of a sum of k products; x: those it
    has."""
    if x_kind == T.FLOAT32:
        return {}, m.const(shape, T.FLOAT32), m.pick(-1, m.const([n], T.FLOAT32)), {}
    sx, zx = (x['scale'], x['zero']) if x else (m.scale(), m.zero(x_kind))
    per = not one and m.rng.integers(2)
    sw = np.array([m.scale(-9, -3) for _ in range(n if per else 1)], np.float32)
    lo, hi = (-7, 7) if wkind == T.INT4 else (-127, 127)
    w = m.const(shape, wkind, sw, 0, dim, lo, hi)
    wide = x_kind == T.INT16
    sy = float(np.float32(sx * sw.mean() * np.sqrt(k) * (9 if wkind == T.INT4 else 90) *
                          m.pick(.3, 1, 3) * (1 if not wide else 1)))
    b = m.tensor([n], T.INT64 if wide else T.INT32, (sx * sw).tolist(), 0, 0,
                 m.rng.integers(-20000, 20000, n).astype(
                     np.int64 if wide else np.int32))
    if not wide and m.rng.integers(4) == 0:
        b = -1
    return dict(scale=sx, zero=zx), w, b, dict(scale=sy, zero=m.zero(x_kind))


ACTS = (0, 0, 1, 3, 2)


@model
def conv_2d(m):
    kind, wk = m.pick((T.INT8, T.INT8), (T.INT8, T.INT8), (T.INT8, T.INT4),
                      (T.INT16, T.INT8), (T.FLOAT32, None))
    k = [m.size(1, 3), m.size(1, 3)]
    o = dict(s=[m.size(1, 2), m.size(1, 2)], d=[m.pick(1, 1, 2), m.pick(1, 1, 2)])
    x = [m.size((k[i] - 1) * o['d'][i] + 1, 9) for i in range(2)]
    g = m.pick(1, 1, 1, 2) if kind == T.INT8 and wk == T.INT8 else 1
    c, n = m.size(1, 5), m.size(1, 6) * g
    padding = m.size(0, 1)
    qx, w, b, qy = weighted(m, kind, k[0] * k[1] * c, n, 0, [n, k[0], k[1], c],
                            wkind=wk)
    xt = m.input([1, x[0], x[1], c * g], kind, **qx)
    y = m.output([1, *window(m, x, o, k, padding), n], kind, **qy)
    p = s.Conv2DOptionsT()
    p.padding, p.strideH, p.strideW = padding, *o['s']
    p.dilationHFactor, p.dilationWFactor = o['d']
    p.fusedActivationFunction = m.pick(*ACTS)
    m.op(OP.CONV_2D, [xt, w, b], [y], p)


@model
def depthwise_conv_2d(m):
    kind, wk = m.pick((T.INT8, T.INT8), (T.INT8, T.INT4), (T.INT16, T.INT8),
                      (T.FLOAT32, None))
    k = [m.size(1, 3), m.size(1, 3)]
    o = dict(s=[m.size(1, 2)] * 2, d=[m.pick(1, 1, 2)] * 2)
    x = [m.size((k[i] - 1) * o['d'][i] + 1, 9) for i in range(2)]
    c, mult = m.size(1, 6), m.pick(1, 1, 2)
    padding = m.size(0, 1)
    qx, w, b, qy = weighted(m, kind, k[0] * k[1], c * mult, 3,
                            [1, k[0], k[1], c * mult], wkind=wk)
    if kind == T.INT16 and b < 0:
        b = m.ints(*[0] * (c * mult), kind=T.INT64)
    xt = m.input([1, *x, c], kind, **qx)
    y = m.output([1, *window(m, x, o, k, padding), c * mult], kind, **qy)
    p = s.DepthwiseConv2DOptionsT()
    p.padding, p.strideH, p.strideW = padding, *o['s']
    p.dilationHFactor, p.dilationWFactor = o['d']
    p.depthMultiplier = mult
    p.fusedActivationFunction = m.pick(*ACTS)
    m.op(OP.DEPTHWISE_CONV_2D, [xt, w, b], [y], p)


@model
def fully_connected(m):
    kind, wk = m.pick((T.INT8, T.INT8), (T.INT8, T.INT8), (T.INT8, T.INT4),
                      (T.INT16, T.INT8), (T.FLOAT32, None))
    k, n, rows = m.size(1, 40), m.size(1, 9), m.size(1, 3)
    qx, w, b, qy = weighted(m, kind, k, n, 0, [n, k],
                            one=kind == T.INT16 or wk == T.INT4, wkind=wk)
    xt = m.input([rows, k], kind, **qx)
    y = m.output([rows, n], kind, **qy)
    p = s.FullyConnectedOptionsT()
    p.fusedActivationFunction = m.pick(*ACTS)
    m.op(OP.FULLY_CONNECTED, [xt, w, b], [y], p)


@model
def transpose_conv(m):
    kind = m.pick(T.INT8, T.INT16, T.FLOAT32)
    st = [m.size(1, 2)] * 2
    k = [m.size(st[0], 3), m.size(st[0], 3)]
    x, c, n, padding = [m.size(1, 5), m.size(1, 5)], m.size(1, 4), m.size(1, 4), m.size(0, 1)
    y = [x[i] * st[i] if padding == 0 else (x[i] - 1) * st[i] + k[i] for i in range(2)]
    qx, w, b, qy = weighted(m, kind, k[0] * k[1] * c // st[0], n, 0, [n, *k, c])
    shape = m.ints(1, *y, n)
    xt = m.input([1, *x, c], kind, **qx)
    yt = m.output([1, *y, n], kind, **qy)
    p = s.TransposeConvOptionsT()
    p.padding, p.strideH, p.strideW = padding, *st
    m.op(OP.TRANSPOSE_CONV, [shape, w, xt] + ([b] if b >= 0 else []), [yt], p)


@model
def batch_matmul(m):
    kind = m.pick(T.INT8, T.INT16, T.FLOAT32)
    a, k, n, batch = m.size(1, 6), m.size(1, 20), m.size(1, 6), m.size(1, 3)
    ta, tb = m.size(0, 1), m.size(0, 1)
    qa, qb = m.quant(kind), m.quant(kind)
    qy = {}
    if qa:
        full = 90 if kind == T.INT8 else 20000
        qy = dict(scale=float(np.float32(qa['scale'] * qb['scale'] * k ** .5 * full)),
                  zero=m.zero(kind))
    x = m.input([batch, k, a] if ta else [batch, a, k], kind, **qa)
    w = m.input([batch, n, k] if tb else [batch, k, n], kind, **qb)
    p = s.BatchMatMulOptionsT()
    p.adjX, p.adjY = bool(ta), bool(tb)
    m.op(OP.BATCH_MATMUL, [x, w], [m.output([batch, a, n], kind, **qy)], p)


def pooling(m, code, kinds):
    kind = m.pick(*kinds)
    k = [m.size(1, 4), m.size(1, 4)]
    o = dict(s=[m.size(1, 3), m.size(1, 3)], d=[1, 1])
    x = [m.size(k[i], 9) for i in range(2)]
    c, padding = m.size(1, 5), m.size(0, 1)
    q = m.quant(kind)
    xt = m.input([1, *x, c], kind, **q)
    y = m.output([1, *window(m, x, o, k, padding), c], kind, **q)
    p = s.Pool2DOptionsT()
    p.padding, p.strideH, p.strideW = padding, *o['s']
    p.filterHeight, p.filterWidth = k
    p.fusedActivationFunction = m.pick(0, 0, 1, 3)
    m.op(code, [xt], [y], p)


@model
def average_pool_2d(m):
    pooling(m, OP.AVERAGE_POOL_2D, (T.INT8, T.INT8, T.INT16, T.FLOAT32))


@model
def max_pool_2d(m):
    pooling(m, OP.MAX_POOL_2D, (T.INT8, T.INT8, T.INT16, T.FLOAT32))


def shapes2(m):
    a = [m.size(1, 3), m.size(1, 4), m.size(1, 5), m.size(1, 6)]
    b = list(a)
    for i in range(4):
        if m.rng.integers(6) == 0:
            (a if m.rng.integers(2) else b)[i] = 1
    return a, b, [max(i, j) for i, j in zip(a, b)]


def binary(m, code, kinds, options=None, same=False, truth=False, acts=True):
    kind = m.pick(*kinds)
    a, b, y = shapes2(m)
    qa = m.quant(kind)
    qb = qa if same else m.quant(kind)
    x = m.input(a, kind, **qa)
    if m.rng.integers(3):
        w = m.input(b, kind, **qb)
    else:
        w = m.const(b, kind, **qb)
    qy = {}
    if qa and not truth:
        f = qa['scale'] * qb['scale'] if code in (OP.MUL, OP.SQUARED_DIFFERENCE) \
            else max(qa['scale'], qb['scale'])
        if code in (OP.MUL, OP.SQUARED_DIFFERENCE):
            f *= 60 if kind == T.INT8 else 15000
        qy = qa if same else dict(
            scale=float(np.float32(f * m.rng.uniform(.5, 2))), zero=m.zero(kind))
    t = m.output(y, T.BOOL if truth else kind, **qy)
    p = options and options()
    if p and acts:
        p.fusedActivationFunction = m.pick(*ACTS)
    m.op(code, [x, w], [t], p)


@model
def add(m):
    binary(m, OP.ADD, (T.INT8, T.INT8, T.INT16, T.FLOAT32), s.AddOptionsT)


@model
def sub(m):
    binary(m, OP.SUB, (T.INT8, T.INT8, T.INT16, T.FLOAT32), s.SubOptionsT)


@model
def mul(m):
    binary(m, OP.MUL, (T.INT8, T.INT8, T.INT16, T.FLOAT32), s.MulOptionsT)


@model
def squared_difference(m):
    binary(m, OP.SQUARED_DIFFERENCE, (T.INT8, T.FLOAT32),
           s.SquaredDifferenceOptionsT, acts=False)


@model
def maximum(m):
    binary(m, m.pick(OP.MAXIMUM, OP.MINIMUM), (T.INT8, T.FLOAT32),
           s.MaximumMinimumOptionsT, same=True, acts=False)


@model
def compare(m):
    binary(m, m.pick(OP.LESS, OP.LESS_EQUAL, OP.GREATER, OP.GREATER_EQUAL,
                     OP.EQUAL, OP.NOT_EQUAL), (T.INT8, T.FLOAT32), truth=True)


def unary(m, code, kinds, qy=None, qx=None, options=None, positive=False, lo=-5, hi=1):
    kind = m.pick(*kinds)
    shape = [1, m.size(1, 4), m.size(1, 5), m.size(1, 40)]
    q = (qx or m.quant)(kind) if qx else m.quant(kind, lo=lo, hi=hi)
    if positive and kind == T.INT8:
        q['zero'] = -128
    x = m.input(shape, kind, **q)
    if positive and kind == T.INT16:
        m.x[-1] &= 32767
    if positive and kind == T.FLOAT32:
        m.x[-1] = np.abs(m.x[-1]) + np.float32(.01)
    y = m.output(shape, kind, **(qy(kind, q) if qy and q else m.quant(kind, lo=lo, hi=hi)))
    m.op(code, [x], [y], options and options())


@model
def logistic(m):
    unary(m, OP.LOGISTIC, (T.INT8, T.INT8, T.INT16, T.FLOAT32),
          lambda k, q: dict(scale=2.0 ** (-8 if k == T.INT8 else -15),
                            zero=-128 if k == T.INT8 else 0), lo=-15, hi=-1)


@model
def tanh(m):
    unary(m, OP.TANH, (T.INT8, T.INT8, T.INT16, T.FLOAT32),
          lambda k, q: dict(scale=2.0 ** (-7 if k == T.INT8 else -15), zero=0), lo=-15, hi=-1)


def near(m, k, q):
    return dict(scale=float(np.float32(q['scale'] * m.rng.uniform(.4, 2.5))), zero=m.zero(k))


@model
def relu(m):
    unary(m, OP.RELU, (T.INT8, T.INT16, T.FLOAT32), lambda k, q: near(m, k, q))


@model
def relu6(m):
    unary(m, OP.RELU6, (T.INT8, T.FLOAT32), lambda k, q: q)


@model
def leaky_relu(m):
    def options():
        p = s.LeakyReluOptionsT()
        p.alpha = float(np.float32(m.rng.uniform(-.5, 1.2)))
        return p
    unary(m, OP.LEAKY_RELU, (T.INT8, T.INT16, T.FLOAT32), lambda k, q: near(m, k, q),
          options=options)


@model
def prelu(m):
    kind = m.pick(T.INT8, T.FLOAT32)
    shape, c = [1, m.size(1, 4), m.size(1, 4), m.size(1, 8)], None
    q, qa = m.quant(kind), m.quant(kind)
    x = m.input(shape, kind, **q)
    a = m.const([1, 1, shape[3]], kind, **qa)
    m.op(OP.PRELU, [x, a], [m.output(shape, kind, **(near(m, kind, q) if q else {}))])


@model
def hard_swish(m):
    unary(m, OP.HARD_SWISH, (T.INT8, T.FLOAT32), lambda k, q: near(m, k, q), lo=-6, hi=-2)


@model
def elu(m):
    unary(m, OP.ELU, (T.INT8, T.FLOAT32), lambda k, q: near(m, k, q), lo=-6, hi=-2)


@model
def rsqrt(m):
    unary(m, OP.RSQRT, (T.INT8, T.FLOAT32), positive=True)


@model
def rsqrt16(m):
    unary(m, OP.RSQRT, (T.INT16,), positive=True)


@model
def real(m):
    code = m.pick(OP.ABS, OP.NEG, OP.SQUARE, OP.SQRT, OP.EXP, OP.LOG, OP.SIN, OP.COS,
                  OP.FLOOR, OP.CEIL, OP.ROUND)
    unary(m, code, (T.FLOAT32,), positive=code in (OP.SQRT, OP.LOG))


@model
def magnitude(m):
    unary(m, OP.ABS, (T.INT8, T.INT16), lambda k, q: m.pick(q, near(m, k, q)))


@model
def log_softmax(m):
    log_softmax_of(m, T.FLOAT32, {})


@model
def log_softmax8(m):
    log_softmax_of(m, T.INT8, dict(scale=1 / 16, zero=127))


def log_softmax_of(m, kind, qy):
    shape = [m.size(1, 4), m.size(2, 30)]
    x = m.input(shape, kind, **m.quant(kind, lo=-8, hi=1))
    m.op(OP.LOG_SOFTMAX, [x], [m.output(shape, kind, **qy)], s.LogSoftmaxOptionsT())


@model
def cumsum(m):
    kind = m.pick(T.INT8, T.FLOAT32)
    shape = [m.size(1, 4), m.size(1, 6), m.size(1, 5)]
    q = m.quant(kind)
    x = m.input(shape, kind, **q)
    qy = q and dict(scale=float(np.float32(q['scale'] * m.rng.uniform(.5, 6))),
                    zero=m.zero(kind))
    p = s.CumsumOptionsT()
    p.exclusive, p.reverse = bool(m.rng.integers(2)), bool(m.rng.integers(2))
    axis = m.tensor([], T.INT32, data=np.array(m.size(-3, 2), np.int32))
    m.op(OP.CUMSUM, [x, axis], [m.output(shape, kind, **qy)], p)


@model
def div(m):
    kind = m.pick(T.INT8, T.FLOAT32)
    a, b, y = shapes2(m)
    qa, qb = m.quant(kind), m.quant(kind)
    x = m.input(a, kind, **qa)
    if qa: # quotients by shifts of more than 31 differ from machine to machine
        d = m.x[-1].astype(int) - qa['zero']
        m.x[-1][abs(d) < 33] = qa['zero']
    known = m.rng.integers(2)
    w = m.draw(b, kind)
    if qb:
        w[w == qb['zero']] += 1 if qb['zero'] < 127 else -1
    if known:
        w = m.tensor(b, kind, **qb, data=w)
    else:
        t = m.input(b, kind, **qb)
        m.x[-1] = w
        w = t
    qy = qa and dict(scale=float(np.float32(
        qa['scale'] / qb['scale'] * 2.0 ** m.rng.uniform(-3, -.01))), zero=m.zero(kind))
    p = s.DivOptionsT()
    p.fusedActivationFunction = m.pick(*ACTS)
    m.op(OP.DIV, [x, w], [m.output(y, kind, **qy)], p)


@model
def gather_batch(m):
    kind = m.pick(T.INT8, T.FLOAT32)
    q = m.quant(kind)
    shape = [m.size(1, 3), m.size(1, 3), m.size(1, 5), m.size(1, 4)]
    batch = m.size(1, 2)
    axis = m.size(batch, 3)
    k = [m.size(1, 4) for _ in range(m.size(0, 1))]
    x = m.input(shape, kind, **q)
    i = m.draw(shape[:batch] + k, T.INT32, 0, shape[axis] - 1)
    if m.rng.integers(2):
        i = m.tensor(shape[:batch] + k, T.INT32, data=i)
    else:
        t = m.input(shape[:batch] + k, T.INT32)
        m.x[-1] = i
        i = t
    p = s.GatherOptionsT()
    p.axis, p.batchDims = axis, batch
    m.op(OP.GATHER, [x, i], [m.output(shape[:axis] + k + shape[axis + 1:], kind, **q)], p)


@model
def softmax(m):
    kind, to = m.pick((T.INT8, T.INT8), (T.INT8, T.INT16), (T.INT16, T.INT16),
                      (T.FLOAT32, T.FLOAT32))
    shape = [m.size(1, 4), m.size(2, 30)]
    q = m.quant(kind, lo=-5, hi=0) if kind == T.INT8 else m.quant(kind, lo=-14, hi=-9)
    x = m.input(shape, kind, **q)
    qy = {} if to == T.FLOAT32 else \
        dict(scale=1 / 256, zero=-128) if to == T.INT8 else \
        dict(scale=1 / 65536, zero=-32768) if kind == T.INT8 else dict(scale=1 / 32768, zero=0)
    p = s.SoftmaxOptionsT()
    p.beta = m.pick(1., 1., .5)
    m.op(OP.SOFTMAX, [x], [m.output(shape, to, **qy)], p)


@model
def l2_normalization(m):
    kind = m.pick(T.INT8, T.FLOAT32)
    shape = [m.size(1, 4), m.size(2, 30)]
    x = m.input(shape, kind, **m.quant(kind))
    qy = dict(scale=1 / 128, zero=0) if kind == T.INT8 else {}
    m.op(OP.L2_NORMALIZATION, [x], [m.output(shape, kind, **qy)], s.L2NormOptionsT())


@model
def reduction(m):
    code = m.pick(OP.MEAN, OP.MEAN, OP.SUM, OP.REDUCE_MAX)
    kind = m.pick(T.INT8, T.INT8, T.FLOAT32) if code != OP.MEAN else \
        m.pick(T.INT8, T.INT8, T.INT16, T.FLOAT32)
    shape = [m.size(1, 2), m.size(1, 6), m.size(1, 6), m.size(1, 6)]
    axes = m.pick([1, 2], [1, 2], [3], [2], [1, 2, 3])
    keep = bool(m.size(0, 1))
    q = m.quant(kind)
    x = m.input(shape, kind, **q)
    y = [1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes]
    n = int(np.prod([shape[i] for i in axes]))
    qy = q if code == OP.REDUCE_MAX or not q else near(m, kind, q)
    if q and code == OP.SUM:
        qy = dict(scale=float(np.float32(q['scale'] * n ** .5)), zero=m.zero(kind))
    p = s.ReducerOptionsT()
    p.keepDims = keep
    m.op(code, [x, m.ints(*axes)], [m.output(y, kind, **qy)], p)


@model
def arg(m):
    shape = [m.size(1, 3), m.size(1, 6), m.size(1, 9)]
    kind = m.pick(T.INT8, T.FLOAT32)
    axis = m.size(0, 2)
    x = m.input(shape, kind, **m.quant(kind))
    code = m.pick(OP.ARG_MAX, OP.ARG_MIN)
    p = s.ArgMaxOptionsT() if code == OP.ARG_MAX else s.ArgMinOptionsT()
    p.outputType = T.INT32
    m.op(code, [x, m.ints(axis)],
         [m.output([n for i, n in enumerate(shape) if i != axis], T.INT32)], p)


@model
def quantize(m):
    a, b = m.pick((T.FLOAT32, T.INT8), (T.FLOAT32, T.INT16), (T.INT8, T.INT8),
                  (T.INT16, T.INT8), (T.INT8, T.INT16), (T.INT16, T.INT16),
                  (T.INT16, T.INT32), (T.INT8, T.INT32))
    shape = [1, m.size(1, 50)]
    q = m.quant(a)
    x = m.input(shape, a, **q)
    y = m.output(shape, b, scale=m.scale(-6, 1), zero=m.zero(b))
    m.op(OP.QUANTIZE, [x], [y], s.QuantizeOptionsT())


@model
def dequantize(m):
    kind = m.pick(T.INT8, T.INT16)
    shape = [1, m.size(1, 50)]
    x = m.input(shape, kind, **m.quant(kind))
    m.op(OP.DEQUANTIZE, [x], [m.output(shape, T.FLOAT32)], s.DequantizeOptionsT())


@model
def resize(m):
    code = m.pick(OP.RESIZE_BILINEAR, OP.RESIZE_NEAREST_NEIGHBOR)
    kind = m.pick(T.INT8, T.FLOAT32)
    a, b, c = [m.size(1, 6), m.size(1, 6)], [m.size(1, 9), m.size(1, 9)], m.size(1, 4)
    q = m.quant(kind)
    x = m.input([1, *a, c], kind, **q)
    p = s.ResizeBilinearOptionsT() if code == OP.RESIZE_BILINEAR else \
        s.ResizeNearestNeighborOptionsT()
    p.alignCorners, p.halfPixelCenters = m.pick((False, False), (True, False), (False, True))
    m.op(code, [x, m.ints(*b)], [m.output([1, *b, c], kind, **q)], p)


@model
def pad(m):
    kind = m.pick(T.INT8, T.INT16, T.FLOAT32)
    code = m.pick(OP.PAD, OP.PADV2, OP.MIRROR_PAD)
    if code == OP.MIRROR_PAD:
        kind = m.pick(T.INT8, T.FLOAT32)
    shape = [1, m.size(3, 5), m.size(3, 5), m.size(3, 4)]
    pads = [[0, 0]] + [[m.size(0, 2), m.size(0, 2)] for _ in range(3)]
    q = m.quant(kind)
    x = m.input(shape, kind, **q)
    y = m.output([n + sum(p) for n, p in zip(shape, pads)], kind, **q)
    pt = m.ints(*np.ravel(pads), shape=[4, 2])
    if code == OP.PAD:
        m.op(code, [x, pt], [y], s.PadOptionsT())
    elif code == OP.PADV2:
        m.op(code, [x, pt, m.const([1], kind, **q)], [y], s.PadV2OptionsT())
    else:
        p = s.MirrorPadOptionsT()
        p.mode = m.size(0, 1)
        m.op(code, [x, pt], [y], p)


@model
def concatenation(m):
    kind = m.pick(T.INT8, T.INT16, T.FLOAT32)
    shape, axis = [m.size(1, 3), m.size(1, 4), m.size(1, 4)], m.size(0, 2)
    q = m.quant(kind)
    ins, total = [], 0
    for _ in range(m.size(1, 4)):
        t = list(shape)
        t[axis] = m.size(1, 4)
        total += t[axis]
        ins.append(m.input(t, kind, **q))
    shape[axis] = total
    p = s.ConcatenationOptionsT()
    p.axis = m.pick(axis, axis - 3)
    m.op(OP.CONCATENATION, ins, [m.output(shape, kind, **q)], p)


@model
def move(m):
    kind = m.pick(T.INT8, T.FLOAT32)
    q = m.quant(kind)
    shape = [m.size(1, 4), m.size(1, 4), m.size(1, 4), m.size(1, 4)]
    what = m.pick('transpose', 'slice', 'strided', 'split', 'pack', 'unpack', 'gather',
                  'd2s', 's2d', 'b2s', 'reshape', 'squeeze', 'expand', 'split_v')
    if what == 'd2s':
        shape[3] = 4 * m.size(1, 2)
    if what == 's2d':
        shape[1] *= 2
        shape[2] *= 2
    if what == 'b2s':
        shape[0] *= 4
    if what == 'squeeze':
        shape[1] = 1
    x = m.input(shape, kind, **q)
    out = lambda y: m.output(y, kind, **q)
    if what == 'transpose':
        perm = [int(i) for i in m.rng.permutation(4)]
        m.op(OP.TRANSPOSE, [x, m.ints(*perm)], [out([shape[i] for i in perm])],
             s.TransposeOptionsT())
    elif what == 'slice':
        at = [m.size(0, n - 1) for n in shape]
        ln = [m.size(1, n - a) for n, a in zip(shape, at)]
        m.op(OP.SLICE, [x, m.ints(*at), m.ints(*ln)], [out(ln)], s.SliceOptionsT())
    elif what == 'strided':
        at = [m.size(0, n - 1) for n in shape]
        end = [m.size(a + 1, n) for n, a in zip(shape, at)]
        st = [m.size(1, 2) for _ in shape]
        p = s.StridedSliceOptionsT()
        m.op(OP.STRIDED_SLICE, [x, m.ints(*at), m.ints(*end), m.ints(*st)],
             [out([-(-(e - a) // t) for a, e, t in zip(at, end, st)])], p)
    elif what == 'split':
        axis = m.size(0, 3)
        y = list(shape)
        n = y[axis]
        y[axis] = 1
        p = s.SplitOptionsT()
        p.numSplits = n
        m.op(OP.SPLIT, [m.ints(axis, shape=[]), x], [out(y) for _ in range(n)], p)
    elif what == 'split_v':
        axis = m.size(0, 3)
        y = [list(shape), list(shape)]
        a = m.size(1, max(1, shape[axis] - 1))
        if shape[axis] < 2:
            y, sizes = y[:1], [shape[axis]]
        else:
            y[0][axis], y[1][axis] = a, shape[axis] - a
            sizes = [a, shape[axis] - a]
        p = s.SplitVOptionsT()
        p.numSplits = len(sizes)
        m.op(OP.SPLIT_V, [x, m.ints(*sizes), m.ints(axis, shape=[])], [out(i) for i in y], p)
    elif what == 'pack':
        axis, n = m.size(0, 3), m.size(1, 3)
        ins = [x] + [m.input(shape, kind, **q) for _ in range(n - 1)]
        y = list(shape)
        y.insert(axis, n)
        p = s.PackOptionsT()
        p.axis, p.valuesCount = axis, n
        m.op(OP.PACK, ins, [out(y)], p)
    elif what == 'unpack':
        axis = m.size(0, 3)
        y = [n for i, n in enumerate(shape) if i != axis]
        p = s.UnpackOptionsT()
        p.axis, p.num = axis, shape[axis]
        m.op(OP.UNPACK, [x], [out(y) for _ in range(shape[axis])], p)
    elif what == 'gather':
        axis, n = m.size(0, 3), m.size(1, 5)
        y = list(shape)
        y[axis] = n
        p = s.GatherOptionsT()
        p.axis = axis
        m.op(OP.GATHER, [x, m.ints(*m.rng.integers(0, shape[axis], n))], [out(y)], p)
    elif what in ('d2s', 's2d'):
        f = (lambda n: n * 2) if what == 'd2s' else (lambda n: n // 2)
        y = [shape[0], f(shape[1]), f(shape[2]),
             shape[3] // 4 if what == 'd2s' else shape[3] * 4]
        p = s.DepthToSpaceOptionsT() if what == 'd2s' else s.SpaceToDepthOptionsT()
        p.blockSize = 2
        m.op(OP.DEPTH_TO_SPACE if what == 'd2s' else OP.SPACE_TO_DEPTH, [x], [out(y)], p)
    elif what == 'b2s':
        crop = [m.size(0, 1), 0, 0, m.size(0, 1)]
        y = [shape[0] // 4, shape[1] * 2 - crop[0], shape[2] * 2 - crop[3], shape[3]]
        m.op(OP.BATCH_TO_SPACE_ND, [x, m.ints(2, 2), m.ints(*crop, shape=[2, 2])], [out(y)],
             s.BatchToSpaceNDOptionsT())
    elif what == 'reshape':
        y = [shape[0] * shape[1], shape[2] * shape[3]]
        p = s.ReshapeOptionsT()
        p.newShape = y
        m.op(OP.RESHAPE, [x, m.ints(*y)], [out(y)], p)
    elif what == 'squeeze':
        p = s.SqueezeOptionsT()
        p.squeezeDims = [1]
        m.op(OP.SQUEEZE, [x], [out([shape[0], *shape[2:]])], p)
    else:
        axis = m.size(0, 4)
        y = list(shape)
        y.insert(axis, 1)
        m.op(OP.EXPAND_DIMS, [x, m.ints(axis, shape=[])], [out(y)], s.ExpandDimsOptionsT())


@model
def svdf(m):
    n, rank, units, steps = m.size(1, 12), m.size(1, 2), m.size(1, 5), m.size(2, 6)
    f = units * rank
    sx, sf, st, ss = m.scale(), m.scale(-8, -4), m.scale(-8, -4), m.scale(-5, -2)
    wide = m.size(0, 1)
    kind = T.INT16 if wide else T.INT8
    sk = float(np.float32(ss / 256 if wide else ss))
    zs = 0
    x = m.input([1, n], T.INT8, sx, m.zero(T.INT8))
    wf = m.const([f, n], T.INT8, sf)
    wt = m.const([f, steps], kind, st)
    b = m.tensor([units], T.INT32, sk * st, 0, 0,
                 m.rng.integers(-9000, 9000, units).astype(np.int32))
    state = m.tensor([1, f * steps], kind, sk, zs, variable=True)
    sy = float(np.float32(sk * st * (rank * steps) ** .5 * (2000000 if wide else 8000) / 2))
    y = m.output([1, units], T.INT8, sy, m.zero(T.INT8))
    p = s.SVDFOptionsT()
    p.rank = rank
    m.op(OP.SVDF, [x, wf, wt, b, state], [y], p)


@model
def lstm(m):
    lstm_of(m, T.INT8, T.INT32, 1 / 128, m.zero(T.INT8), m.size(-5, 5))


@model
def lstm16(m):
    lstm_of(m, T.INT16, T.INT64, 1 / 32768, 0, 0)


def lstm_of(m, kind, sums, sh, zx, zh):
    """Of inputs and results of a kind, with biases of the type of sums."""
    n, u, steps, major = m.size(1, 9), m.size(1, 6), m.size(1, 4), m.size(0, 1)
    sc = 2.0 ** -m.size(9, 12)
    sx = m.scale(-6, -2) if kind == T.INT8 else m.scale(-15, -10)
    x = m.input([steps, 1, n] if major else [1, steps, n], kind, sx, zx)
    w = [m.const([u, n], T.INT8, m.scale(-9, -6), lo=-127) for _ in range(4)]
    r = [m.const([u, u], T.INT8, m.scale(-9, -6), lo=-127) for _ in range(4)]
    most, number = (3000, np.int32) if kind == T.INT8 else (3000000, np.int64)
    b = [m.tensor([u], sums, sx * m.g.tensors[i].quantization.scale[0], 0, 0,
                  m.rng.integers(-most, most, u).astype(number)) for i in w]
    h = m.tensor([1, u], kind, sh, zh, variable=True)
    c = m.tensor([1, u], T.INT16, sc, 0, variable=True)
    y = m.output([steps, 1, u] if major else [1, steps, u], kind, sh, zh)
    p = s.UnidirectionalSequenceLSTMOptionsT()
    p.timeMajor, p.fusedActivationFunction = bool(major), 4
    p.cellClip = m.pick(0., 10.)
    m.op(OP.UNIDIRECTIONAL_SEQUENCE_LSTM,
         [x, *w, *r, -1, -1, -1, *b, -1, -1, h, c, -1, -1, -1, -1], [y], p)
    mid = [m.tensor([0], T.INT16, 2.0 ** -12) for _ in range(4)] + \
        [m.tensor([0], kind, sh, zh)]
    m.g.operators[-1].intermediates = mid


@model
def variable(m):
    """y = x + v, v = y: a resource, which a subgraph that runs once sets."""
    shape, q = [1, m.size(1, 9)], m.quant(T.INT8)
    qy = dict(scale=float(np.float32(q['scale'] * 2)), zero=q['zero'])
    x = m.input(shape, T.INT8, **q)
    h = m.tensor([], T.RESOURCE)
    v = m.tensor(shape, T.INT8, **qy)
    y = m.output(shape, T.INT8, **qy)
    once, name = s.CallOnceOptionsT(), s.VarHandleOptionsT()
    once.initSubgraphIndex = 1
    name.container, name.sharedName = b'', b'state'
    m.op(OP.CALL_ONCE, [], [], once)
    m.op(OP.VAR_HANDLE, [], [h], name)
    m.op(OP.READ_VARIABLE, [h], [v], s.ReadVariableOptionsT())
    m.op(OP.ADD, [x, v], [y], s.AddOptionsT())
    m.op(OP.ASSIGN_VARIABLE, [h, y], [], s.AssignVariableOptionsT())
    main, m.g = m.g, s.SubGraphT()
    m.g.tensors, m.g.operators, m.g.inputs, m.g.outputs = [], [], [], []
    m.m.subgraphs.append(m.g)
    h = m.tensor([], T.RESOURCE)
    k = m.tensor(shape, T.INT8, **qy, data=np.full(shape, m.pick(q['zero'], 5), np.int8))
    m.op(OP.VAR_HANDLE, [], [h], name)
    m.op(OP.ASSIGN_VARIABLE, [h, k], [], s.AssignVariableOptionsT())
    m.g = main


@model
def weights_of_four_bits(m):
    """Layers behind each other that are large enough to be packed."""
    x, q = [17, 17], dict(scale=m.scale(), zero=m.zero(T.INT8))
    c = m.size(3, 6)
    t = m.input([1, *x, c], T.INT8, **q)
    for k, n, st in ((3, m.size(24, 32), 2), (1, m.size(40, 64), 1),
                     (m.size(2, 3), m.size(40, 64), 1)):
        q, w, b, qy = weighted(m, T.INT8, k * k * c, n, 0, [n, k, k, c],
                               wkind=T.INT4, x=q)
        o = dict(s=[st] * 2, d=[1, 1])
        x = window(m, x, o, [k, k], 1)
        y = m.tensor([1, *x, n], T.INT8, **qy)
        p = s.Conv2DOptionsT()
        p.padding, p.strideH, p.strideW = 1, st, st
        p.dilationHFactor = p.dilationWFactor = 1
        m.op(OP.CONV_2D, [t, w, b], [y], p)
        t, c, q = y, n, qy
    k, n = x[0] * x[1] * c, m.size(4, 12)
    flat = m.tensor([1, k], T.INT8, **q)
    m.op(OP.RESHAPE, [t, m.ints(1, k)], [flat])
    q, w, b, qy = weighted(m, T.INT8, k, n, 0, [n, k], one=True, wkind=T.INT4, x=q)
    y = m.output([1, n], T.INT8, **qy)
    m.op(OP.FULLY_CONNECTED, [flat, w, b], [y], s.FullyConnectedOptionsT())



def oracle(data, x, n):
    """The n results of the micro runtime, in a process of its own: it aborts on what
    it refuses."""
    from tflite_micro.python.tflite_micro import runtime
    end, to = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            i = runtime.Interpreter.from_bytes(data, arena_size=400000)
            for k, v in enumerate(x):
                i.set_input(v, k)
            i.invoke()
            with os.fdopen(to, 'wb') as f:
                pickle.dump([i.get_output(k) for k in range(n)], f)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(to)
    with os.fdopen(end, 'rb') as f:
        said = f.read()
    if os.waitpid(child, 0)[1]:
        raise RuntimeError('the runtime refuses it')
    return pickle.loads(said)


def draw(name, seed):
    m = Model(np.random.default_rng(seed))
    MODELS[name](m)
    data = m.bytes()
    return m, data, oracle(data, m.x, len(m.g.outputs))


def put(d, data, x, y):
    os.makedirs(d, exist_ok=True)
    with open(d + '/network.tflite', 'wb') as f:
        f.write(data)
    np.savez(d + '/inputs.npz', **{'input_%d' % k: v for k, v in enumerate(x)})
    np.savez(d + '/outputs.npz', **{'output_%d' % k: v for k, v in enumerate(y)})


def run(d, whole, target):
    f = [d + '/network.tflite', d + '/inputs.npz', d + '/outputs.npz']
    if whole:
        a = [top + '/tilewright', 'run', f[0], '-t', target, '-i', f[1], '-e', f[2]]
    else:
        a = [top + '/build/test/models_eval', *f]
    r = subprocess.run(a, capture_output=True, text=True, timeout=120)
    return r.returncode, (r.stdout + r.stderr).strip().split('\n')[-1]


def check(o):
    names = [o.op] if o.op else sorted(MODELS)
    bad, none, done = {}, {}, 0
    for k in range(o.n):
        name, seed = names[k % len(names)], o.seed * 1000003 + k
        try:
            m, data, y = draw(name, seed)
        except Exception as e: # the runtime refuses it, or we made nonsense
            none.setdefault(name, []).append('%d: %s' % (seed, str(e)[:200]))
            continue
        d = '%s/build/tflite/%s-%d' % (top, name, seed)
        put(d, data, m.x, y)
        for whole in (False, True) if o.whole and k % o.whole == 0 else (False,):
            code, said = run(d, whole, o.target)
            if code:
                bad.setdefault(name, []).append('%s: %s' % (d, said))
                break
        else:
            subprocess.run(['rm', '-rf', d])
        done += 1
    for what, lists in ('not run by the oracle', none), ('differ', bad):
        for name, said in lists.items():
            print('%s: %d %s, the first %s' % (name, len(said), what, said[0]))
    n = sum(map(len, bad.values()))
    print('%d models of %d kinds, %d differ, seed %d' % (done, len(names), n, o.seed))
    return bool(n) or not done


def write(o):
    """One of each kind, the smallest of a few."""
    for k, name in enumerate(sorted(MODELS)):
        best = None
        for seed in range(8):
            try:
                m, data, y = draw(name, 1000 * k + seed)
            except RuntimeError:
                continue
            if not best or len(data) < len(best[1]):
                best = m, data, y
        put('%s/%s' % (o.dir, name.replace('_', '-')), best[1], best[0].x, best[2])


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest='verb', required=True)
    c = sub.add_parser('check')
    c.add_argument('-n', type=int, default=1000)
    c.add_argument('--seed', type=int, default=int.from_bytes(os.urandom(3), 'big'))
    c.add_argument('--op')
    c.add_argument('--whole', type=int, default=0)
    c.add_argument('--target', default='host')
    w = sub.add_parser('write')
    w.add_argument('dir')
    o = p.parse_args()
    return check(o) if o.verb == 'check' else write(o)


sys.exit(main())
