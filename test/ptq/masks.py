"""masks.py DIR SEED: attention whose scores a mask hides, as exporters write
it, or to whose scores a bias is added, small float networks with examples
(test/ptq/mask.t): DIR/KIND.onnx and .npz, a first example KIND_one.npz, and
KIND_else.npz, which differs from that only in what no row that matters sees.
A line each: KIND ROWS, the rows that matter."""
import os
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

S, E, H, P, N = 12, 16, 2, 8, 24  # rows, elements, heads of P, examples
SEEN = S - 4                      # rows before what the examples hide
LATER = np.triu(np.ones((S, S)), 1)
FAR = abs(np.arange(S)[:, None] - np.arange(S))


class Net:
    def __init__(self, seed):
        self.nodes, self.inits = [], []
        self.inputs = [('input', [1, S, E])]
        self.rng = np.random.RandomState(seed)

    def const(self, value, kind=np.float32):
        name = 'c%d' % len(self.inits)
        self.inits.append(numpy_helper.from_array(np.asarray(value, kind),
                                                  name))
        return name

    def node(self, op, *x, **attributes):
        y = 'v%d' % len(self.nodes)
        self.nodes.append(helper.make_node(op, x, [y], **attributes))
        return y

    def linear(self, x, rows, columns, by=1):
        w = self.rng.randn(rows, columns) * by / rows ** .5
        y = self.node('MatMul', x, self.const(w))
        return self.node('Add', y, self.const(self.rng.randn(columns) * .1))

    def reshape(self, x, *shape):
        return self.node('Reshape', x, self.const(shape, np.int64))

    def heads(self, *perm, by=1):
        y = self.reshape(self.linear('input', E, H * P, by), 1, S, H, P)
        return self.node('Transpose', y, perm=perm)

    def told(self, *shape):
        """1 of keys that are to be seen; what hides the others."""
        self.inputs.append(('keys', [1, S]))
        m = self.node('Mul', self.node('Sub', self.const(1), 'keys'),
                      self.const(-10000))
        return self.reshape(m, *shape)

    def build(self, mask):
        q, k = self.heads(0, 2, 1, 3, by=2), self.heads(0, 2, 3, 1, by=2)
        v = self.heads(0, 2, 1, 3)
        s = self.node('Mul', self.node('MatMul', q, k),
                      self.const(P ** -.5))
        y = self.node('MatMul', self.node('Softmax', mask(self, s), axis=-1), v)
        y = self.reshape(self.node('Transpose', y, perm=[0, 2, 1, 3]), 1, S,
                         H * P)
        y = self.linear(y, H * P, E)
        return self.node('Add', y, 'input')


def added(hidden, number):
    return lambda n, s: n.node('Add', n.const(np.where(hidden, number, 0)), s)


def causal(n, s):
    return added(LATER, -1e9)(n, s)


def infinite(n, s):
    return added(LATER.reshape(1, 1, S, S), -np.inf)(n, s)


def padded(n, s):
    return added((np.arange(S) >= SEEN).reshape(1, 1, 1, S), -1e4)(n, s)


def where(n, s):
    return n.node('Where', n.const(LATER, bool), n.const(-1e9), s)


def told(n, s):
    return n.node('Add', s, n.told(1, 1, 1, S))


def both(n, s):
    m = n.node('Add', n.told(1, 1, 1, S), n.const(LATER * -1e4))
    return n.node('Add', s, m)


def told_where(n, s):
    n.inputs.append(('keys', [1, S]))
    m = n.node('Greater', n.reshape('keys', 1, 1, 1, S), n.const(.5))
    return n.node('Where', m, s, n.const(-1e9))


def told_bits(n, s):
    """Later keys and those that are not to be seen, computed."""
    m = n.node('Cast', n.reshape('keys', 1, 1, 1, S), to=TensorProto.BOOL)
    n.inputs.append(('keys', [1, S]))
    m = n.node('Or', n.node('Not', m), n.const(LATER, bool))
    return n.node('Where', m, n.const(-1e9), s)


def told_cast(n, s):
    """Bits that are multiplied."""
    n.inputs.append(('keys', [1, S]))
    m = n.node('Greater', n.reshape('keys', 1, 1, 1, S), n.const(.5))
    m = n.node('Cast', n.node('Not', m), to=TensorProto.FLOAT)
    return n.node('Add', s, n.node('Mul', m, n.const(-1e4)))


def told_infinite(n, s):
    """As scaled_dot_product_attention is exported."""
    n.inputs.append(('keys', [1, S]))
    m = n.node('Greater', n.reshape('keys', 1, 1, 1, S), n.const(.5))
    return n.node('Add', s, n.node('Where', m, n.const(0), n.const(-np.inf)))


def by_head(n, s):
    """The second head sees all."""
    m = LATER * np.array([1, 0]).reshape(H, 1, 1)
    return added(m, -1e9)(n, s)


def near(n, s):
    """A bias of distances."""
    return n.node('Add', s, n.const(-.2 * FAR))


def near_each(n, s):
    """The same, of each head."""
    return n.node('Add', s, n.const(-FAR * np.array([.1, .3]).reshape(H, 1, 1)))


def near_causal(n, s):
    """A bias of distances, and what hides later keys."""
    return causal(n, near_each(n, s))


def causal_near(n, s):
    """The other way round."""
    return near(n, causal(n, s))


def merged(n, s):
    """The same as one constant."""
    return added(np.ones((S, S)), np.where(LATER, -1e9, -.2 * FAR))(n, s)


def near_where(n, s):
    """A bias, and what is told to be hidden."""
    return told_where(n, near(n, s))


KINDS = {'causal': (causal, SEEN), 'infinite': (infinite, SEEN),
         'padded': (padded, SEEN), 'where': (where, SEEN),
         'told': (told, SEEN), 'both': (both, SEEN),
         'told_where': (told_where, SEEN), 'told_bits': (told_bits, SEEN),
         'told_cast': (told_cast, SEEN),
         'told_infinite': (told_infinite, SEEN), 'by_head': (by_head, 0),
         'near': (near, 0), 'near_each': (near_each, 0),
         'near_causal': (near_causal, SEEN), 'causal_near': (causal_near, SEEN),
         'merged': (merged, SEEN), 'near_where': (near_where, SEEN)}


def save(path, rng, inputs):
    """Examples; the first one, and another in rows that are hidden."""
    data = {'input': rng.randn(N, 1, S, E).astype(np.float32)}
    if len(inputs) > 1:
        data['keys'] = (np.arange(S) < rng.randint(1, S, (N, 1, 1))).astype(
            np.float32)
        data['keys'][0] = np.arange(S) < SEEN
    np.savez(path + '.npz', *data.values())
    one = {k: v[0].copy() for k, v in data.items()}
    np.savez(path + '_one.npz', *one.values())
    one['input'][:, SEEN:] = data['input'][1][:, SEEN:]
    np.savez(path + '_else.npz', *one.values())


def main(to, seed):
    for i, (kind, (mask, rows)) in enumerate(KINDS.items()):
        net = Net(seed + i)
        y = net.build(mask)
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            net.nodes, kind,
            [info(n, TensorProto.FLOAT, s) for n, s in net.inputs],
            [info(y, TensorProto.FLOAT, [1, S, E])], net.inits)
        path = os.path.join(to, kind)
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
            helper.make_opsetid('', 17)]), path + '.onnx')
        save(path, net.rng, net.inputs)
        print(kind, rows)


main(sys.argv[1], int(sys.argv[2]))
