#!/usr/bin/env python3
"""Vectors of operators that few networks have: tools/ops.py DIR [NAME...]

A network for each name below, all of its nodes side by side, is written to
DIR/NAME: network.onnx, inputs.npz, and in outputs.npz what onnxruntime makes
of it, or ONNX's reference where onnxruntime has no such operator.  test/front/ops
holds what this wrote; test/front/ops.t runs it."""
import os
import sys
import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

rng = np.random.default_rng(10)


def f(*shape):
    """Normal numbers of few digits: they compress, and are exact in text."""
    return (rng.standard_normal(shape) * 64).round().astype(np.float32) / 64


def i64(*v):
    return np.array(v, np.int64)


class C:
    """An operand that is a constant."""

    def __init__(self, a):
        self.a = np.asarray(a)


def number(v, t=np.int64):
    return C(np.array(v, t))


def case(op, *operands, results=1, opset=20, **attributes):
    return op, operands, results, opset, attributes


def topk():
    x, ties = f(2, 3, 90), rng.integers(-3, 4, (5, 40)).astype(np.float32)
    return [case('TopK', x, C(i64(70)), results=2),
            case('TopK', x, C(i64(3)), results=2, axis=1, largest=0),
            case('TopK', ties, C(i64(40)), results=2, largest=0),
            case('TopK', ties, C(i64(1)), results=2, axis=0)]


def signal():
    x, z, s = f(2, 20, 1), f(2, 3, 16, 2), f(1, 400, 1)
    half = f(2, 7, 2)
    window = np.hanning(64).astype(np.float32)
    cases = [case('DFT', x), case('DFT', x, onesided=1),
             case('DFT', z, None, number(1)), case('DFT', z, inverse=1),
             case('DFT', z, number(21)), case('DFT', x, number(17)),
             case('DFT', z, number(7), number(-2), inverse=1),
             case('DFT', half, number(13), onesided=1, inverse=1),
             case('DFT', half, onesided=1, inverse=1),
             case('STFT', s, number(32), C(window)),
             case('STFT', s, number(50), None, number(60)),
             case('STFT', f(1, 90, 2), number(7), C(window), onesided=0)]
    cases += [case(w + 'Window', number(19), periodic=p)
              for w in ('Hann', 'Hamming', 'Blackman') for p in (0, 1)]
    return cases + [case('MelWeightMatrix', number(9), number(80),
                         number(8000), number(60.0, np.float32),
                         number(4000.0, np.float32))]


def attention():
    q, k, v = f(2, 4, 3, 8), f(2, 2, 7, 8), f(2, 2, 7, 8)
    past, now, lens = f(2, 2, 4, 8), f(2, 2, 3, 8), i64(7, 2)
    mask = C(rng.integers(0, 2, (3, 5)).astype(bool))
    none = (None, None, None)
    return [case('Attention', *operands, opset=25, **attributes)
            for operands, attributes in (
                ((q, k, v), dict(left_window_size=1)),
                ((q, k, v), dict(left_window_size=2, right_window_size=1)),
                ((q, now, now, None, past, past),
                 dict(left_window_size=3, is_causal=1)),
                ((q, k, v, *none, lens), dict(is_causal=1)),
                ((q, k, v, *none, lens), dict(left_window_size=1)),
                ((q, k, v, *none, lens),
                 dict(left_window_size=1, right_window_size=1)),
                ((q, k, v, mask, None, None, lens),
                 dict(right_window_size=2, softcap=1.5)))]


def grid(x, *to):
    """A grid that reaches a little beyond the ends of x."""
    axes = x.ndim - 2
    return (rng.random((x.shape[0], *to, axes)) * 300 - 150
            ).round().astype(np.float32) / 128


