"""test/ptq/hard.py FROM TO apart|outliers: a network that computes what it did
and is harder to round: channels of convolutions 10 and 100 times as great as
their neighbours, or two channels behind each normalization 100 times."""
import sys
import numpy as np
import onnx
from onnx import numpy_helper

came, to, kind = sys.argv[1:]
model, rng = onnx.load(came), np.random.default_rng(9)
init = {i.name: i for i in model.graph.initializer}


def array(name):
    return numpy_helper.to_array(init[name])


def multiply(name, by):
    v = (array(name) * by).astype(np.float32)
    init[name].CopyFrom(numpy_helper.from_array(v, name))


def apart():
    convs = [n for n in model.graph.node if n.op_type == 'Conv']
    for a, b in zip(convs, convs[1:]):
        f = 10.0 ** rng.integers(0, 3, len(array(a.input[1])))
        multiply(a.input[1], f[:, None, None, None])
        multiply(a.input[2], f)
        depthwise = array(b.input[1]).shape[1] == 1
        multiply(b.input[1], 1 / (f[:, None, None, None] if depthwise else
                                  f[None, :, None, None]))


def outliers():
    for n in model.graph.node:
        readers = [k for k in model.graph.node if n.output[0] in k.input]
        if n.op_type != 'LayerNormalization' or \
                any(k.op_type != 'MatMul' for k in readers):
            continue
        f = np.ones(len(array(n.input[1])))
        f[rng.permutation(len(f))[:2]] = 100
        multiply(n.input[1], f)
        multiply(n.input[2], f)
        for k in readers:
            multiply(k.input[1], 1 / f[:, None])


dict(apart=apart, outliers=outliers)[kind]()
onnx.save(model, to)
