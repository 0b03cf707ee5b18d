#!/usr/bin/env python3
"""QDQ networks against onnxruntime: tools/qdq.py EVAL [-s SEED] [KIND...]

EVAL is the driver test/ir/eval.c, built.  For every kind of layer a float network
is quantized by onnxruntime's static quantizer in four ways (signed and
unsigned activations, weights per tensor and per channel) and run by both on
the same inputs; then every layer of the networks in zoo/, on the values that
onnxruntime has there; those networks from end to end; last every layer of
random networks (of random_graphs.py, from SEED on; default: the time).

onnxruntime answers twice: as it comes, with its fused integer kernels, and
without them, layer by layer in floats as ONNX defines it.  Where the two
differ, an integer result may agree with either.  Printed per kind: results;
how many differ by one unit and by more from the fused; from the unfused; how
often these two differ from each other; and how many differ from both.

Ends with 1 if a layer's result differs by more than one from both, or if
more than one in 10 000 agree with neither.  Averages over an even number of
elements and interpolations by halves (TIES) are left out of the second:
quantized with one scale on both sides, many lie exactly half way, and the
rounding of scaled floats decides.
"""
import os
import subprocess
import sys
import tempfile
import time
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization as quant

import random_graphs

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
ort.set_default_logger_severity(4)
KINDS = {}
TIES = ('avgpool_even', 'avgpool_pad', 'random AveragePool',
        'random Resize')


def kind(*shape):
    """A builder of nodes over inputs of that shape, called by its name."""
    return lambda f: KINDS.update({f.__name__: (f, shape)}) or f


class Builder:
    def __init__(self, rng):
        self.rng, self.nodes, self.inits, self.n = rng, [], [], 0

    def const(self, value, dtype=np.float32):
        self.n += 1
        self.inits.append(numpy_helper.from_array(
            np.asarray(value, dtype), 'c%d' % self.n))
        return 'c%d' % self.n

    def weight(self, *shape, fan):
        return self.const(self.rng.normal(0, fan ** -0.5, shape))

    def __call__(self, op, *x, **attrs):
        self.n += 1
        self.nodes.append(helper.make_node(op, list(x), ['v%d' % self.n],
                                           name='n%d' % self.n, **attrs))
        return 'v%d' % self.n


def quantized_first(b, x):
    """The quantizer leaves some operators alone where they come first."""
    return b('Add', x, b.weight(*x_channels, fan=9))


x_channels = 6, 1, 1
IMAGE = (8, 6, 14, 14)
ROWS = (64, 48)


def conv_kind(name, w, shape=IMAGE, bias=True, then=None, **attrs):
    def build(b, x):
        args = [x, b.weight(*w, fan=np.prod(w[1:]))]
        if bias:
            args.append(b.weight(w[0], fan=4))
        y = b('Conv', *args, **attrs)
        return then(b, y) if then else y
    KINDS[name] = build, shape


relu = lambda b, x: b('Relu', x)
conv_kind('conv_1x1', (16, 6, 1, 1))
conv_kind('conv_3x3_pad', (16, 6, 3, 3), pads=[1, 1, 1, 1])
conv_kind('conv_relu', (16, 6, 3, 3), then=relu, pads=[1, 1, 1, 1])
conv_kind('conv_clip6', (8, 6, 3, 3), then=lambda b, x: b(
    'Clip', x, b.const(0), b.const(6)), strides=[2, 2])
conv_kind('conv_nobias', (8, 6, 3, 3), bias=False, dilations=[2, 2])
conv_kind('conv_depthwise', (6, 1, 3, 3), group=6, pads=[1, 1, 1, 1])
conv_kind('conv_groups', (12, 3, 3, 3), group=2, pads=[0, 1, 1, 0])
conv_kind('conv_1d', (16, 12, 5), shape=(8, 12, 40), pads=[2, 2])
conv_kind('conv_large', (32, 64, 3, 3), shape=(2, 64, 12, 12))


