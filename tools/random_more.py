"""More of random_graphs.py: operators and forms that few exporters write.

Each function makes a node or two of a Net n; MORE names them with weights.
"""
import numpy as np
from onnx import TensorProto as T, helper, numpy_helper

MORE = []


def more(weight):
    return lambda f: MORE.extend([f] * weight) or f


def inside(n):
    """A value from outside: what rounds or compares is done to no result."""
    return n.pick(*n.inputs)


def axis_of(n, x):
    d = len(n.shape[x])
    return n.size(-d, d - 1)


def some_axes(n, x):
    d = len(n.shape[x])
    axes = [int(i) for i in n.rng.permutation(d)[:n.size(1, max(1, min(3, d)))]]
    return [i - d if n.chance(0.3) else i for i in axes]


def floats(n, y):
    n.node('Cast', y, to=T.FLOAT)


# sizes, shapes and pads

@more(4)
def resize(n):
    """Fractional scales or sizes of one to all axes, every coordinate mode."""
    x = n.value(2, 3, 4, 5)
    rank = len(n.shape[x])
    mode = n.pick('nearest', 'nearest', 'linear', 'linear', 'cubic')
    if mode == 'cubic' and rank != 4:
        mode = 'linear'
    first = 0 if mode == 'nearest' and n.chance(0.3) else rank - 2
    scale = [1.0] * rank
    for i in range(first, rank):
        scale[i] = float(np.float32(n.pick(n.rng.uniform(0.3, 2.5), 2, 0.5,
                                           1.5, 0.1 * n.size(3, 25))))
    attrs = dict(mode=mode, coordinate_transformation_mode=n.pick(
        'half_pixel', 'pytorch_half_pixel', 'align_corners', 'asymmetric',
        'half_pixel_symmetric'))
    if mode == 'nearest':
        attrs['nearest_mode'] = n.pick('round_prefer_floor', 'floor', 'ceil',
                                       'round_prefer_ceil')
    elif n.chance(0.2) and mode == 'linear' and rank < 5:
        attrs['antialias'] = 1
    if mode == 'cubic':
        attrs.update(cubic_coeff_a=n.pick(-0.5, -0.75),
                     exclude_outside=n.size(0, 1))
    if n.chance(0.3):
        size = [max(1, int(s * d)) for s, d in zip(scale, n.shape[x])]
        n.node('Resize', x, '', '', n.const(size, np.int64), **attrs)
    else:
        n.node('Resize', x, '', n.const(scale), **attrs)


@more(2)
def pad(n):
    """Negative pads crop; some axes only."""
    x = n.value()
    axes = some_axes(n, x)
    d = [n.shape[x][i] for i in axes]
    mode = n.pick('constant', 'constant', 'reflect', 'edge', 'wrap')
    pads = [n.size(-min(2, (v - 1) // 2), min(2, (v - 1) // 2 if mode in (
        'reflect', 'wrap') else 2)) for v in d + d]
    n.node('Pad', x, n.const(pads, np.int64), n.const(n.pick(0.5, -2.0)),
           n.const(axes, np.int64), mode=mode)


@more(1)
def ceil_pool(n):
    """Windows that may be larger than what they slide over, but one begins."""
    x = n.value(3, 4)
    size = n.shape[x][2:]
    k = [n.size(1, 5) for _ in size]
    strides = [n.size(1, 4) for _ in k]
    pads = [n.size(0, v - 1) for v in k + k]
    if any(v - d - a - b >= s for v, d, a, b, s in
           zip(k, size, pads, pads[len(k):], strides)):
        return
    attrs = dict(kernel_shape=k, ceil_mode=1, strides=strides, pads=pads)
    op = n.pick('MaxPool', 'AveragePool', 'LpPool')
    if op == 'AveragePool':
        attrs['count_include_pad'] = n.size(0, 1)
    n.node(op, x, **attrs)


@more(1)
def squeeze(n):
    x = n.value()
    ones = [i for i, d in enumerate(n.shape[x]) if d == 1]
    if ones and n.chance(0.7):
        n.node('Squeeze', x, *n.pick([], [n.const([n.pick(*ones)], np.int64)]))
    elif len(n.shape[x]) < 8:
        n.node('Unsqueeze', x, n.const([n.size(0, len(n.shape[x]))], np.int64))


