#!/usr/bin/env python3
"""Makes the networks of the zoo: zoo/make.py [NAME...]

The networks of mobilenet.py need numpy and onnx.  The two smallest are part of
this folder; the others, megabytes, are made in build/zoo (`make zoo`):
zoo/make.py build makes those, and those only.

The others need onnxruntime too (tools/deps-python).  For each network of
nets.py: NAME-f32 (float32), NAME-int (integer dialect) and NAME-qdq-* (QDQ,
by onnxruntime's static quantizer: u8 or s8 activations, -pc with weights per
channel), each a folder with network.onnx, inputs.npz and outputs.npz.  The
expected outputs are onnxruntime's, for the integer dialect tools/dialect.py's;
of QDQ networks as ONNX defines them, without the fused kernels, one of which
(softmax) rounds its own way.

Prints, for each integer network, how its 8-bit values are used: the range,
the share at the ends of the range and at zero, and how many distinct values.
"""
import importlib.util
import os
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))


def want(*packages):
    """Ends, naming them, if some of these Python packages are missing."""
    missing = [p for p in packages if not importlib.util.find_spec(p)]
    if missing:
        sys.exit('zoo/make.py: Python lacks ' + ', '.join(missing) +
                 '; this installs them: ' +
                 os.path.normpath(os.path.join(here, '..', 'tools',
                                               'deps-python')))


want('numpy', 'onnx')
import numpy as np
import onnx
try:
    import onnxruntime as ort
    from onnxruntime import quantization as quant
    ort.set_default_logger_severity(3)
except ImportError:
    ort = quant = None

sys.path[:0] = [here, os.path.join(here, '..', 'tools')]
import dialect
import floats
import integer
import mobilenet
import nets

SAMPLES = 24


def samples(net, seed):
    """Inputs as a sensor would give them: the first is the one stored."""
    rng = np.random.default_rng(seed)
    shape = net.shape if len(net.shape) > 2 else (1, 1) + net.shape
    for _ in range(SAMPLES):
        yield nets.smooth(rng, shape, 0.2).reshape(net.shape)


def session(model, fused=True):
    o = ort.SessionOptions()
    o.intra_op_num_threads = 1
    if not fused:
        o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model.SerializeToString(), o,
                                providers=['CPUExecutionProvider'])


def run(model, x, fused=True):
    return session(model, fused).run(None, {'input': x})


def peaks(model, net, data):
    """Largest magnitude of every value of the float network."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    names = [l.y for l in net.layers]
    del probe.graph.output[:]
    probe.graph.output.extend(
        onnx.helper.make_empty_tensor_value_info(n) for n in names)
    s, peak = session(probe), dict(input=max(np.abs(x).max() for x in data))
    for x in data:
        for n, y in zip(names, s.run(None, {'input': x})):
            peak[n] = max(peak.get(n, 0), np.abs(y).max())
    return peak


def store(name, model, x, y, top=here):
    d = os.path.join(top, name)
    os.makedirs(d, exist_ok=True)
    onnx.save(model, d + '/network.onnx')
    np.savez_compressed(d + '/inputs.npz', input=x)
    np.savez_compressed(d + '/outputs.npz',
                        **{'output_%d' % i: v for i, v in enumerate(y)})
    size = sum(os.path.getsize(os.path.join(d, f)) for f in os.listdir(d))
    print('%-28s %7d bytes' % (name, size))


def histogram(values, signed):
    lo, hi = (-128, 127) if signed else (0, 255)
    v = np.concatenate([a.reshape(-1) for a in values])
    ends = (v <= lo).mean() * signed + (v >= hi).mean()
    return 'range %4d..%-3d  at ends %4.1f%%  zero %4.1f%%  distinct %3d' % (
        v.min(), v.max(), 100 * ends, 100 * (v == 0).mean(), len(set(v)))


def make_integer(net, peak, data, top=here):
    model, scale = integer.model(net, peak)
    x = [np.clip(np.round(a / scale['input']), -128, 127).astype(np.int8)
         for a in data]
    y = dialect.run(model, x[:1])
    store(net.name + '-int', model, x[0], [v.astype(np.int32) for v in y],
          top)
    traces = [dialect.trace(model, [a])[0] for a in x]
    for l in net.layers:
        if l.kind in ('transpose', 'reshape', 'flatten'):
            continue
        vs = [t[l.y] for t in traces]
        print('    %-14s %s' % (l.y, histogram(vs, min(v.min() for v in vs) < 0)))
    real = [run(floats.model(net, True), a)[0] for a in data]
    ints = [t[net.last] * scale[net.last] for t in traces]
    print('    correlation with the float network: %.4f' %
          np.corrcoef(np.ravel(real), np.ravel(ints))[0, 1])


def reader(data):
    data = iter(data)

    class Reader(quant.CalibrationDataReader):
        def get_next(self):
            x = next(data, None)
            return None if x is None else {'input': x}
    return Reader()


def make_qdq(net, data, activations, per_channel):
    name = '%s-qdq-%s%s' % (net.name, activations, '-pc' * per_channel)
    kind = dict(u8=quant.QuantType.QUInt8, s8=quant.QuantType.QInt8)
    with tempfile.TemporaryDirectory() as d:
        onnx.save(floats.model(net, True), d + '/float.onnx')
        quant.quantize_static(
            d + '/float.onnx', d + '/qdq.onnx', reader(data),
            quant_format=quant.QuantFormat.QDQ, per_channel=per_channel,
            activation_type=kind[activations], weight_type=quant.QuantType.QInt8)
        model = onnx.load(d + '/qdq.onnx')
    store(name, model, data[0], run(model, data[0], False))


def make(net):
    data = list(samples(net, 7))
    model = floats.model(net)
    store(net.name + '-f32', model, data[0], run(model, data[0]))
    if net.name != 'lstm':
        make_integer(net, peaks(floats.model(net, True), net, data), data)
    for activations in 'u8', 's8':
        for per_channel in False, True:
            if net.name not in ('lstm', 'deadchannels') or \
                    (activations, per_channel) == ('u8', True):
                make_qdq(net, data, activations, per_channel)


def make_mobile(name):
    """The values it was calibrated with are those of the oracle."""
    net = mobilenet.NETS[name](name)
    model, x = net.model(), net.now['input'][:1].astype(np.int8)
    trace, outputs = dialect.trace(model, [x])
    for k, v in net.now.items():
        assert np.array_equal(trace[k].ravel(), v[0].ravel()), k
    store(name, model, x, [trace[o].astype(np.int8) for o in outputs],
          big if name not in SMALL else here)


SMALL = 'cifar10-int', 'mobilenetv1-0.25-128-int'
big = os.path.join(here, '..', 'build', 'zoo')

if __name__ == '__main__':
    wanted = sys.argv[1:]
    if wanted == ['build']:
        wanted = [n for n in mobilenet.NETS if n not in SMALL]
    for build in nets.NETS:
        if not wanted or build.__name__ in wanted:
            want('onnxruntime')
            make(build())
    for name in mobilenet.NETS:
        if not wanted or name in wanted:
            make_mobile(name)