@kind(*IMAGE)
def convtranspose(b, x):
    return b('ConvTranspose', x, b.weight(6, 8, 3, 3, fan=54),
             b.weight(8, fan=4), strides=[2, 2], pads=[1, 1, 1, 1])


@kind(*ROWS)
def gemm(b, x):
    return b('Gemm', x, b.weight(32, 48, fan=48), b.weight(32, fan=4),
             transB=1)


@kind(*ROWS)
def gemm_relu(b, x):
    return b('Relu', b('Gemm', x, b.weight(48, 32, fan=48),
                       b.weight(32, fan=4)))


@kind(4, 24, 48)
def matmul(b, x):
    return b('MatMul', x, b.weight(48, 40, fan=48))


@kind(4, 24, 48)
def matmul_add(b, x):
    return b('Add', b('MatMul', x, b.weight(48, 40, fan=48)),
             b.weight(40, fan=4))


@kind(4, 24, 48)
def matmul_dynamic(b, x):
    return b('MatMul', x, b('Transpose', b('Tanh', x), perm=[0, 2, 1]))


@kind(*IMAGE)
def add(b, x):
    return b('Add', x, b('Sigmoid', x))


@kind(*IMAGE)
def add_relu(b, x):
    return b('Relu', b('Add', b('Tanh', x), x))


@kind(*IMAGE)
def sub(b, x):
    return b('Sub', x, b('Sigmoid', x))


@kind(*IMAGE)
def mul(b, x):
    return b('Mul', x, b('Sigmoid', x))


@kind(*IMAGE)
def mul_channels(b, x):
    return b('Mul', x, b.weight(6, 1, 1, fan=1))


@kind(*IMAGE)
def add_channels(b, x):
    return b('Add', x, b.weight(6, 1, 1, fan=1))


@kind(*IMAGE)
def concat(b, x):
    return b('Concat', x, b('Sigmoid', x), b('Relu', x), axis=1)


@kind(*IMAGE)
def maxpool(b, x):
    x = quantized_first(b, x)
    return b('MaxPool', x, kernel_shape=[3, 3], strides=[2, 2],
             pads=[1, 1, 1, 1])


@kind(*IMAGE)
def avgpool_odd(b, x):
    x = quantized_first(b, x)
    return b('AveragePool', x, kernel_shape=[3, 3], strides=[2, 2])


@kind(*IMAGE)
def avgpool_even(b, x):
    x = quantized_first(b, x)
    return b('AveragePool', x, kernel_shape=[2, 2], strides=[2, 2])


@kind(*IMAGE)
def avgpool_pad(b, x):
    x = quantized_first(b, x)
    return b('AveragePool', x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])


@kind(*IMAGE)
def avgpool_countpad(b, x):
    x = quantized_first(b, x)
    return b('AveragePool', x, kernel_shape=[3, 3], pads=[1, 1, 1, 1],
             count_include_pad=1)


@kind(256, 6, 5, 5)
def globalaverage(b, x):
    return b('GlobalAveragePool', x)


@kind(64, 24, 16)
def reducemean(b, x):
    return b('ReduceMean', x, axes=[1], keepdims=0)


def unary_kind(name, op, **attrs):
    KINDS[name] = (lambda b, x: b(op, quantized_first(b, x), **attrs)), IMAGE


for op in ('Relu', 'Sigmoid', 'Tanh', 'HardSwish', 'HardSigmoid', 'Erf',
           'Exp', 'Neg', 'Abs', 'Softplus', 'Elu', 'Selu'):
    unary_kind(op.lower(), op)
unary_kind('leakyrelu', 'LeakyRelu', alpha=0.1)
unary_kind('softmax', 'Softmax', axis=1)
unary_kind('transpose', 'Transpose', perm=[0, 2, 3, 1])
unary_kind('flatten', 'Flatten')