@more(1)
def many_axes(n):
    """Transposes, slices and sums of up to eight dimensions."""
    x = n.value()
    d = len(n.shape[x])
    what = n.size(0, 3)
    if what == 0 and d:
        n.node('Transpose', x, perm=[int(i) for i in n.rng.permutation(d)])
    elif what == 1 and d:
        axes = some_axes(n, x)
        n.node('Slice', x, n.const([0] * len(axes), np.int64),
               n.const([-1 if n.shape[x][i] > 1 else 9 for i in axes],
                       np.int64), n.const(axes, np.int64),
               n.const([n.pick(1, 2) for _ in axes], np.int64))
    elif what == 2 and d:
        n.node(n.pick('ReduceSum', 'ReduceMean', 'ReduceMax'), x,
               n.const(some_axes(n, x), np.int64), keepdims=n.size(0, 1))
    else:
        n.node('Reshape', x, n.const([-1], np.int64))


@more(1)
def scalar(n):
    """One number from everything, and back over everything."""
    x = n.value()
    y = n.node(n.pick('ReduceMean', 'ReduceMax', 'ReduceL2'), x, keepdims=0)
    if n.chance(0.5):
        y = n.node(n.pick('Tanh', 'Neg', 'Abs'), y)
    if n.chance(0.7):
        n.node(n.pick('Add', 'Sub', 'Mul'), *n.pick((x, y), (y, x)))


# elements

@more(1)
def odd_unary(n):
    n.node(n.pick('Identity', 'Swish', 'Hardmax'), inside(n))


@more(1)
def reduce(n):
    x = n.value()
    y = n.node('Add', n.node('Abs', n.node('Tanh', x)), n.const(0.5))
    n.node(n.pick('ReduceProd', 'ReduceLogSum'), y,
           n.const(some_axes(n, x), np.int64) if n.shape[x] else '',
           keepdims=n.size(0, 1))


@more(1)
def question(n):
    x = inside(n)
    what = n.pick('IsNaN', 'IsInf', 'Equal')
    floats(n, n.node(what, *((x, n.const(0.5)) if what == 'Equal' else (x,))))


@more(1)
def whole(n):
    """Operators of integers, on what was cut to them."""
    t, dt = n.pick((T.INT32, np.int32), (T.INT8, np.int8), (T.UINT8, np.uint8))
    x = n.node('Mul', n.node('Abs', inside(n)), n.const(10))
    x = n.node('Cast', x, to=t)
    c = n.const(n.size(1, 9), dt)
    op = n.pick('BitwiseAnd', 'BitwiseOr', 'BitwiseXor', 'Mod', 'Add', 'Sub',
                'Mul', 'Max', 'Min', 'BitwiseNot', 'Abs', 'Div', 'BitShift')
    attrs = dict(direction=n.pick('LEFT', 'RIGHT')) if op == 'BitShift' else {}
    floats(n, n.node(op, *((x,) if op in ('BitwiseNot', 'Abs') else (x, c)),
                     **attrs))


@more(2)
def quantized(n):
    """There and back by 8 bits; Resize keeps them."""
    x = inside(n)
    t = n.pick(np.int8, np.uint8)
    s = n.const(n.rng.uniform(0.02, 0.1))
    z = n.const(n.size(0, 9), t)
    y = n.node('QuantizeLinear', x, s, z)
    what = n.size(0, 3)
    if what == 0 and len(n.shape[x]) in (3, 4):
        scale = [1.0] * (len(n.shape[x]) - 2) + [n.pick(2.0, 4.0), 2.0]
        y = n.node('Resize', y, '', n.const(scale), mode=n.pick(
            'linear', 'nearest'), nearest_mode='floor',
            coordinate_transformation_mode=n.pick('asymmetric', 'half_pixel'))
    elif what == 1 and len(n.shape[x]) == 4:
        y = n.node('MaxPool', y, kernel_shape=[2, 2])
    elif what == 2 and len(n.shape[x]) > 1:
        y = n.node('Transpose', y)
    n.node('DequantizeLinear', y, s, z)


@more(1)
def dynamic(n):
    """Bytes by their own range; coarse, so only of what comes from outside."""
    x = inside(n)
    if len(n.shape[x]) < 2:
        n.node('Neg', x)
        return
    y = n.node('DynamicQuantizeLinear', x, outputs=3)
    w = n.const(n.rng.integers(0, 255, (n.shape[x][-1], 3)), np.uint8)
    y = n.node('MatMulInteger', y, w, y[:-1] + '2', n.const(120, np.uint8))
    n.node('Mul', n.node('Cast', y, to=T.FLOAT), n.const(1e-4))


