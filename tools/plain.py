#!/usr/bin/env python3
"""Judges the oracle: tools/plain.py DIR...

Each standard operator in DIR/network.onnx, on the operands that dialect.py
computed, run by onnxruntime in float32 where that is exact (no sum reaches
2^24), must give what dialect.py gave.
"""
import sys
import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, TensorProto

import dialect

PLAIN = 'Conv Gemm MatMul Add Sub Mul MaxPool Transpose Flatten'.split()


def exact(n, v):
    """Even if every product had the same sign."""
    a = [np.abs(v[x]) for x in n.input]
    node = dialect.Node(n)
    return n.op_type in ('MaxPool', 'Transpose', 'Flatten') or \
        dialect.OPS[n.op_type](node, *a).max(initial=0) < 2 ** 24


def again(n, v):
    info = helper.make_tensor_value_info
    g = helper.make_graph(
        [n], 'one', [info(x, TensorProto.FLOAT, v[x].shape) for x in n.input],
        [info(n.output[0], TensorProto.FLOAT, None)])
    m = helper.make_model(g, ir_version=8,
                          opset_imports=[helper.make_opsetid('', 13)])
    s = ort.InferenceSession(m.SerializeToString(),
                             providers=['CPUExecutionProvider'])
    return s.run(None, {x: v[x].astype(np.float32) for x in n.input})[0]


def judge(d):
    model, x = onnx.load(d + '/network.onnx'), np.load(d + '/inputs.npz')
    v, _ = dialect.trace(model, [x[k] for k in x.files])
    same = different = 0
    for n in model.graph.node:
        if n.op_type not in PLAIN or not exact(n, v):
            continue
        if np.array_equal(again(n, v), v[n.output[0]]):
            same += 1
        else:
            different += 1
            print('%s: %s (%s) differs' % (d, n.name, n.op_type))
    return same, different


def main():
    same, different = np.sum([judge(d) for d in sys.argv[1:]], axis=0)
    print('%d operators as onnxruntime has them, %d differ' % (same, different))
    return int(different != 0)


if __name__ == '__main__':
    sys.exit(main())