@kind(*IMAGE)
def gelu(b, x):
    y = b('Erf', b('Div', x, b.const(np.sqrt(2))))
    return b('Mul', b('Mul', x, b('Add', y, b.const(1))), b.const(0.5))


@kind(*IMAGE)
def clip(b, x):
    x = quantized_first(b, x)
    return b('Clip', x, b.const(-0.5), b.const(1.2))


@kind(*IMAGE)
def reshape(b, x):
    x = quantized_first(b, x)
    return b('Reshape', x, b.const([8, -1, 7], np.int64))


@kind(*IMAGE)
def slice_(b, x):
    x = quantized_first(b, x)
    return b('Slice', x, *(b.const([v], np.int64) for v in (1, 9, 2)))


@kind(*IMAGE)
def pad(b, x):
    return b('Pad', x, b.const([0, 0, 1, 1, 0, 0, 2, 1], np.int64))


@kind(*IMAGE)
def resize(b, x):
    x = quantized_first(b, x)
    return b('Resize', x, '', b.const([1, 1, 2, 2]), mode='nearest')


@kind(16, 24, 32)
def layernorm(b, x):
    return b('LayerNormalization', x, b.weight(32, fan=1), b.weight(32, fan=4))


def float_model(name, rng):
    build, shape = KINDS[name]
    b = Builder(rng)
    y = build(b, 'x')
    info = helper.make_tensor_value_info
    g = helper.make_graph(b.nodes, name, [info('x', TensorProto.FLOAT, shape)],
                          [info(y, TensorProto.FLOAT, None)], b.inits)
    m = helper.make_model(g, ir_version=8,
                          opset_imports=[helper.make_opsetid('', 17)])
    return onnx.shape_inference.infer_shapes(m), shape


class Reader(quant.CalibrationDataReader):
    def __init__(self, data):
        self.data = iter(data)

    def get_next(self):
        return next(self.data, None)


def session(model, fused=True):
    o = ort.SessionOptions()
    o.intra_op_num_threads = 1
    if not fused:
        o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model.SerializeToString(), o,
                                providers=['CPUExecutionProvider'])


class Case:
    """A model, its inputs, and what onnxruntime makes of them."""

    def __init__(self, folder, name, model, feeds):
        self.name, self.path = name, '%s/%d' % (folder, len(os.listdir(folder)))
        os.makedirs(self.path)
        onnx.save(model, self.path + '/network.onnx')
        np.savez(self.path + '/inputs.npz', **feeds)
        self.want = session(model).run(None, feeds)
        self.plain = session(model, False).run(None, feeds)
        self.step = list(steps(model))

    def line(self):
        return '%s/network.onnx %s/inputs.npz %s/got.npz\n' % (
            (self.path,) * 3)

    def apart(self, a, b):
        """The distance of every result, in units of its grid."""
        return np.concatenate([
            np.abs(np.rint((v.astype(float) - w.astype(float)) / s)).reshape(-1)
            for v, w, s in zip(a, b, self.step)])

    def counts(self):
        z = np.load(self.path + '/got.npz')
        got = [z[k] for k in z.files]
        f, p = self.apart(got, self.want), self.apart(got, self.plain)
        own = self.apart(self.want, self.plain)
        best = np.minimum(f, p)
        return np.array([f.size, (f == 1).sum(), (f > 1).sum(), (p == 1).sum(),
                         (p > 1).sum(), (own > 0).sum(), (best == 1).sum(),
                         (best > 1).sum()])


def steps(model):
    """The scale of each output: 1 where it is an integer, what is within the
    rounding of floats where it is no quantized value."""
    consts = {i.name: i for i in model.graph.initializer}
    makers = {y: n for n in model.graph.node for y in n.output}
    for o in model.graph.output:
        n = makers[o.name]
        if n.op_type == 'DequantizeLinear':
            yield float(numpy_helper.to_array(consts[n.input[1]]))
        else:
            real = o.type.tensor_type.elem_type == TensorProto.FLOAT
            yield 1e-4 if real else 1