# rows and indices

@more(1)
def norms(n):
    x = n.value(3, 4)
    if n.chance(0.5):
        n.node('RMSNormalization', x, n.normal(n.shape[x][-1]), axis=-1,
               epsilon=0.1)
    elif len(n.shape[x]) == 4:
        n.node('MeanVarianceNormalization', n.node('Add', x, n.normal(
            *n.shape[x])), axes=[0, 2, 3])


@more(1)
def chosen(n):
    x = n.value()
    if not n.shape[x]:
        n.node('Neg', x)
        return
    axis = axis_of(n, x)
    d = n.shape[x][axis]
    keep = n.rng.random(d) < 0.7
    keep[n.size(0, d - 1)] = True
    n.node('Compress', x, n.const(keep, bool), axis=axis)


@more(1)
def reversed_(n):
    x = n.value(2, 3, 4)
    batch, time = n.pick((0, 1), (1, 0))
    lengths = n.rng.integers(1, n.shape[x][time] + 1, n.shape[x][batch])
    n.node('ReverseSequence', x, n.const(lengths, np.int64), batch_axis=batch,
           time_axis=time)


@more(1)
def onehot(n):
    x = inside(n)
    if not n.shape[x]:
        n.node('Abs', x)
        return
    y = n.node('ArgMax', x, axis=axis_of(n, x), keepdims=0)
    n.node('OneHot', y, n.const(n.size(2, 6), np.int64), n.const([-1, 2]),
           axis=n.pick(0, -1))


@more(1)
def places(n):
    """CumSum, TopK and sums along any axis, of any rank."""
    x = n.value()
    if not n.shape[x]:
        n.node('Abs', x)
    elif n.chance(0.5):
        n.node('CumSum', x, n.const(axis_of(n, x), np.int64),
               exclusive=n.size(0, 1), reverse=n.size(0, 1))
    else:
        n.node(n.pick('Softmax', 'LogSoftmax'), x, axis=axis_of(n, x))


