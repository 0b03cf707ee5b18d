"""MobileNets of ImageNet's size, and a network for CIFAR-10, in the integer
dialect, calibrated as they grow.

Version 1 (Howard and others, 2017) and version 2 (Sandler and others, 2018),
with symmetric padding.  The other has the layers of Caffe's example that arm
published with CMSIS-NN and that microTVM was tuned on.  Nothing is trained; weights are drawn, and what folded
batch normalization would make of each channel is chosen so that a compiler
meets what it meets in a trained network: each value is quantized so that about
three of a thousand of its elements are clipped, and no channel is constant.
NumPy alone computes the values, exactly: products in doubles of far less than
53 bits.
"""
import numpy as np
from onnx import helper, TensorProto

from integer import Dialect, SHIFT

IMAGES = 8          # the first is the one that is stored
CLIPPED = 0.003     # of the elements of a value


def images(rng, size):
    """Colour images with the spectrum of photographs, about 1 / f."""
    f = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size))
    noise = np.fft.rfft2(rng.normal(0, 1, (IMAGES, 3, size, size)))
    x = np.fft.irfft2(noise / np.maximum(f, 1 / size), s=(size, size))
    x = x + 1.5 * x[:, :1]      # colours are mostly brightness
    x /= x.std(axis=(1, 2, 3), keepdims=True)
    light = rng.normal(0, 0.3, (IMAGES, 1, 1, 1))
    return np.rint(45 * (x + light)).clip(-128, 127)


def taps(x, k, stride):
    """For each element of the kernel what it meets of x."""
    p = k // 2
    x = np.pad(x, [(0, 0), (0, 0), (p, p), (p, p)])
    out = (x.shape[2] - k) // stride + 1
    reach = (out - 1) * stride + 1
    return [x[:, :, i:i + reach:stride, j:j + reach:stride]
            for i in range(k) for j in range(k)]


def sums(x, w, stride, depthwise):
    v = taps(x, w.shape[-1], stride)
    if depthwise:
        w = w.reshape(len(w), -1).T[:, None, :, None, None]
        return sum(a * b for a, b in zip(v, w))
    n, _, *size = v[0].shape
    v = np.stack(v, axis=2).reshape(n, w[0].size, -1)
    return (w.reshape(len(w), -1) @ v).reshape(n, len(w), *size)


def normalized(rng, acc):
    """Per channel (a, b) so that a * acc + b is as after batch normalization;
    b is raised where the stored image would get next to nothing through."""
    n = acc.shape[1]
    std = acc.std(axis=(0, 2, 3))
    a = rng.uniform(0.7, 1.3, n) / np.where(std > 0, std, 1)
    b = rng.normal(0.1, 0.3, n) - a * acc.mean(axis=(0, 2, 3))
    first = acc[0].reshape(n, -1)
    most = a * np.quantile(first, 0.7, axis=1) + b
    return a, b + np.maximum(0, 0.2 - most)