def quantized(model, data, activations, per_channel, folder,
              form=quant.QuantFormat.QDQ, weights='s8'):
    kinds = dict(u8=quant.QuantType.QUInt8, s8=quant.QuantType.QInt8)
    path = folder + '/float.onnx'
    onnx.save(model, path)
    quant.quantize_static(
        path, folder + '/qdq.onnx', Reader(data),
        quant_format=form, per_channel=per_channel,
        activation_type=kinds[activations], weight_type=kinds[weights],
        op_types_to_quantize=sorted({n.op_type for n in model.graph.node}))
    return onnx.load(folder + '/qdq.onnx')


def layer_cases(name, folder, scratch):
    for i, activations in enumerate(('u8', 's8')):
        for per_channel in False, True:
            rng = np.random.default_rng(sum(map(ord, name)) + i)
            model, shape = float_model(name, rng)
            data = [rng.normal(0.1, 1, shape).astype(np.float32)
                    for _ in range(4)]
            q = quantized(model, [{'x': x} for x in data], activations,
                          per_channel, scratch)
            if q.graph.node[-1].op_type != 'DequantizeLinear':
                continue
            for x in data[:2]:
                yield Case(folder, name, q, {'x': x})


def operator_cases(name, folder, scratch):
    """The same in the form of QLinear operators, weights unsigned too."""
    for weights in 'u8', 's8':
        rng = np.random.default_rng(sum(map(ord, name)))
        model, shape = float_model(name, rng)
        x = rng.normal(0.1, 1, shape).astype(np.float32)
        try:
            q = quantized(model, [{'x': x}], 'u8', False, scratch,
                          quant.QuantFormat.QOperator, weights)
            c = Case(folder, 'qlinear ' + name, q, {'x': x})
        except Exception:       # kinds onnxruntime has no such operator for
            continue
        if any('QLinear' in n.op_type or 'QGemm' in n.op_type
               for n in q.graph.node):
            yield c


def dynamic_cases(name, folder, scratch):
    """Scales of activations found as it runs, products of integers."""
    for weights in quant.QuantType.QUInt8, quant.QuantType.QInt8:
        rng = np.random.default_rng(sum(map(ord, name)))
        model, shape = float_model(name, rng)
        onnx.save(model, scratch + '/float.onnx')
        quant.quantize_dynamic(scratch + '/float.onnx', scratch + '/dyn.onnx',
                               weight_type=weights)
        q = onnx.load(scratch + '/dyn.onnx')
        if any('Integer' in n.op_type for n in q.graph.node):
            x = rng.normal(0.1, 1, shape).astype(np.float32)
            yield Case(folder, 'dynamic ' + name, q, {'x': x})


def every_value(model, feeds):
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    names = [y for n in model.graph.node for y in n.output if y]
    probe.graph.output.extend(
        helper.make_empty_tensor_value_info(n) for n in names)
    values = dict(zip(names, session(probe).run(None, feeds)))
    values.update(feeds)
    return values


def layers_of(what, model, feeds, folder):
    """Every layer of a network: from quantized values to a quantized one."""
    model = onnx.shape_inference.infer_shapes(model)
    values = every_value(model, feeds)
    makers = {y: n for n in model.graph.node for y in n.output}
    quants = [n for n in model.graph.node if n.op_type == 'QuantizeLinear']
    for q in quants:
        inputs, todo = set(), [q.input[0]]
        while todo:
            v = todo.pop()
            n = makers.get(v)
            if n is None:
                continue
            if n.op_type == 'QuantizeLinear':
                inputs.add(v)
            todo += n.input if n.op_type != 'QuantizeLinear' else []
        if not inputs:
            continue
        layer = onnx.utils.Extractor(model).extract_model(
            sorted(inputs), [q.output[0]])
        op = makers[q.input[0]].op_type if q.input[0] in makers else 'input'
        yield Case(folder, what + op, layer,
                   {k: values[k] for k in sorted(inputs)})


