"""many.py FILE ROWS: a feed-forward pair of shards.py's shapes."""
import os
import sys
import numpy as np
import onnx
from onnx import helper, TensorProto

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../../zoo'))
from integer import Dialect  # noqa: E402
from shards import Block  # noqa: E402


def value(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, rows, 512])


rows = int(sys.argv[2])
g = Dialect()
block = Block(g, np.random.default_rng(3), 0, 512, 2048, 4, rows, False)
last = block.sum(block.plain('input'), 'input', 'y')
graph = helper.make_graph(g.nodes, 'pair', [value('input')], [value(last)],
                          list(g.inits.values()))
onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
    helper.make_opsetid('', 13), helper.make_opsetid('PACTOps', 1)]),
    sys.argv[1])
