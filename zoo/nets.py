"""The networks of the zoo, written once each.

A network is a list of layers over named values.  floats.py prints the list as
a float32 ONNX network, integer.py as one of the integer dialect (from the
ranges its values take), and onnxruntime's quantizer makes the QDQ forms.
Nothing is trained: weights are drawn so that every activation keeps about the
variance of its input, which is what the ranges of a trained network look like
to a compiler.
"""
import numpy as np


class Layer:
    """One layer: `y` is its result, `x` its operands, the rest parameters."""

    def __init__(self, kind, y, x, **params):
        self.kind, self.y, self.x = kind, y, x
        self.__dict__.update(params)


class Net:
    def __init__(self, name, shape, seed):
        self.name, self.shape = name, shape
        self.rng = np.random.default_rng(seed)
        self.layers, self.last, self.count = [], 'input', 0

    def put(self, kind, x=None, **params):
        x = [x or self.last] if not isinstance(x, list) else x
        self.count += 1
        y = '%s_%d' % (kind, self.count)
        self.layers.append(Layer(kind, y, x, **params))
        self.last = y
        return y

    def draw(self, *shape, fan, gain=2.0):
        return self.rng.normal(0, np.sqrt(gain / fan), shape)

    def bn(self, n):
        """Batch normalization: gamma, beta, mean, variance."""
        r = self.rng
        return (r.uniform(0.7, 1.3, n), r.normal(0, 0.3, n),
                r.normal(0, 0.2, n), r.uniform(0.6, 1.5, n))

    def conv(self, cin, cout, k, stride=1, pad=0, group=1, relu=True, bn=True,
             x=None, bias=None):
        k = (k, k) if isinstance(k, int) else k
        pad = (pad, pad, pad, pad) if isinstance(pad, int) else pad
        fan = cin // group * k[0] * k[1]
        w = self.draw(cout, cin // group, *k, fan=fan)
        return self.put('conv', x, w=w, b=bias, bn=self.bn(cout) if bn else None,
                        stride=(stride, stride), pad=pad, group=group, relu=relu)

    def dense(self, nin, nout, relu=False, x=None):
        w = self.draw(nout, nin, fan=nin, gain=2.0 if relu else 1.0)
        b = self.rng.normal(0, 0.1, nout)
        return self.put('dense', x, w=w, b=b, relu=relu)

    def linear(self, nin, nout, x=None):
        w = self.draw(nin, nout, fan=nin, gain=1.0)
        return self.put('linear', x, w=w, b=self.rng.normal(0, 0.1, nout))


def smooth(rng, shape, cut):
    """Noise without its high frequencies along the last two axes."""
    f = np.fft.rfft2(rng.normal(0, 1, shape))
    h = np.abs(np.fft.fftfreq(shape[-2]))[:, None]
    w = np.abs(np.fft.rfftfreq(shape[-1]))[None, :]
    x = np.fft.irfft2(f * np.exp(-(h ** 2 + w ** 2) / cut ** 2), s=shape[-2:])
    return (x / x.std()).clip(-3, 3).astype(np.float32)


def dscnn():
    """Keyword spotting: depthwise separable convolutions over MFCCs."""
    n, c = Net('dscnn', (1, 1, 49, 10), 1), 40
    n.conv(1, c, (10, 4), stride=2, pad=(4, 1, 5, 1))
    for _ in range(4):
        n.conv(c, c, 3, pad=1, group=c)
        n.conv(c, c, 1)
    n.put('gap')
    n.put('flatten')
    n.dense(c, 12)
    return n


def resnet8():
    """CIFAR-like images: three residual stages, half the usual width."""
    n, cin = Net('resnet8', (1, 3, 32, 32), 2), 8
    x = n.conv(3, 8, 3, pad=1)
    for cout, stride in (8, 1), (16, 2), (32, 2):
        n.conv(cin, cout, 3, stride, (1, 1, 1, 1), x=x)
        y = n.conv(cout, cout, 3, 1, 1, relu=False)
        if stride != 1:
            x = n.conv(cin, cout, 1, stride, relu=False, x=x)
        x, cin = n.put('add', [x, y], relu=True), cout
    n.put('gap')
    n.put('flatten')
    n.dense(32, 10)
    return n


def autoencoder():
    """Anomaly detection: a bottleneck of dense layers."""
    n, widths = Net('autoencoder', (1, 128), 3), (128, 48, 48, 8, 48, 48)
    for a, b in zip(widths, widths[1:]):
        n.dense(a, b, relu=True)
    n.dense(widths[-1], 128)
    return n


def attention(n, x, t, d, heads):
    """Softmax(q k' / sqrt(d)) v over `heads` heads, and its projection."""
    q, k, v = (n.linear(d, d, x=x) for _ in range(3))
    split = (1, t, heads, d // heads)
    q, k, v = (n.put('transpose', n.put('reshape', a, shape=split), perm=p)
               for a, p in ((q, (0, 2, 1, 3)), (k, (0, 2, 3, 1)),
                            (v, (0, 2, 1, 3))))
    s = n.put('matmul', [q, k], factor=2 / np.sqrt(d // heads))
    n.put('matmul', [n.put('softmax', s), v], factor=1.0)
    n.put('transpose', perm=(0, 2, 1, 3))
    n.put('reshape', shape=(1, t, d))
    return n.linear(d, d)


def transformer():
    """A small encoder: two blocks of attention and a feed-forward part."""
    n, (t, d, f) = Net('transformer', (1, 24, 32), 4), (24, 32, 64)
    norm = lambda: n.put('layernorm', w=n.rng.uniform(0.7, 1.3, d),
                         b=n.rng.normal(0, 0.1, d))
    n.linear(d, d)
    x = norm()
    for _ in range(2):
        n.put('add', [x, attention(n, x, t, d, 4)], relu=False)
        x = norm()
        n.linear(d, f)
        n.put('gelu')
        n.put('add', [x, n.linear(f, d)], relu=False)
        x = norm()
    n.put('mean', axis=1)
    n.dense(d, 6)
    return n


def lstm():
    """A sequence classifier: one LSTM and a dense layer."""
    n, (t, d, h) = Net('lstm', (1, 16, 12), 5), (16, 12, 24)
    n.put('lstm', w=n.draw(1, 4 * h, d, fan=d, gain=1.0),
          r=n.draw(1, 4 * h, h, fan=h, gain=1.0),
          b=n.rng.normal(0, 0.2, (1, 8 * h)), hidden=h)
    n.dense(h, 5)
    return n


def kill(n, layer, zero, never):
    """Channels with weights of zero, and ones that a clip at zero hides."""
    layer.w[zero] = 0
    layer.b[zero] = n.rng.normal(0, 0.5, len(zero))
    layer.b[never] = -4 * np.abs(layer.w[never]).sum(axis=(1, 2, 3)) * 3 - 1


def deadchannels():
    """Depthwise separable blocks where many channels are constant: all
    weights zero (the bias is what is left, above or below the clip), or a
    bias so low that nothing ever gets through."""
    n, c = Net('deadchannels', (1, 3, 20, 20), 6), 24
    bias = lambda m: n.rng.normal(0, 0.2, m)
    n.conv(3, c, 3, 2, 1, bn=False, bias=bias(c))
    kill(n, n.layers[-1], np.arange(0, 10), np.arange(20, 22))
    n.conv(c, c, 3, 1, 1, group=c, bn=False, bias=bias(c))
    kill(n, n.layers[-1], np.arange(12, 15), np.arange(22, 23))
    n.conv(c, 32, 1, bn=False, bias=bias(32))
    kill(n, n.layers[-1], np.arange(5, 18), np.arange(30, 32))
    n.conv(32, 32, 3, 2, 1, group=32, bn=False, bias=bias(32))
    x = n.conv(32, 16, 1, bn=False, bias=bias(16))
    kill(n, n.layers[-1], np.arange(0, 4), np.arange(15, 16))
    y = n.conv(16, 16, 3, 1, 1, bn=False, bias=bias(16), relu=False)
    kill(n, n.layers[-1], np.arange(2, 6), np.arange(0))
    n.put('add', [x, y], relu=True)
    n.put('gap')
    n.put('flatten')
    n.dense(16, 8)
    return n


NETS = [dscnn, resnet8, autoencoder, transformer, lstm, deadchannels]
