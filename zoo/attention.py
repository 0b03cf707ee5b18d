#!/usr/bin/env python3
"""Blocks of attention: zoo/attention.py [S,E,P,H[,fused]...] (numpy, onnx,
onnxruntime).

The attention of three small Transformers (Wiese et al., Optimizing the deployment
of tiny Transformers on low-power MCUs, 2025), each alone: of S rows of E numbers
H heads of P, that is three projections, softmax(q k' / sqrt(P)) v, and the
projection of that to E.  In the integer dialect, with weights that are drawn.

Fused, the weights of q and k are one matrix for each head, before weights are
rounded, and all heads have x for k.

Makes attention-ecg-int, which is kept, and in build/zoo attention-eeg-int,
attention-tr-int and attention-tr-fused-int; or of the sizes that are given
attention-S-E-P-H-int there.
"""
import sys
import numpy as np

import floats
import make
from nets import Net

SHAPES = (('eeg', '81,32,32,8'), ('ecg', '66,16,2,8'), ('tr', '5,32,32,8'),
          ('tr-fused', '5,32,32,8,fused'))


def fuse(q, k, e, p, h):
    """q k' of the products q and k of x is (x w + b) x', and what is the same in
    a row, which the softmax drops; a w for each head."""
    heads = [slice(i * p, i * p + p) for i in range(h)]
    return (np.hstack([q.w[:, i] @ k.w[:, i].T for i in heads]),
            np.hstack([q.b[i] @ k.w[:, i].T for i in heads]))


def block(name, s, e, p, h, fused=False):
    n = Net('attention-' + name, (1, s, e), 16)
    split = lambda a, shape, to: n.put(
        'transpose', n.put('reshape', a, shape=(1, s) + shape), perm=to)
    rows, columns = (0, 2, 1, 3), (0, 2, 3, 1)
    q, k, v = (n.linear(e, h * p, x='input') for _ in range(3))
    if fused:
        w, b = fuse(n.layers[0], n.layers[1], e, p, h)
        n.layers = n.layers[2:]
        q = split(n.put('linear', 'input', w=w, b=b), (h, e), rows)
        k = split('input', (1, e), columns)
    else:
        q, k = split(q, (h, p), rows), split(k, (h, p), columns)
    v = split(v, (h, p), rows)
    a = n.put('matmul', [q, k], factor=1 / np.sqrt(p))
    n.put('matmul', [n.put('softmax', a), v], factor=1.0)
    n.put('transpose', perm=(0, 2, 1, 3))
    n.put('reshape', shape=(1, s, h * p))
    n.linear(h * p, e)
    return n


def main():
    given = [(a.replace(',', '-'), a) for a in sys.argv[1:]]
    for name, shape in given or SHAPES:
        sizes = [int(i) for i in shape.split(',')[:4]]
        net = block(name, *sizes, fused=shape.endswith('fused'))
        data = list(make.samples(net, 7))[:8]
        make.make_integer(net, make.peaks(floats.model(net, True), net, data),
                          data, make.here if name == 'ecg' else make.big)


if __name__ == '__main__':
    main()