def zoo_cases(path, folder):
    yield from layers_of('zoo ', onnx.load(path + '/network.onnx'),
                         dict(np.load(path + '/inputs.npz')), folder)


def random_cases(seed, count, folder, scratch):
    while count:
        made = random_graphs.random_float(seed)
        seed += 1
        if not made:
            continue
        model, x, _ = made
        try:
            q = quantized(model, [x], ('u8', 's8')[seed % 2], seed % 3 == 0,
                          scratch)
            cases = list(layers_of('random ', q, x, folder))
        except Exception:       # onnxruntime cannot quantize it, or run it
            continue
        for c in cases:
            c.name += ' seed %d' % (seed - 1)
        yield from cases
        count -= 1


def whole_cases(path, folder):
    """A network of the zoo from end to end, on some inputs."""
    model = onnx.load(path + '/network.onnx')
    first = np.load(path + '/inputs.npz')['input']
    rng = np.random.default_rng(3)
    for i in range(12):
        x = first * rng.choice([-1, 1]) + rng.normal(0, 0.3, first.shape)
        yield Case(folder, 'whole ' + os.path.basename(path), model,
                   {'input': x.astype(np.float32)})


def tell(name, t):
    print('%-28s %8d %6d %5d %6d %5d %6d %6d %5d' % (name, *t))


def all_cases(names, seed, folder, scratch):
    for n in KINDS:
        if not names or n in names:
            yield from layer_cases(n, folder, scratch)
            yield from operator_cases(n, folder, scratch)
            yield from dynamic_cases(n, folder, scratch)
    for d in sorted(os.listdir(root + '/zoo')):
        if '-qdq-' in d and (not names or d in names):
            yield from zoo_cases('%s/zoo/%s' % (root, d), folder)
            yield from whole_cases('%s/zoo/%s' % (root, d), folder)
    if not names or 'random' in names:
        yield from random_cases(seed, 60, folder, scratch)


def run(driver, cases):
    """Counts by kind, and what was refused."""
    said = subprocess.run([driver], input=''.join(c.line() for c in cases),
                          capture_output=True, text=True).stdout
    table, refused = {}, set()
    for c, line in zip(cases, said.splitlines()):
        if line.endswith(' ok'):
            t = table.setdefault(c.name, np.zeros(8, int))
            t += c.counts()
        else:
            refused.add('%s: %s' % (c.name, line.split(' ', 1)[1]))
    return table, refused


def main():
    names, seed = sys.argv[2:], int(time.time())
    if names[:1] == ['-s']:
        seed, names = int(names[1]), names[2:]
    print('seed %d' % seed)
    with tempfile.TemporaryDirectory() as top:
        folder, scratch = top + '/cases', top + '/scratch'
        os.makedirs(folder)
        os.makedirs(scratch)
        cases = list(all_cases(names, seed, folder, scratch))
        table, refused = run(sys.argv[1], cases)
    print('%-28s %8s %12s %12s %6s %12s' % (
        'kind', 'results', 'fused: 1  >1', 'un-: 1  >1', 'own',
        'both: 1  >1'))
    shown = {}
    for name, t in table.items():
        shown[name.split(' seed')[0]] = shown.get(name.split(' seed')[0], 0) + t
        if ' seed' in name and t[7]:
            print('more than one: ' + name)
    for name in shown:
        tell(name, shown[name])
    layers = {k: t for k, t in shown.items() if not k.startswith('whole')}
    total = sum(t for k, t in layers.items() if k not in TIES)
    tell('layers but for ties', total)
    more = sum(t[7] for t in layers.values())
    for r in sorted(refused):
        print('refused: ' + r)
    print('%d results of layers: %d differ by one, %d by more; %d layers '
          'refused' % (total[0], total[6], more, len(refused)))
    return bool(refused or more or total[6] * 10000 > total[0])


if __name__ == '__main__':
    sys.exit(main())
