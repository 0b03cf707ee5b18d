"""attend.py DIR SEED: attention between QuantizeLinear and DequantizeLinear as
exporters write it, drawn at random, with masks of all kinds: DIR/attend.onnx
and .npz."""
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.RandomState(int(sys.argv[2]))
heads, width = int(rng.choice([1, 2, 4])), int(rng.choice([2, 4, 8, 12]))
rows = int(rng.randint(4, 30))
cross = rng.rand() < .3
keys = int(rng.randint(4, 40)) if cross else rows
size, signed = heads * width, rng.rand() < .5
batch = int(rng.choice([1, 1, 2]))
kind, least = (np.int8, -128) if signed else (np.uint8, 0)
nodes, consts, told = [], [], []


def const(value):
    consts.append(numpy_helper.from_array(np.asarray(value),
                                          'c%d' % len(consts)))
    return consts[-1].name


def add(op, *args, results=1, **attrs):
    names = ['v%d_%d' % (len(nodes), i) for i in range(results)]
    nodes.append(helper.make_node(op, args, names, **attrs))
    return names[0] if results == 1 else names


def pair(x, scale, zero=None):
    """QuantizeLinear and DequantizeLinear."""
    zero = rng.randint(least + 90, least + 166) if zero is None else zero
    of = const(np.float32(scale)), const(kind(zero))
    return add('DequantizeLinear', add('QuantizeLinear', x, *of), *of)


def weights(columns):
    scale = const(np.float32(.004)), const(np.int8(0))
    w = const(rng.randint(-127, 128, (size, columns)).astype(np.int8))
    return add('DequantizeLinear', w, *scale)


def linear(x, columns=size):
    y = pair(add('MatMul', x, weights(columns)), .03)
    if rng.rand() < .5:
        y = pair(add('Add', y, const(rng.normal(0, .3, columns).astype(
            np.float32))), .031)
    return y


def split(x, n, last):
    """Heads of rows; last: of columns."""
    x = add('Reshape', x, const(np.array([batch, n, heads, width])))
    if not last:
        return add('Transpose', x, perm=[0, 2, 1, 3])
    if rng.rand() < .5:
        return add('Transpose', x, perm=[0, 2, 3, 1])
    x = add('Transpose', x, perm=[0, 2, 1, 3])
    return add('Transpose', x, perm=[0, 1, 3, 2])


def shown():
    """Of rows and keys, what is to be seen: later keys not, last keys not, or
    any but the first."""
    kind = rng.choice(['later', 'last', 'any'])
    row, key = np.arange(rows)[:, None], np.arange(keys)
    see = (key <= row if kind == 'later' else
           (key < max(keys * 2 // 3, 1)) & (row >= 0) if kind == 'last' else
           (rng.rand(rows, keys) < .5) | (key == 0))
    see = see[:1] if kind == 'last' else see
    if batch > 1 and rng.rand() < .5: # of each
        return (key < rng.randint(1, keys + 1, (batch, 1))).reshape(
            batch, 1, 1, keys)
    return see.reshape((1,) * rng.choice([0, 1, 2]) + see.shape)


def bits():
    """Those, constant or told."""
    see = shown()
    if rng.rand() < .5:
        return const(see)
    told.append(see)
    return 'told%d' % (len(told) - 1)


def masked(s):
    kind = rng.choice(['constant', 'put', 'where', 'cast', 'two'])
    far = np.float32(rng.choice([-1e4, -1e9, -3.4028235e38, -np.inf]))
    if kind == 'put':
        return add('Where', bits(), s, const(far))
    if kind == 'where':
        # a score less 1e4 is not -1e4, so a row without any is no one of equals
        m = add('Where', bits(), const(np.float32(0)),
                const(min(far, np.float32(-1e20))))
    elif kind == 'cast':
        m = add('Cast', bits(), to=TensorProto.FLOAT)
        m = add('Sub', const(np.float32(1)), m)
        m = add('Mul', m, const(np.float32(-1e30)))
    else:
        m = const(np.where(shown(), 0, far).astype(np.float32))
    if kind == 'two':
        s = add('Add', s, add('Where', bits(), const(np.float32(0)),
                              const(np.float32(-np.inf))))
        m = const(np.where(shown(), 0, -np.inf).astype(np.float32))
    return add('Add', *rng.permutation([s, m]))


def scores(s, by):
    """Scaled and masked, in any order, quantized again or not."""
    steps = ([] if by is None else ['scale']) + ['mask'] * (rng.rand() < .7)
    for step in rng.permutation(steps):
        s = masked(s) if step == 'mask' else (
            add('Mul', s, const(by)) if rng.rand() < .5 else
            add('Div', s, const(np.float32(1 / by))))
    return pair(s, .12) if steps and rng.rand() < .4 else s


def attention(x, other):
    if not cross and rng.rand() < .4: # packed
        q, k, v = add('Split', linear(x, 3 * size), axis=2, results=3)
    else:
        q, k, v = linear(x), linear(other), linear(other)
    scale, root = rng.choice(['before', 'behind', 'no']), np.float32(width**-.5)
    if scale == 'before':
        q = pair(add('Mul', q, const(root)), .03 * root)
    s = pair(add('MatMul', split(q, rows, False), split(k, keys, True)),
             .12 * width ** .5)
    s = scores(s, root if scale == 'behind' else None)
    levels = rng.choice([255, 256, 255.04, 300])
    w = pair(add('Softmax', s, axis=-1), 1 / levels, least)
    y = pair(add('MatMul', w, split(v, keys, False)), .02)
    y = add('Transpose', y, perm=[0, 2, 1, 3])
    return linear(add('Reshape', y, const(np.array([batch, rows, size]))))


def main():
    info, to = helper.make_tensor_value_info, sys.argv[1] + '/attend'
    shapes = [[batch, rows, size]] + ([[batch, keys, size]] if cross else [])
    names = ['x', 'other'][:len(shapes)]
    sides = [pair(n, .03, least + 128) for n in names]
    y = attention(sides[0], sides[-1])
    graph = helper.make_graph(
        nodes, 'attend',
        [info(n, TensorProto.FLOAT, s) for n, s in zip(names, shapes)] +
        [info('told%d' % i, TensorProto.BOOL, t.shape)
         for i, t in enumerate(told)],
        [info(y, TensorProto.FLOAT, shapes[0])], consts)
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid('', 17)]), to + '.onnx')
    np.savez(to + '.npz', *[rng.normal(0, 1.5, s).astype(np.float32)
                            for s in shapes], *told)


main()
