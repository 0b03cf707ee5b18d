"""A network of nets.py in the integer dialect, from the ranges of its values.

Each value is an integer times a scale.  8-bit values are symmetric: signed
ones use -127..127 of their range, results of a Relu 0..255.  Products are
rescaled by RequantShift nodes, per output channel for convolutions.  As
quantizers of that world do, everything is stored as float32 and declared so.
"""
import numpy as np
from onnx import helper, numpy_helper, TensorProto

from floats import Graph, folded

SHIFT = 16


def tensor(v):
    return numpy_helper.from_array(np.asarray(v, np.float32))


class Dialect(Graph):
    def requant(self, x, y, mul, add, signed, shift=SHIFT):
        g = [self.const(y + '_mul', np.round(mul)),
             self.const(y + '_add', np.round(add))]
        self.node('RequantShift', [x] + g, y, domain='PACTOps',
                  div=tensor(2.0 ** shift), n_levels_out=tensor([256]),
                  signed=tensor([float(signed)]))


class Ints(Dialect):
    """scale: of each value; peak: its largest magnitude, measured."""

    def __init__(self, peak):
        super().__init__()
        self.peak, self.scale, self.signed = peak, {}, {}
        self.note('input', True)

    def note(self, y, signed, scale=None):
        self.signed[y] = signed
        self.scale[y] = scale or self.peak[y] / (127 if signed else 255)
        return self.scale[y]


def channel_scales(w):
    """Scale per output channel; one of zeros takes the largest."""
    peak = np.abs(w).reshape(len(w), -1).max(axis=1)
    return np.where(peak > 0, peak, peak.max()) / 127


def conv(g, l):
    w, b = folded(l)
    sx, sw, sy = g.scale[l.x[0]], channel_scales(w), g.note(l.y, not l.relu)
    wi = np.round(w / sw[:, None, None, None])
    g.node('Conv', [l.x[0], g.const(l.y + '_w', wi)], l.y + '_acc',
           kernel_shape=w.shape[2:], strides=l.stride, pads=l.pad,
           group=l.group, dilations=[1, 1])
    per = (len(b), 1, 1)
    g.requant(l.y + '_acc', l.y, (sx * sw / sy * 2 ** SHIFT).reshape(per),
              (b / sy * 2 ** SHIFT).reshape(per), not l.relu)


def dense(g, l):
    sx, sw, sy = g.scale[l.x[0]], np.abs(l.w).max() / 127, \
        g.note(l.y, not l.relu)
    g.node('Gemm', [l.x[0], g.const(l.y + '_w', np.round(l.w / sw)),
                    g.const(l.y + '_b', np.round(l.b / sx / sw))],
           l.y + '_acc', transB=1)
    g.requant(l.y + '_acc', l.y, [sx * sw / sy * 2 ** SHIFT], [0], not l.relu)


def linear(g, l):
    sx, sw, sy = g.scale[l.x[0]], np.abs(l.w).max() / 127, g.note(l.y, True)
    g.node('MatMul', [l.x[0], g.const(l.y + '_w', np.round(l.w / sw))],
           l.y + '_acc')
    g.node('Add', [g.const(l.y + '_b', np.round(l.b / sx / sw)), l.y + '_acc'],
           l.y + '_sum')
    g.requant(l.y + '_sum', l.y, sx * sw / sy * 2 ** SHIFT, 0, True)


def matmul(g, l):
    sa, sb, sy = g.scale[l.x[0]], g.scale[l.x[1]], g.note(l.y, True)
    g.node('MatMul', l.x, l.y + '_acc')
    g.requant(l.y + '_acc', l.y, sa * sb * l.factor / sy * 2 ** SHIFT, 0, True)


def add(g, l):
    """Both operands are brought to one scale, added, and clipped."""
    sy, parts = g.note(l.y, not l.relu), []
    common = max(g.scale[x] * (127 if g.signed[x] else 255) for x in l.x) / 127
    for i, x in enumerate(l.x):
        parts.append('%s_%d' % (l.y, i))
        g.requant(x, parts[-1], g.scale[x] / common * 2 ** SHIFT, 0, True)
    g.node('Add', parts, l.y + '_sum')
    g.requant(l.y + '_sum', l.y, common / sy * 2 ** SHIFT, 0, not l.relu)


def softmax(g, l):
    """The second order polynomial of I-BERT for exp on (-ln 2, 0]."""
    s = g.scale[l.x[0]]
    g.note(l.y, False, 1 / 255)
    g.node('iSoftmax', l.x, l.y, domain='PACTOps', n_levels=tensor(256),
           coeffA=tensor(1), coeffB=tensor(round(1.353 / s)),
           coeffC=tensor(round(0.344 / (0.3585 * s * s))),
           log2=tensor(int(np.log(2) / s)))


def layernorm(g, l):
    d, sy = 256, g.note(l.y, True)
    g.node('iLayerNorm', [l.x[0], g.const(l.y + '_w', np.round(l.w / sy * d)),
                          g.const(l.y + '_b', np.round(l.b / sy * d))],
           l.y, domain='PACTOps', D=tensor(d), n_levels=tensor(256))


def gelu(g, l):
    """erf(x) as sign(x) (1 - 0.2888 (min(|x|, 1.769) - 1.769)^2), I-BERT."""
    s, sy = g.scale[l.x[0]], g.note(l.y, True)
    e = s / np.sqrt(2)
    g.node('iGELU', l.x, l.y + '_acc', domain='PACTOps',
           b=-round(1.769 / e), one=round(1 / (0.2888 * e * e)))
    g.requant(l.y + '_acc', l.y, s * 0.2888 * e * e / sy * 2 ** SHIFT, 0, True)


def moved(g, l, op, x=None, **attrs):
    """Operators that leave the scale as it is."""
    g.note(l.y, g.signed[l.x[0]], g.scale[l.x[0]])
    g.node(op, x or l.x, l.y, **attrs)


def reshape(g, l):
    moved(g, l, 'Reshape', [l.x[0], g.const(l.y + '_s', l.shape, np.int64)])


EMIT = dict(
    conv=conv, dense=dense, linear=linear, add=add, matmul=matmul, gelu=gelu,
    layernorm=layernorm, softmax=softmax, reshape=reshape,
    gap=lambda g, l: moved(g, l, 'ReduceMean', axes=[2, 3], keepdims=1),
    mean=lambda g, l: moved(g, l, 'ReduceMean', axes=[l.axis], keepdims=0),
    flatten=lambda g, l: moved(g, l, 'Flatten'),
    transpose=lambda g, l: moved(g, l, 'Transpose', perm=l.perm))


def model(net, peak):
    """The model, and the scale of each of its 8-bit values."""
    g = Ints(peak)
    for l in net.layers:
        EMIT[l.kind](g, l)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        g.nodes, net.name + '-int', [info('input', TensorProto.FLOAT, net.shape)],
        [info(net.last, TensorProto.FLOAT, None)], list(g.inits.values()))
    m = helper.make_model(graph, producer_name='zoo', ir_version=8,
                          opset_imports=[helper.make_opsetid('', 13),
                                         helper.make_opsetid('PACTOps', 1)])
    return m, g.scale