@more(1)
def boxes(n):
    """The first box of each class, or all of them by their scores, whose
    number is known."""
    x = inside(n)
    d = int(np.prod(n.shape[x]))
    if d > 60:
        n.node('Abs', x)
        return
    k = n.pick(*(k for k in (1, 2, 3) if d % k == 0))
    at = n.rng.uniform(0, 1, (1, d // k, 4))
    center = n.size(0, 1)
    if not center and n.chance(0.8):
        at = np.concatenate([np.minimum(at[..., :2], at[..., 2:]),
                             np.maximum(at[..., :2], at[..., 2:])], -1)
    most, least = n.pick((1, n.rng.uniform(0, 1)), (n.size(1, 9), 1))
    y = n.node('NonMaxSuppression', n.const(at),
               n.node('Reshape', x, n.const([1, k, d // k], np.int64)),
               n.const(most, np.int64), n.const(least),
               center_point_box=center)
    floats(n, y)


@more(1)
def nonzero(n):
    d = [n.size(1, 4) for _ in range(n.size(1, 3))]
    keep = n.rng.random(d) < 0.6
    keep[(0,) * len(d)] = True
    floats(n, n.node('NonZero', n.const(keep, n.pick(bool, np.int32,
                                                     np.float32))))


# recurrent networks and attention

@more(2)
def recurrent(n):
    """Clip, states, peepholes, other activations, and the plain RNN."""
    x = n.value(3)
    steps, batch, d = n.shape[x]
    if steps > 12:
        n.node('Neg', x)
        return
    h = n.size(1, 6)
    op, gates = n.pick(('LSTM', 4), ('GRU', 3), ('RNN', 1))
    way, ways = n.pick(('forward', 1), ('reverse', 1), ('bidirectional', 2))
    attrs = dict(hidden_size=h, direction=way)
    if n.chance(0.5):
        attrs['clip'] = float(n.rng.uniform(0.2, 2))
    if op == 'GRU':
        attrs['linear_before_reset'] = n.size(0, 1)
    if op == 'LSTM' and n.chance(0.2):
        attrs['input_forget'] = 1
    if op == 'RNN':
        attrs['activations'] = [n.pick('Tanh', 'Relu', 'Sigmoid', 'Softsign')
                                for _ in range(ways)]
    state = [n.normal(ways, batch, h)] if n.chance(0.5) else ['']
    more_ = [n.normal(ways, batch, h) if n.chance(0.5) else '',
             n.normal(ways, 3 * h) if n.chance(0.4) else ''] \
        if op == 'LSTM' else []
    n.node(op, x, n.normal(ways, gates * h, d, fan=d),
           n.normal(ways, gates * h, h, fan=h),
           n.normal(ways, 2 * gates * h), '', *state, *more_,
           outputs=n.size(1, 2), **attrs)


@more(1)
def attention(n):
    x = n.value(4)
    b, h, s, d = n.shape[x]
    k = n.normal(b, h, n.size(1, 6), d)
    v = n.normal(*n.inits[k].shape[:3], n.size(1, 5))
    n.node('Attention', x, k, v, is_causal=n.size(0, 1))


@more(1)
def grid(n):
    x = n.value(4)
    b = n.shape[x][0]
    g = n.const(n.rng.uniform(-1.2, 1.2, (b, n.size(1, 4), n.size(1, 4), 2)))
    n.node('GridSample', x, g, mode=n.pick('linear', 'linear', 'cubic'),
           padding_mode=n.pick('zeros', 'border', 'reflection'),
           align_corners=n.size(0, 1))


@more(1)
def upsample_like(n):
    """A crop, and what was cropped put where it was."""
    x = n.value()
    if not n.shape[x]:
        n.node('Neg', x)
        return
    axis = axis_of(n, x) % len(n.shape[x])
    d = n.shape[x][axis]
    cut = n.size(0, d - 1)
    pads = [0] * 2 * len(n.shape[x])
    pads[axis] = -cut
    y = n.node('Pad', x, n.const(pads, np.int64))
    pads[axis] = cut
    n.node('Pad', y, n.const(pads, np.int64), n.const(0.25))


# constants, control, quantized products, signals

@more(1)
def dropout(n):
    x = n.value()
    y = n.node('Dropout', x, outputs=2)
    if n.chance(0.5):
        floats(n, y[:-1] + '1')


@more(1)
def constants(n):
    x = n.value()
    if not n.shape[x]:
        n.node('Identity', x)
        return
    what = n.size(0, 4)
    if what == 0:
        y = n.node('Expand', n.const(0.5), n.node('Shape', x))
    elif what == 1:
        y = n.node('Cast', n.node('Size', x), to=T.FLOAT)
        y = n.node('Div', y, n.const(100))
    elif what == 2 and len(n.shape[x]) == 2:
        y = n.node('EyeLike', x, k=n.size(-1, 1))
    elif what == 3:
        d = n.shape[x][-1]
        y = n.node('Range', n.const(0), n.const(d), n.const(1))
    else:
        y = n.node('CastLike', n.const(n.size(1, 5), np.int32), x)
    n.node('Mul', x, y)


@more(1)
def products(n):
    """Products and convolutions of bytes."""
    x = inside(n)
    if len(n.shape[x]) not in (2, 4):
        n.node('Sign', x)
        return
    s, z = n.const(n.rng.uniform(0.02, 0.05)), n.const(n.size(90, 150),
                                                       np.uint8)
    q = n.node('QuantizeLinear', x, s, z)
    d = n.shape[x]
    w = n.rng.integers(0, 255, (d[1], 3) if len(d) == 2 else (2, d[1], 1, 2))
    w, ws, wz = n.const(w, np.uint8), n.const(0.01), n.const(120, np.uint8)
    if len(d) == 4 and n.chance(0.5):
        y = n.node('Cast', n.node('ConvInteger', q, w, z, wz), to=T.FLOAT)
        n.node('Mul', y, n.const(1e-4))
        return
    ys, yz = n.const(0.1), n.const(100, np.uint8)
    op = 'QLinearMatMul' if len(d) == 2 else 'QLinearConv'
    y = n.node(op, q, s, z, w, ws, wz, ys, yz)
    n.node('DequantizeLinear', y, ys, yz)


@more(1)
def signal(n):
    x = n.value(2)
    b, d = n.shape[x]
    x = n.node('Reshape', x, n.const([b, d, 1], np.int64))
    if n.chance(0.5) or d < 4:
        n.node('DFT', x, '', n.const(1, np.int64), onesided=n.size(0, 1))
    else:
        k = n.size(2, 4)
        w = n.node(n.pick('HannWindow', 'HammingWindow', 'BlackmanWindow'),
                   n.const(k, np.int64))
        n.node('STFT', x, n.const(n.size(1, 3), np.int64), w,
               n.const(k, np.int64), onesided=1)


@more(1)
def rotary(n):
    x = n.value(4)
    b, h, s, d = n.shape[x]
    if d % 2:
        n.node('Neg', x)
        return
    n.node('RotaryEmbedding', x, n.normal(b, s, d // 2),
           n.normal(b, s, d // 2), interleaved=n.size(0, 1))


@more(1)
def hyperbolic(n):
    n.node('Acosh', n.node('Add', n.node('Abs', n.value()), n.const(1.5)))


# what is sampled, cut, folded and put back

@more(1)
def warp(n):
    """A grid from an affine map, and an image sampled by it.  The centre of
    one row is at -1 in ONNX's Python reference, at 1 in onnxruntime: not drawn.
    """
    x = n.value(4)
    b, c, h, w = n.shape[x]
    corners = n.size(0, 1)
    g = n.node('AffineGrid', n.normal(b, 2, 3),
               n.const([b, c, n.size(1 + corners, 5), n.size(1 + corners, 5)],
                       np.int64), align_corners=corners)
    n.node('GridSample', x, g, padding_mode=n.pick('zeros', 'border'))


@more(1)
def center(n):
    x = n.value(1, 2, 3, 4)
    axes = some_axes(n, x)
    n.node('CenterCropPad', x, n.const([n.size(1, 10) for _ in axes],
                                       np.int64), axes=axes)


@more(1)
def fold(n):
    """Columns of an image; every column may lie over its neighbours."""
    size, k = [n.size(3, 7), n.size(3, 7)], [n.size(1, 3), n.size(1, 3)]
    stride = [n.size(1, 2), n.size(1, 2)]
    count = [(s - b) // t + 1 for s, b, t in zip(size, k, stride)]
    b, c = n.size(1, 2), n.size(1, 3)
    shape = b, c * k[0] * k[1], count[0] * count[1]
    x = n.value()
    y = n.node('Mul', n.node('ReduceMean', x, keepdims=0), n.normal(*shape))
    n.node('Col2Im', y, n.const(size, np.int64), n.const(k, np.int64),
           strides=stride)


@more(1)
def unpool(n):
    """Back to where a pool found its greatest.  A window that does not fit is
    refused; onnxruntime rounds (1 - 2) / 2 + 1 to 1."""
    x = n.value(4)
    k = n.size(1, 2)
    if n.shape[x][2] < k or n.shape[x][3] < 2:
        n.node('Neg', x)
        return
    y = n.node('MaxPool', x, outputs=2, kernel_shape=[k, 2], strides=[k, 2])
    n.node('MaxUnpool', y, y[:-1] + '1', kernel_shape=[k, 2], strides=[k, 2])


@more(1)
def mel(n):
    x = n.value(2)
    bins = n.shape[x][-1]
    if bins < 3:
        n.node('Neg', x)
        return
    i64 = lambda v: n.const(v, np.int64)
    n.node('MatMul', x, n.node(
        'MelWeightMatrix', i64(n.size(2, 6)), i64(2 * bins - 2), i64(8000),
        n.const(100), n.const(3500)))


@more(1)
def filled(n):
    x = n.value()
    y = n.node('ConstantOfShape', n.const(n.shape[x], np.int64),
               value=numpy_helper.from_array(np.float32([0.75])))
    n.node('Sub', x, y)


@more(1)
def branch(n):
    """One of two graphs, known while compiling."""
    x = n.value()
    side = lambda op, y: helper.make_graph(
        [helper.make_node(op, [x], [y])], op, [],
        [helper.make_tensor_value_info(y, T.FLOAT, n.shape[x])])
    k = n.size(0, 10 ** 6)
    n.node('If', n.const(n.chance(0.5), bool),
           then_branch=side('Abs', 't%d' % k), else_branch=side('Neg', 'e%d' % k))
    n.read.add(x)


@more(1)
def cache(n):
    """New rows into a cache from a place that may go round its end."""
    x = n.value(4)
    b, h, s, d = n.shape[x]
    most = s + n.size(0, 4)
    round_ = n.chance(0.5)
    at = n.rng.integers(0, most if round_ else most - s + 1, b)
    n.node('TensorScatter', n.normal(b, h, most, d), x, n.const(at, np.int64),
           mode='circular' if round_ else 'linear', axis=-2)
