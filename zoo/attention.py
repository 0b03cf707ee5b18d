#!/usr/bin/env python3
"""Blocks of attention: zoo/attention.py [S,E,P,H...] (numpy, onnx, onnxruntime).

The attention of three small Transformers (Wiese et al., Optimizing the deployment
of tiny Transformers on low-power MCUs, 2025), each alone: of S rows of E numbers
H heads of P, that is three projections, softmax(q k' / sqrt(P)) v, and the
projection of that to E.  In the integer dialect, with weights that are drawn.

Makes attention-ecg-int, which is kept, and in build/zoo attention-eeg-int and
attention-tr-int; or of the sizes that are given attention-S-E-P-H-int there.
"""
import sys
import numpy as np

import floats
import make
from nets import Net

SHAPES = {'eeg': (81, 32, 32, 8), 'ecg': (66, 16, 2, 8), 'tr': (5, 32, 32, 8)}


def block(name, s, e, p, h):
    n = Net('attention-' + name, (1, s, e), 16)
    q, k, v = (n.linear(e, h * p, x='input') for _ in range(3))
    q, k, v = (n.put('transpose', n.put('reshape', a, shape=(1, s, h, p)),
                     perm=to)
               for a, to in ((q, (0, 2, 1, 3)), (k, (0, 2, 3, 1)),
                             (v, (0, 2, 1, 3))))
    a = n.put('matmul', [q, k], factor=1 / np.sqrt(p))
    n.put('matmul', [n.put('softmax', a), v], factor=1.0)
    n.put('transpose', perm=(0, 2, 1, 3))
    n.put('reshape', shape=(1, s, h * p))
    n.linear(h * p, e)
    return n


def main():
    sizes = {'-'.join(a.split(',')): [int(i) for i in a.split(',')]
             for a in sys.argv[1:]} or SHAPES
    for name, shape in sizes.items():
        net = block(name, *shape)
        data = list(make.samples(net, 7))[:8]
        make.make_integer(net, make.peaks(floats.model(net, True), net, data),
                          data, make.here if name == 'ecg' else make.big)


if __name__ == '__main__':
    main()