def gridsample():
    x, v, s = f(2, 3, 5, 4), f(1, 2, 3, 4, 5), f(1, 2, 7)
    g, h = grid(x, 3, 4), grid(v, 2, 3, 2)
    cases = [case('GridSample', x, g, mode=m, padding_mode=p, align_corners=a)
             for m in ('linear', 'nearest', 'cubic')
             for p in ('zeros', 'border', 'reflection') for a in (0, 1)]
    cases += [case('GridSample', v, h, mode=m, padding_mode=p, align_corners=a)
              for m, p, a in (('linear', 'zeros', 0), ('nearest', 'border', 1),
                              ('linear', 'reflection', 1))]
    theta = f(2, 2, 3)
    return cases + [
        case('AffineGrid', theta, C(i64(2, 3, 4, 5)), align_corners=1),
        case('AffineGrid', f(1, 3, 4), C(i64(1, 3, 2, 4, 5)))]


def nms():
    corner, size = f(2, 30, 2), np.abs(f(2, 30, 2)) + .5
    boxes = np.concatenate([corner, corner + size], 2)
    scores = rng.random((2, 3, 30)).astype(np.float32)
    part = lambda v: C(np.float32([v]))
    return [case('NonMaxSuppression', boxes, scores, C(i64(9)), part(.4),
                 part(.3)),
            case('NonMaxSuppression', boxes, scores, C(i64(100)), part(.1)),
            case('NonMaxSuppression', boxes, scores, C(i64(3)), part(.5),
                 part(.98), center_point_box=1)]


def unpool():
    x, line, box = f(2, 3, 7, 6), f(2, 3, 9), f(1, 2, 4, 5, 6)
    x = np.clip(x, -1, 1)  # ties
    wide = dict(kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
    pool = lambda x, **a: case('MaxPool', x, results=2, **a)
    places = C(i64(9, 2, 14, 28, 20, 26).reshape(1, 1, 2, 3))
    two = dict(kernel_shape=[2, 2], strides=[2, 2])
    return [pool(x, **wide), pool(x, storage_order=1, **wide),
            pool(x, kernel_shape=[2, 2], dilations=[2, 3], ceil_mode=1,
                 strides=[2, 2]),
            pool(line, kernel_shape=[3], strides=[2]),
            pool(box, kernel_shape=[2, 3, 2], strides=[1, 2, 2],
                 pads=[1, 0, 0, 0, 1, 1]),
            case('MaxUnpool', f(1, 1, 2, 3), places, kernel_shape=[3, 2],
                 strides=[2, 2])]


def volume():
    x, pads = f(1, 4, 4, 5, 4), [1, 0, 1, 0, 2, 1]
    pool = dict(kernel_shape=[2, 3, 2], strides=[2, 1, 2], pads=pads)
    return [
        case('Conv', x, C(f(6, 4, 3, 2, 3)), C(f(6)), pads=pads),
        case('Conv', x, C(f(6, 2, 2, 3, 1)), group=2, strides=[2, 1, 3],
             dilations=[2, 1, 1]),
        case('Conv', x, C(f(8, 1, 3, 3, 3)), C(f(8)), group=4,
             auto_pad='SAME_UPPER', strides=[2, 2, 2]),
        case('Conv', x, C(f(3, 4, 1, 1, 1))),
        case('ConvTranspose', x, C(f(4, 3, 2, 3, 2)), C(f(3)), pads=pads,
             strides=[2, 1, 2], output_padding=[1, 0, 0]),
        case('ConvTranspose', x, C(f(4, 2, 3, 2, 2)), group=2,
             dilations=[1, 2, 1]),
        case('MaxPool', x, **pool), case('AveragePool', x, **pool),
        case('AveragePool', x, count_include_pad=1, ceil_mode=1, **pool),
        case('LpPool', x, p=3, **pool), case('GlobalAveragePool', x),
        case('GlobalMaxPool', x), case('GlobalLpPool', x, p=1),
        case('Resize', x, None, C(np.float32([1, 1, 2, 1.5, .6])),
             mode='linear')]


def cache():
    past, u, flat = f(2, 3, 8, 4), f(2, 3, 2, 4), f(2, 8, 4)
    return [case('TensorScatter', *operands, opset=24, **attributes)
            for operands, attributes in (
                ((past, u, i64(6, 1)), {}), ((past, u), {}),
                ((past, u, i64(7, 15)), dict(mode='circular')),
                ((flat, f(2, 3, 4), i64(0, 5)), dict(axis=1)),
                ((flat, f(2, 8, 1), i64(3, 0)), dict(axis=-1)))]


def pieces():
    return [case('CenterCropPad', f(2, 5, 4, 3), C(i64(4, 7)), axes=[1, -1]),
            case('CenterCropPad', f(4, 6), C(i64(7, 3))),
            case('Col2Im', f(2, 12, 25), C(i64(6, 6)), C(i64(2, 3)),
                 pads=[0, 1, 0, 0]),
            case('Col2Im', f(1, 6, 6), C(i64(8, 5)), C(i64(3, 2)),
                 strides=[2, 2], dilations=[1, 2])]


def newer():
    x, w, past = f(2, 3, 9), C(f(3, 1, 4)), f(2, 3, 3)
    return [case('CausalConvWithState', x, w, C(f(3)), past, results=2,
                 opset=28, activation='silu'),
            case('CausalConvWithState', x, w, results=2, opset=28),
            case('SwiGLU', x, f(2, 3, 9), opset=28, alpha=1.5)]


NAMES = {f.__name__: f for f in (topk, signal, attention, gridsample, nms,
                                 unpool, volume, cache, pieces, newer)}


def build(name, cases):
    """The network; what is fed to it; the constants, by name."""
    feed, constants, nodes, outputs = {}, {}, [], []

    def operand(v):
        if v is None:
            return ''
        where, a = (constants, v.a) if isinstance(v, C) else (feed, v)
        for k, b in where.items():
            if b is a:
                return k
        k = '%s%d' % ('c' if where is constants else 'x', len(where))
        where[k] = a
        return k

    for n, (op, operands, results, _, attributes) in enumerate(cases):
        made = ['%s%d_%d' % (op, n, i) for i in range(results)]
        nodes.append(helper.make_node(op, [operand(v) for v in operands],
                                      made, '%s%d' % (op, n), **attributes))
        outputs += made
    types = lambda k: helper.np_dtype_to_tensor_dtype(feed[k].dtype)
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info(k, types(k), feed[k].shape)
         for k in feed],
        [onnx.ValueInfoProto(name=k) for k in outputs],
        [numpy_helper.from_array(a, k) for k, a in constants.items()])
    opset = max(c[3] for c in cases)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid('', opset)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model), feed


