#!/usr/bin/env python3
"""ONNX's own node tests: tools/nodes.py [-o TABLE] [-k WORD] [-j JOBS]

Generates every case of onnx.backend.test, binds inputs that are really
parameters (shapes, axes, bounds, scales) as constants, runs the case by
`tilewright run -t host` and compares every output: integers equal, floats
within 1e-4 absolute or relative, floats where ONNX has floats.  What is wanted
is what ONNX's Python reference gives; of Resize it is what onnxruntime gives,
which rounds lengths as exporters do.  Each case ends as

    passed
    excluded    with the reason: something outside of what is to be compiled
                (strings, 64-bit floats, sequences, control flow, training,
                results whose shape depends on data ...), or an operator that
                is not supported and not in WANTED
    FAILED      anything else

-o writes the table, a line per case; -k keeps the cases whose name contains
WORD; -j runs so many at a time (2).  Ends with 1 if a case failed.
"""
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import warnings
import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper, TensorProto

warnings.filterwarnings('ignore')
ort.set_default_logger_severity(4)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')

# Inputs that are parameters, by operator; the numbers are positions.
PARAMS = dict(
    Reshape=[1], Expand=[1], Slice=[1, 2, 3, 4], Squeeze=[1], Unsqueeze=[1],
    Pad=[1, 2, 3], Tile=[1], TopK=[1], Resize=[1, 2, 3], Upsample=[1],
    Split=[1], OneHot=[1, 2], ConstantOfShape=[0], Range=[0, 1, 2],
    CumSum=[1], CumProd=[1], Clip=[1, 2], Trilu=[1], CenterCropPad=[1],
    Dropout=[1, 2], QuantizeLinear=[1, 2], DequantizeLinear=[1, 2],
    BatchNormalization=[1, 2, 3, 4], QLinearConv=[1, 2, 3, 4, 5, 6, 7, 8],
    QLinearMatMul=[1, 2, 3, 4, 5, 6, 7], ConvInteger=[1, 2, 3],
    MatMulInteger=[2, 3], LSTM=[1, 2, 3, 4, 7], GRU=[1, 2, 3, 4],
    RNN=[1, 2, 3, 4],
    NonMaxSuppression=[2, 3, 4], DFT=[1, 2], Col2Im=[1, 2], MaxUnpool=[2], AffineGrid=[1],
    HannWindow=[0], HammingWindow=[0], BlackmanWindow=[0],
    MelWeightMatrix=[0, 1, 2, 3, 4], STFT=[1, 2, 3], ReverseSequence=[1],
    RotaryEmbedding=[1, 2, 3], BitShift=[1])
PARAMS.update({'Reduce' + k: [1] for k in (
    'Sum', 'Mean', 'Max', 'Min', 'Prod', 'L1', 'L2', 'LogSum', 'LogSumExp',
    'SumSquare')})

# The least that must pass.
WANTED = set('''Conv ConvTranspose Gemm MatMul MaxPool AveragePool
GlobalMaxPool GlobalAveragePool Add Sub Mul Div Pow Sqrt Exp Log Abs Neg Floor
Ceil Round Erf Min Max Mean Sum Relu LeakyRelu PRelu Elu Selu Sigmoid Tanh
HardSigmoid HardSwish Swish Gelu Softplus Softsign Mish Clip Softmax LogSoftmax
LayerNormalization RMSNormalization GroupNormalization InstanceNormalization
BatchNormalization ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1
ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare Concat Split Slice Gather
GatherElements GatherND Pad Transpose Reshape Flatten Squeeze Unsqueeze
Identity DepthToSpace SpaceToDepth Where Expand Tile ArgMax ArgMin Cast
LSTM GRU QuantizeLinear DequantizeLinear QLinearConv QLinearMatMul ConvInteger
MatMulInteger Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor Not
Reciprocal Sin Cos Tan Sign Mod'''.split())

TYPES = {getattr(TensorProto, t) for t in '''FLOAT INT8 UINT8 INT16 UINT16
INT32 UINT32 INT64 UINT64 BOOL INT4 UINT4 INT2 UINT2'''.split()}
CONTROL = set('If Loop Scan SequenceMap'.split())
RANDOM = set('''RandomNormal RandomNormalLike RandomUniform RandomUniformLike
Bernoulli Multinomial'''.split())
DYNAMIC = set('NonZero Unique Compress StringSplit'.split())


NIBBLES = {getattr(TensorProto, t) for t in 'INT4 UINT4 INT2 UINT2'.split()}


