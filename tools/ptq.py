#!/usr/bin/env python3
"""quantize beside onnxruntime's static quantizer: tools/ptq.py [-n N] [NET...]

Every float network of zoo/ (or those named, folders with network.onnx of one
input) is quantized by both from the same 32 examples, drawn from a normal
distribution and cut at three deviations, and runs on N others (default 48).
onnxruntime: QDQ, signed bytes, weights per channel, each way of calibration;
run without graph optimization, whose fused kernels lose more on processors
that saturate pairs of products.  Printed per network: SQNR of the outputs
against the float network in dB, and how often the greatest element is the
same, ours in each way of --ranges and theirs in each of theirs."""
import os
import subprocess
import sys
import tempfile
import numpy as np
import onnxruntime as ort
from onnxruntime import quantization as quant

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
ZOO = ('dscnn', 'resnet8', 'autoencoder', 'transformer')
ort.set_default_logger_severity(4)


class Reader(quant.CalibrationDataReader):
    def __init__(self, name, data):
        self.it = iter([{name: x} for x in data])

    def get_next(self):
        return next(self.it, None)


def session(path):
    o = ort.SessionOptions()
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(path, o, providers=['CPUExecutionProvider'])


def answers(path, data):
    s = session(path)
    name = s.get_inputs()[0].name
    return np.stack([s.run(None, {name: x})[0] for x in data])


def theirs(path, name, examples, data, way, tmp):
    quant.quantize_static(
        path, tmp + '/qdq.onnx', Reader(name, examples),
        quant_format=quant.QuantFormat.QDQ, per_channel=True,
        activation_type=quant.QuantType.QInt8,
        weight_type=quant.QuantType.QInt8,
        calibrate_method=way)
    return answers(tmp + '/qdq.onnx', data)


def ours(path, examples, data, way, tmp):
    np.savez(tmp + '/c.npz', np.stack(examples))
    np.savez(tmp + '/x.npz', np.stack(data))
    tw = root + '/tilewright'
    subprocess.run([tw, 'quantize', path, '--data', tmp + '/c.npz', '-f',
                    '--ranges', way, '-q', '-o', tmp + '/q.il'], check=True)
    subprocess.run([tw, 'run', tmp + '/q.il', '-t', 'host', '--sequence', '-q',
                    '-i', tmp + '/x.npz', '-o', tmp + '/y.npz'], check=True)
    y = np.load(tmp + '/y.npz')
    return y[y.files[0]]


def judged(y, want):
    y, want = y.reshape(len(want), -1), want.reshape(len(want), -1)
    noise = ((y - want) ** 2).sum()
    return (10 * np.log10((want ** 2).sum() / noise),
            100 * np.mean(y.argmax(1) == want.argmax(1)))


def main(argv):
    n = 48
    if argv[:1] == ['-n']:
        n, argv = int(argv[1]), argv[2:]
    for net in argv or [f'{root}/zoo/{z}-f32' for z in ZOO]:
        path = net + '/network.onnx'
        name = session(path).get_inputs()[0]
        rng = np.random.default_rng(1)
        shape = [d if isinstance(d, int) else 1 for d in name.shape]
        x = [np.clip(rng.normal(size=shape), -3, 3).astype(np.float32)
             for _ in range(32 + n)]
        want = answers(path, x[32:])
        print(os.path.basename(net))
        with tempfile.TemporaryDirectory() as tmp:
            for way in 'mse', 'minmax', 'percentile':
                print('  quantize --ranges %-12s %6.1f dB %6.1f %%' % (
                    way, *judged(ours(path, x[:32], x[32:], way, tmp), want)))
            for way in (quant.CalibrationMethod.MinMax,
                        quant.CalibrationMethod.Percentile):
                print('  onnxruntime %-21s %6.1f dB %6.1f %%' % (
                    way.name, *judged(theirs(path, name.name, x[:32], x[32:],
                                             way, tmp), want)), flush=True)


if __name__ == '__main__':
    main(sys.argv[1:])