def answer(model, feed):
    try:
        import onnxruntime
        onnxruntime.set_default_logger_severity(4)
        return onnxruntime.InferenceSession(
            model.SerializeToString(),
            providers=['CPUExecutionProvider']).run(None, feed)
    except Exception as e:
        print('by the reference, for onnxruntime says', str(e)[:160])
        return ReferenceEvaluator(model).run(None, feed)


def whole(cases, outputs):
    """NonMaxSuppression with the rows that there can be, the others -1."""
    for i, (op, operands, *_) in enumerate(cases):
        if op == 'NonMaxSuppression':
            n, classes, boxes = operands[1].shape
            rows = n * classes * min(boxes, operands[2].a[0])
            none = np.full((rows - len(outputs[i]), 3), -1, np.int64)
            outputs[i] = np.concatenate([outputs[i], none])
    return outputs


def typed(model, outputs):
    """Every output's type and shape as they came out."""
    del model.graph.value_info[:]
    for v, a in zip(model.graph.output, outputs):
        v.CopyFrom(helper.make_tensor_value_info(
            v.name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape))


def main():
    for name in sys.argv[2:] or NAMES:
        cases = NAMES[name]()
        model, feed = build(name, cases)
        outputs = whole(cases, answer(model, feed))
        typed(model, outputs)
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        onnx.save(model, folder + '/network.onnx')
        np.savez_compressed(folder + '/inputs.npz', **feed)
        np.savez_compressed(folder + '/outputs.npz', *outputs)


if __name__ == '__main__':
    main()