def types(model):
    """Element types of everything that the model names, or None: no tensor."""
    g = model.graph
    for v in list(g.input) + list(g.output) + list(g.value_info):
        yield v.type.tensor_type.elem_type \
            if v.type.HasField('tensor_type') else None
    for t in g.initializer:
        yield t.data_type
    for n in g.node:
        for a in n.attribute:
            if a.name in ('to', 'dtype', 'output_dtype') and a.i:
                yield a.i
            if a.type == onnx.AttributeProto.TENSOR:
                yield a.t.data_type


def operators(nodes):
    for n in nodes:
        yield n
        for a in n.attribute:
            if a.type == onnx.AttributeProto.GRAPH:
                yield from operators(a.g.node)


def reason(model, whole):
    """Why a model is not for us; None if it is.  whole: the nodes that it
    expands."""
    nodes = list(operators(model.graph.node))
    ops = {n.op_type for n in nodes}
    for t in types(model):
        if t is None:
            return 'sequences and optionals'
        if t not in TYPES and t:
            return TensorProto.DataType.Name(t).lower().replace(
                'double', 'float64')
    if 'CastLike' in ops | {w.op_type for w in whole} and \
            NIBBLES & set(types(model)):
        return 'casts to 2 and 4 bits'
    for n in nodes:
        if n.domain not in ('', 'ai.onnx'):
            return 'domain ' + n.domain
    for what, names in (('control flow', CONTROL), ('random numbers', RANDOM),
                        ('the shape of the result depends on data', DYNAMIC)):
        if ops & names:
            return what
    return None


def filled(want, got):
    """What is not found has rows of -1, for results have one size."""
    more = np.full((max(0, len(got) - len(want)), want.shape[1]), -1)
    return np.concatenate([want, more.astype(want.dtype)])


def training(model, inputs):
    """Does a node ask for training, by attribute, operand or results?"""
    values = {v.name: a for v, a in zip(model.graph.input, inputs)}
    for n in model.graph.node:
        if n.op_type not in ('Dropout', 'BatchNormalization'):
            continue
        mode = values.get(n.input[2]) if len(n.input) == 3 else None
        if any(a.name == 'training_mode' and a.i for a in n.attribute) or \
                (n.op_type == 'Dropout' and mode is not None and mode.any()):
            return True
    return False


def tensor(a, name):
    t = onnx.TensorProto()
    t.CopyFrom(a if isinstance(a, TensorProto) else
               numpy_helper.from_array(np.asarray(a), name))
    t.name = name
    return t


def bind(model, nodes, arrays):
    """Makes parameter inputs of these nodes constants; gives the inputs that
    are left."""
    g, bound, left = model.graph, set(), {}
    for n in nodes:
        for i in PARAMS.get(n.op_type, []):
            if i < len(n.input):
                bound.add(n.input[i])
    for v, a in zip(list(g.input), arrays):
        if v.name in bound:
            g.initializer.append(tensor(a, v.name))
            g.input.remove(v)
        else:
            left[v.name] = a = array(a)
            shape = v.type.tensor_type.shape
            del shape.dim[:]
            for d in a.shape:
                shape.dim.add().dim_value = d
    return left


def plain(a):
    """Integers of 2 and 4 bits as bytes, the only way NumPy stores them."""
    return a.astype(np.int8 if a.dtype.name[0] == 'i' else np.uint8) \
        if a.dtype.name in ('int2', 'int4', 'uint2', 'uint4') else a


def array(v):
    return plain(numpy_helper.to_array(v)) if isinstance(v, TensorProto) \
        else plain(np.asarray(v))


