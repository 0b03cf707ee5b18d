"""A network of nets.py as float32 ONNX."""
import numpy as np
import onnx
from onnx import helper, numpy_helper, TensorProto


class Graph:
    """Collects nodes and initializers of an ONNX graph; half: matrices of
    floats are kept in 16 bits."""

    def __init__(self, half=False):
        self.nodes, self.inits, self.half = [], {}, half

    def const(self, name, value, dtype=np.float32):
        if self.half and dtype is np.float32 and np.ndim(value) > 1:
            return self.node('Cast', [self.const(name + '_h', value,
                                                 np.float16)],
                             name, to=TensorProto.FLOAT)
        self.inits[name] = numpy_helper.from_array(np.asarray(value, dtype),
                                                   name)
        return name

    def node(self, op, x, y, **attrs):
        y = y if isinstance(y, list) else [y]
        self.nodes.append(helper.make_node(op, x, y, name=y[0], **attrs))
        return y[0]

    def model(self, name, shape, output, opset=17):
        info = helper.make_tensor_value_info
        g = helper.make_graph(
            self.nodes, name, [info('input', TensorProto.FLOAT, shape)],
            [info(output, TensorProto.FLOAT, None)], list(self.inits.values()))
        m = helper.make_model(
            g, producer_name='zoo', ir_version=8,
            opset_imports=[helper.make_opsetid('', opset)])
        return onnx.shape_inference.infer_shapes(m)


def folded(l):
    """Weights and bias of a convolution, its batch normalization inside."""
    b = np.zeros(len(l.w)) if l.b is None else l.b
    if l.bn is None:
        return l.w, b
    gamma, beta, mean, var = l.bn
    s = gamma / np.sqrt(var + 1e-5)
    return l.w * s[:, None, None, None], (b - mean) * s + beta


def conv(g, l, fold):
    attrs = dict(strides=l.stride, pads=l.pad, group=l.group,
                 kernel_shape=l.w.shape[2:])
    y = l.y + '_pre' if l.relu else l.y
    if l.bn is None or fold:
        w, b = folded(l)
        g.node('Conv', [l.x[0], g.const(l.y + '_w', w),
                        g.const(l.y + '_b', b)], y, **attrs)
    else:
        raw = g.node('Conv', [l.x[0], g.const(l.y + '_w', l.w)],
                     l.y + '_raw', **attrs)
        bn = [g.const('%s_bn%d' % (l.y, i), p) for i, p in enumerate(l.bn)]
        g.node('BatchNormalization', [raw] + bn, y)
    if l.relu:
        g.node('Relu', [y], l.y)


def dense(g, l, fold):
    y = l.y + '_pre' if l.relu else l.y
    g.node('Gemm', [l.x[0], g.const(l.y + '_w', l.w), g.const(l.y + '_b', l.b)],
           y, transB=1)
    if l.relu:
        g.node('Relu', [y], l.y)


def linear(g, l, fold):
    g.node('MatMul', [l.x[0], g.const(l.y + '_w', l.w)], l.y + '_pre')
    g.node('Add', [l.y + '_pre', g.const(l.y + '_b', l.b)], l.y)


def add(g, l, fold):
    y = l.y + '_pre' if l.relu else l.y
    g.node('Add', l.x, y)
    if l.relu:
        g.node('Relu', [y], l.y)


def matmul(g, l, fold):
    if l.factor == 1:
        g.node('MatMul', l.x, l.y)
        return
    g.node('MatMul', l.x, l.y + '_pre')
    g.node('Mul', [l.y + '_pre', g.const(l.y + '_f', l.factor)], l.y)


def gelu(g, l, fold):
    """x / 2 * (1 + erf(x / sqrt 2)), as exporters write it."""
    x, y = l.x[0], l.y
    g.node('Div', [x, g.const(y + '_r', np.sqrt(2))], y + '_div')
    g.node('Erf', [y + '_div'], y + '_erf')
    g.node('Add', [y + '_erf', g.const(y + '_1', 1)], y + '_add')
    g.node('Mul', [x, y + '_add'], y + '_mul')
    g.node('Mul', [y + '_mul', g.const(y + '_h', 0.5)], y)


def lstm(g, l, fold):
    g.node('Transpose', l.x, l.y + '_t', perm=[1, 0, 2])
    w = [g.const(l.y + '_' + k, v) for k, v in
         (('w', l.w), ('r', l.r), ('b', l.b))]
    g.node('LSTM', [l.y + '_t'] + w, ['', l.y + '_h'], hidden_size=l.hidden)
    g.nodes[-1].name = l.y + '_cell'
    g.node('Squeeze', [l.y + '_h', g.const(l.y + '_ax', [0], np.int64)], l.y)


def layernorm(g, l, fold):
    g.node('LayerNormalization', [l.x[0], g.const(l.y + '_w', l.w),
                                  g.const(l.y + '_b', l.b)], l.y, axis=-1)


def reshape(g, l, fold):
    g.node('Reshape', [l.x[0], g.const(l.y + '_s', l.shape, np.int64)], l.y)


def silu(g, l, fold):
    g.node('Sigmoid', [l.x[0]], l.y + '_sig')
    g.node('Mul', [l.x[0], l.y + '_sig'], l.y)


EMIT = dict(
    silu=silu,
    place=lambda g, l, f: g.node('Add', [l.x[0], g.const(l.y + '_b', l.b)],
                                 l.y),
    maxpool=lambda g, l, f: g.node('MaxPool', l.x, l.y, kernel_shape=l.k,
                                   strides=l.k),
    conv=conv, dense=dense, linear=linear, add=add, matmul=matmul, gelu=gelu,
    lstm=lstm, layernorm=layernorm, reshape=reshape,
    gap=lambda g, l, f: g.node('GlobalAveragePool', l.x, l.y),
    flatten=lambda g, l, f: g.node('Flatten', l.x, l.y),
    softmax=lambda g, l, f: g.node('Softmax', l.x, l.y, axis=-1),
    mean=lambda g, l, f: g.node('ReduceMean', l.x, l.y, axes=[l.axis],
                                keepdims=0),
    transpose=lambda g, l, f: g.node('Transpose', l.x, l.y, perm=l.perm))


def model(net, fold=False, half=False):
    """fold: batch normalization inside the convolutions; half: weights in 16
    bits."""
    g = Graph(half)
    for l in net.layers:
        EMIT[l.kind](g, l, fold)
    return g.model(net.name, net.shape, net.last)