class Mobile(Dialect):
    """now: each value for all images; scale: what an integer of it is worth."""

    def __init__(self, name, size, seed):
        super().__init__()
        self.name, self.rng = name, np.random.default_rng(seed)
        self.now = {'input': images(self.rng, size)}
        self.scale, self.last, self.count = {}, 'input', 0

    def new(self, kind):
        self.count += 1
        self.last = '%s_%d' % (kind, self.count)
        return self.last

    def narrow(self, acc, y, mul, add, signed, shape=()):
        """acc, as `y`_acc, to 8 bits; mul and add are real numbers."""
        mul, add = (np.rint(np.reshape(v * 2 ** SHIFT, shape))
                    for v in (mul, add))
        self.requant(y + '_acc', y, mul, add, signed)
        v = np.floor((acc * mul + add) / 2 ** SHIFT + 0.5)
        self.now[y] = v.clip(-128, 127) if signed else v.clip(0, 255)

    def unit(self, y, v, signed):
        """Scale of y so that few of the real values v are clipped."""
        top = np.quantile(np.abs(v) if signed else v, 1 - CLIPPED)
        self.scale[y] = top / (127 if signed else 255)
        return self.scale[y]

    def weights(self, y, *shape):
        """In -127..127, and 127 or -127 in every output channel."""
        w = self.rng.normal(0, 1, shape).reshape(shape[0], -1)
        w = np.rint(w / np.abs(w).max(axis=1, keepdims=True) * 127)
        self.const(y, w.reshape(shape), np.int8)
        return w.reshape(shape)

    def conv(self, cout, k=1, stride=1, depthwise=False, relu=True):
        x, y = self.last, self.new('dw' if depthwise else 'conv')
        cin, p = self.now[x].shape[1], k // 2
        w = self.weights(y + '_w', cout, 1 if depthwise else cin, k, k)
        self.node('Conv', [x, y + '_w'], y + '_acc', kernel_shape=[k, k],
                  strides=[stride, stride], pads=[p] * 4, dilations=[1, 1],
                  group=cin if depthwise else 1)
        acc = sums(self.now[x], w, stride, depthwise)
        a, b = normalized(self.rng, acc)
        s = self.unit(y, a[:, None, None] * acc + b[:, None, None], not relu)
        self.narrow(acc, y, a / s, b / s, not relu, (cout, 1, 1))

    def half(self, mean):
        """The largest or the mean of 3x3 values, a row and a column apart from
        the next, with padding behind that counts as 0; means by a convolution
        of ones, rounded to the nearest."""
        x, y = self.last, self.new('avgpool' if mean else 'maxpool')
        c = self.now[x].shape[1]
        form = dict(kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1])
        v = np.pad(self.now[x], [(0, 0), (0, 0), (0, 1), (0, 1)])
        rows, cols = v.shape[2:]
        v = [v[:, :, i:rows - 2 + i:2, j:cols - 2 + j:2]
             for i in range(3) for j in range(3)]
        self.scale[y] = self.scale[x]
        if not mean:
            self.node('MaxPool', [x], y, **form)
            self.now[y] = np.max(v, axis=0)
            return
        self.const(y + '_w', np.ones((c, 1, 3, 3)), np.int8)
        self.node('Conv', [x, y + '_w'], y + '_acc', group=c,
                  dilations=[1, 1], **form)
        self.narrow(sum(v), y, 1 / 9, 0.0, False, (1,))

    def add(self, *xs):
        y = self.new('add')
        common = max(self.scale[x] for x in xs)
        for i, x in enumerate(xs):
            part = '%s_%d' % (y, i)
            mul = np.rint(self.scale[x] / common * 2 ** SHIFT)
            self.requant(x, part, mul, 0, True)
            self.now[part] = np.floor(self.now[x] * mul / 2 ** SHIFT + 0.5)
        parts = [y + '_0', y + '_1']
        self.node('Add', parts, y + '_acc')
        acc = self.now[parts[0]] + self.now[parts[1]]
        s = self.unit(y, acc * common, True)
        self.narrow(acc, y, common / s, 0.0, True)

    def head(self, classes=1000):
        """Mean over the image and a dense layer."""
        x, gap = self.last, self.new('gap')
        self.node('ReduceMean', [x], gap, axes=[2, 3], keepdims=1)
        self.now[gap] = np.floor(self.now[x].mean(axis=(2, 3)) + 0.5)
        self.dense(classes)

    def dense(self, classes):
        x = self.last
        flat = self.node('Flatten', [x], self.new('flatten'))
        v = self.now[x].reshape(IMAGES, -1)
        y = self.new('dense')
        w = self.weights(y + '_w', classes, v.shape[1])
        b = np.rint(-(v @ w.T).mean(axis=0))
        self.const(y + '_b', b, np.int32)
        self.node('Gemm', [flat, y + '_w', y + '_b'], y + '_acc', transB=1)
        acc = v @ w.T + b
        self.narrow(acc, y, 1 / self.unit(y, acc, True), 0.0, True, (1,))

    def model(self):
        info = helper.make_tensor_value_info
        shape = (1,) + self.now['input'].shape[1:]
        g = helper.make_graph(
            self.nodes, self.name, [info('input', TensorProto.FLOAT, shape)],
            [info(self.last, TensorProto.FLOAT, None)],
            list(self.inits.values()))
        return helper.make_model(
            g, producer_name='zoo', ir_version=8,
            opset_imports=[helper.make_opsetid('', 13),
                           helper.make_opsetid('PACTOps', 1)])


# Output channels and stride of each pair of convolutions.
PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + \
    5 * [(512, 1)] + [(1024, 2), (1024, 1)]


def version1(name, width, size, seed):
    n = Mobile(name, size, seed)
    n.conv(int(32 * width), 3, 2)
    for cout, stride in PAIRS:
        n.conv(n.now[n.last].shape[1], 3, stride, depthwise=True)
        n.conv(int(cout * width))
    n.head()
    return n


# Expansion, output channels, how many, stride of the first.
BLOCKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
          (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def bottleneck(n, expand, cout, stride):
    x = n.last
    cin = n.now[x].shape[1]
    if expand > 1:
        n.conv(cin * expand)
    n.conv(cin * expand, 3, stride, depthwise=True)
    n.conv(cout, relu=False)
    if stride == 1 and cin == cout:
        n.add(x, n.last)


def version2(name, size, seed):
    n = Mobile(name, size, seed)
    n.conv(32, 3, 2)
    for expand, cout, count, stride in BLOCKS:
        for i in range(count):
            bottleneck(n, expand, cout, 1 if i else stride)
    n.conv(1280)
    n.head()
    return n


def cifar10(name, seed):
    n = Mobile(name, 32, seed)
    n.conv(32, 5)
    n.half(False)
    n.conv(32, 5)
    n.half(True)
    n.conv(64, 5)
    n.half(True)
    n.dense(10)
    return n


# By name: how each is made.
NETS = {
    'cifar10-int': lambda name: cifar10(name, 15),
    'mobilenetv1-0.25-128-int': lambda name: version1(name, 0.25, 128, 11),
    'mobilenetv1-0.5-192-int': lambda name: version1(name, 0.5, 192, 12),
    'mobilenetv1-1.0-128-int': lambda name: version1(name, 1.0, 128, 13),
    'mobilenetv2-1.0-128-int': lambda name: version2(name, 128, 14),
}