class Case:
    """whole: the same case with the operator as one node, where this one is
    its expansion."""

    def __init__(self, test, whole, folder):
        self.name, self.result, self.why = test.name, None, ''
        self.path = '%s/%s' % (folder, test.name)
        self.model = onnx.ModelProto()
        self.model.CopyFrom(test.model)
        self.op = ' '.join(sorted({
            n.op_type for n in (whole or test).model.graph.node}))
        self.why = reason(self.model, (whole or test).model.graph.node)
        if not self.why:
            inputs, outputs = test.data_sets[0]
            if training(test.model, inputs):
                self.why = 'training'
        if self.why:
            self.result = 'excluded'
        else:
            self.write(test, inputs, outputs, whole or test)

    def write(self, test, inputs, outputs, whole):
        os.makedirs(self.path)
        nodes = list(self.model.graph.node) + list(whole.model.graph.node)
        left = bind(self.model, nodes, inputs)
        onnx.save(self.model, self.path + '/network.onnx')
        np.savez(self.path + '/inputs.npz', **left)
        self.flags = [w for k, a in left.items() if a.dtype == np.float32
                      for w in ('--input-type', k + '=f32')]
        if 'Resize' in self.op:
            outputs = by_onnxruntime(test.model, inputs) or outputs
        self.want = [v for v in map(array, outputs) if v.size]
        np.savez(self.path + '/outputs.npz', *self.want)
        if not self.want:
            self.result, self.why = 'excluded', 'a result without elements'

    def run(self):
        try:
            r = subprocess.run(
                [ROOT + '/tilewright', 'run', self.path + '/network.onnx',
                 '-q', '-t', 'host', '-i', self.path + '/inputs.npz', '-o',
                 self.path + '/got.npz', *self.flags], capture_output=True,
                text=True, timeout=600)
        except subprocess.TimeoutExpired:
            self.judge(-1, 'out of time')
            return
        said = r.stderr.strip().replace(self.path + '/network.onnx: ', '')
        self.judge(r.returncode, said[-300:])

    def wanted(self):
        return self.op in WANTED

    def judge(self, status, said):
        if status == 1 and (not self.wanted() or 'casts to' in said):
            self.result, self.why = 'excluded', short(said)
            return
        self.why = self.difference() if status == 0 else \
            'exit %d: %s' % (status, said)
        self.result = 'FAILED' if self.why else 'passed'

    def difference(self):
        z = np.load(self.path + '/got.npz')
        got = [z[k] for k in z.files]
        if len(got) != len(self.want):
            return '%d outputs, %d wanted' % (len(got), len(self.want))
        for i, (a, b) in enumerate(zip(got, self.want)):
            b = np.asarray(b)
            if self.op == 'NonMaxSuppression':
                b = filled(b, a)
            if a.shape != b.shape:
                return 'output %d has shape %s, %s wanted' % (
                    i, a.shape, b.shape)
            if (a.dtype.kind == 'f') != (b.dtype.kind == 'f'):
                return 'output %d is %s, %s wanted' % (i, a.dtype, b.dtype)
            if not close(a, b):
                return 'output %d differs' % i
        return ''


def by_onnxruntime(model, inputs):
    """What it gives; None where it does not know the case."""
    names = [v.name for v in model.graph.input]
    try:
        s = ort.InferenceSession(model.SerializeToString(),
                                 providers=['CPUExecutionProvider'])
        return s.run(None, dict(zip(names, map(array, inputs))))
    except Exception:
        return None


def short(message):
    """A refusal without the names of values."""
    message = re.sub(r"^node '[^']*' ", '', message)
    m = re.match(r'\((\w+)\): the operator is not supported', message)
    return 'operator %s is not supported' % m[1] if m else message


def close(a, b):
    if b.dtype.kind != 'f':
        return np.array_equal(a.astype(np.int64), b.astype(np.int64)) \
            if b.dtype != np.uint64 else np.array_equal(a.astype(b.dtype), b)
    a, b = a.astype(np.float64), b.astype(np.float64)
    odd = ~np.isfinite(b)
    if not np.array_equal(a[odd], b[odd], equal_nan=True):
        return False
    return bool((np.abs(a - b)[~odd] <=
                 1e-4 * np.maximum(1, np.abs(b[~odd]))).all())


def generate(folder, word):
    from onnx.backend.test.case.node import collect_testcases
    tests = {t.name: t for t in collect_testcases(None)}
    whole = lambda name: tests.get(re.sub('_expanded.*', '', name)) \
        if '_expanded' in name else None
    return [Case(t, whole(t.name), folder) for t in tests.values()
            if word in t.name]


def run(cases, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(Case.run, [c for c in cases if not c.result]))


def summary(cases):
    n = collections.Counter(c.result for c in cases)
    return '%d node tests of onnx %s: %d passed, %d excluded, %d FAILED' % (
        len(cases), onnx.__version__, n['passed'], n['excluded'], n['FAILED'])


def write_table(path, cases):
    with open(path, 'w') as f:
        f.write('# %s\n' % summary(cases))
        f.write('case\toperator\tresult\twhy\n')
        for c in sorted(cases, key=lambda c: c.name):
            f.write('%s\t%s\t%s\t%s\n' % (c.name, c.op, c.result, c.why or ''))


def main():
    args = sys.argv[1:]
    option = lambda k, none: args[args.index(k) + 1] if k in args else none
    with tempfile.TemporaryDirectory() as folder:
        cases = generate(folder, option('-k', ''))
        run(cases, int(option('-j', 2)))
    for c in cases:
        if c.result == 'FAILED':
            print('%s (%s): %s' % (c.name, c.op, c.why.replace(folder, '')))
    if option('-o', None):
        write_table(option('-o', None), cases)
    print(summary(cases))
    return any(c.result == 'FAILED' for c in cases)


if __name__ == '__main__':
    sys.exit(main())
