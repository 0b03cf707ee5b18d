#!/usr/bin/env python3
"""Trains networks of the zoo: zoo/learn.py [NAME...] (jax, scikit-learn,
onnx, onnxruntime; for speech espeak-ng); zoo/learn.py data makes the examples
alone.

Each becomes zoo/NAME-f32: network.onnx, inputs.npz and outputs.npz as
everywhere; the weights of tr, the largest, are kept in 16 bits.  For `quantize`
there are build/trained/DATA/examples.npz with labels.npy (of what was learned
from) and test.npz with test_labels.npy (of what was not); those of the digits
are kept in zoo/digits-cnn-f32.  Minutes each on one core; seeds are fixed.  Printed:
multiplications, weights, and what onnxruntime gets right of the test.

The Transformers eeg, ecg and tr have the shapes of Wiese et al., Optimizing
the deployment of tiny Transformers on low-power MCUs, 2025: rows, embedding,
projection, heads; blocks; and within 2 % the multiplications of the whole.
What it leaves open is chosen here: front ends, widths of the feed-forward
part, and the data, which are made (learn_data.py)."""
import functools
import os
import sys
import numpy as np

import learn_data
import make
make.want('jax', 'onnxruntime')
import jax
import jax.numpy as jnp

import floats
from nets import Net


# --- networks ---

def conv(n, cin, cout, k, stride=1, pad=0, group=1, relu=True):
    return n.conv(cin, cout, k, stride, pad, group, relu, bn=False,
                  bias=np.zeros(cout))


def attention(n, x, s, e, p, h):
    """Softmax(q k' / sqrt(p)) v of h heads, and its projection to e."""
    q, k, v = (n.linear(e, h * p, x=x) for _ in range(3))
    q, k, v = (n.put('transpose', n.put('reshape', a, shape=(1, s, h, p)),
                     perm=to)
               for a, to in ((q, (0, 2, 1, 3)), (k, (0, 2, 3, 1)),
                             (v, (0, 2, 1, 3))))
    a = n.put('matmul', [q, k], factor=1 / np.sqrt(p))
    n.put('matmul', [n.put('softmax', a), v], factor=1.0)
    n.put('transpose', perm=(0, 2, 1, 3))
    n.put('reshape', shape=(1, s, h * p))
    return n.linear(h * p, e)


def norm(n, e):
    return n.put('layernorm', w=np.ones(e), b=np.zeros(e))


def encoder(n, s, e, p, h, f, act='gelu'):
    """x + attention(norm x), then that + feed-forward(norm of it)."""
    x = n.last
    norm(n, e)
    x = n.put('add', [x, attention(n, n.last, s, e, p, h)], relu=False)
    norm(n, e)
    n.linear(e, f)
    n.put(act)
    return n.put('add', [x, n.linear(f, e)], relu=False)


def place(n, s, e):
    """Adds a row that is learned for each position."""
    return n.put('place', b=n.rng.normal(0, 0.1, (1, s, e)))


def classify(n, e, classes):
    norm(n, e)
    n.put('mean', axis=1)
    n.dense(e, classes)
    return n


def digits_cnn():
    n = Net('digits-cnn', (1, 1, 8, 8), 31)
    conv(n, 1, 16, 3, pad=1)
    for cin, cout, stride in (16, 32, 1), (32, 64, 2), (64, 64, 1):
        conv(n, cin, cin, 3, stride, 1, group=cin)
        conv(n, cin, cout, 1)
    n.put('gap')
    n.put('flatten')
    n.dense(64, 10)
    return n


def digits_vit():
    """Patches of 2 x 2, two blocks of four heads."""
    n, e = Net('digits-vit', (1, 1, 8, 8), 32), 32
    conv(n, 1, e, 2, stride=2, relu=False)
    n.put('reshape', shape=(1, e, 16))
    n.put('transpose', perm=(0, 2, 1))
    place(n, 16, e)
    for _ in range(2):
        encoder(n, 16, e, 8, 4, 64)
    return classify(n, e, 10)


def kws_cnn():
    n, c = Net('kws-cnn', (1, 1, 49, 10), 33), 40
    conv(n, 1, c, (10, 4), stride=2, pad=(4, 1, 5, 1))
    for _ in range(4):
        conv(n, c, c, 3, pad=1, group=c)
        conv(n, c, c, 1)
    n.put('gap')
    n.put('flatten')
    n.dense(c, 10)
    return n


def kws_transformer():
    """A row for each window of 40 ms; SiLU instead of GELU."""
    n, e = Net('kws-transformer', (1, 1, 49, 10), 34), 32
    n.put('reshape', shape=(1, 49, 10))
    n.linear(10, e)
    place(n, 49, e)
    for _ in range(2):
        encoder(n, 49, e, 8, 4, 64, 'silu')
    return classify(n, e, 10)


def eeg():
    """Two convolutions over time, one block of 81 rows."""
    n = Net('eeg', (1, 4, 1, 1296), 35)
    conv(n, 4, 16, (1, 8), pad=(0, 2, 0, 2))
    n.layers[-1].stride = (1, 4)
    conv(n, 16, 32, (1, 12), pad=(0, 4, 0, 4))
    n.layers[-1].stride = (1, 4)
    n.put('reshape', shape=(1, 32, 81))
    n.put('transpose', perm=(0, 2, 1))
    place(n, 81, 32)
    encoder(n, 81, 32, 32, 8, 128)
    return classify(n, 32, 2)


def ecg():
    """Two convolutions over time, one block of 66 rows."""
    n = Net('ecg', (1, 1, 1, 198), 36)
    conv(n, 1, 16, (1, 11), pad=(0, 5, 0, 5))
    conv(n, 16, 16, (1, 9), pad=(0, 4, 0, 4))
    n.put('maxpool', k=(1, 3))
    n.put('reshape', shape=(1, 16, 66))
    n.put('transpose', perm=(0, 2, 1))
    place(n, 66, 16)
    encoder(n, 66, 16, 2, 8, 128)
    return classify(n, 16, 5)


def tr():
    """Three tokenizers (pointwise, depthwise, pooling) over each of five
    frames, six blocks."""
    n = Net('tr', (1, 5, 2, 32, 32), 37)
    n.put('reshape', shape=(5, 2, 32, 32))
    for cin, c in (2, 16), (16, 64), (64, 64):
        conv(n, cin, c, 1)
        conv(n, c, c, 3, pad=1, group=c)
        n.put('maxpool', k=(2, 2))
    n.put('reshape', shape=(1, 5, 1024))
    n.linear(1024, 32)
    place(n, 5, 32)
    for _ in range(6):
        encoder(n, 5, 32, 32, 8, 128)
    return classify(n, 32, 11)


# network, data, epochs, how a batch is varied: moved by as many pixels, noise
NETS = {'digits-cnn': (digits_cnn, 'digits', 60, 1, .1),
        'digits-vit': (digits_vit, 'digits', 150, 1, .1),
        'kws-cnn': (kws_cnn, 'speech', 15, 0, .2),
        'kws-transformer': (kws_transformer, 'speech', 25, 0, .2),
        'eeg': (eeg, 'eeg', 8, 0, 0), 'ecg': (ecg, 'ecg', 15, 0, 0),
        'tr': (tr, 'radar', 8, 0, 0)}


# --- what layers compute, of batches ---

def depthwise(l, w, x):
    """A channel at a time: tap by tap, which is quicker here."""
    x = jnp.pad(x, ((0, 0), (0, 0), (l.pad[0], l.pad[2]),
                    (l.pad[1], l.pad[3])))
    h, v = (n - k + 1 for n, k in zip(x.shape[2:], w.shape[2:]))
    return sum(x[:, :, i:i + h:l.stride[0], j:j + v:l.stride[1]] *
               w[:, :, i, j].reshape(1, -1, 1, 1)
               for i in range(w.shape[2]) for j in range(w.shape[3]))


def run_conv(l, p, x):
    if l.group == len(p['w']) > 1:
        y = depthwise(l, p['w'], x)
    else:
        y = jax.lax.conv_general_dilated(
            x, p['w'], l.stride, ((l.pad[0], l.pad[2]), (l.pad[1], l.pad[3])))
    y = y + p['b'][:, None, None]
    return jax.nn.relu(y) if l.relu else y


def run_norm(l, p, x):
    x = x - x.mean(-1, keepdims=True)
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p['w'] + \
        p['b']


def run_pool(l, p, x):
    k = (1, 1) + l.k
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, k, k, 'VALID')


RUN = dict(
    conv=run_conv, layernorm=run_norm, maxpool=run_pool,
    dense=lambda l, p, x: x @ p['w'].T + p['b'],
    linear=lambda l, p, x: x @ p['w'] + p['b'],
    place=lambda l, p, x: x + p['b'],
    add=lambda l, p, x, y: x + y,
    matmul=lambda l, p, x, y: x @ y * l.factor,
    gelu=lambda l, p, x: jax.nn.gelu(x, approximate=False),
    silu=lambda l, p, x: jax.nn.silu(x),
    softmax=lambda l, p, x: jax.nn.softmax(x),
    gap=lambda l, p, x: x.mean((2, 3), keepdims=True),
    flatten=lambda l, p, x: x.reshape(len(x), -1),
    mean=lambda l, p, x: x.mean(l.axis),
    transpose=lambda l, p, x: x.transpose(l.perm),
    reshape=lambda l, p, x: x.reshape((-1,) + tuple(l.shape[1:])))


def run(net, params, x):
    now = {'input': x}
    for l in net.layers:
        now[l.y] = RUN[l.kind](l, params.get(l.y, {}), *[now[k] for k in l.x])
    return now[net.last]


def weights(net):
    return {l.y: {k: jnp.asarray(getattr(l, k), jnp.float32) for k in 'wb'
                  if getattr(l, k, None) is not None} for l in net.layers}


def loss(net, params, x, y):
    z = jax.nn.log_softmax(run(net, params, x))
    return -z[jnp.arange(len(y)), y].mean()


def learn(net, x, y, epochs, shift, noise, batch=32, rate=3e-3):
    """Adam, its rate falling along a cosine after a rise; decay 1e-4."""
    params = weights(net)
    m = v = jax.tree.map(jnp.zeros_like, params)
    rng = np.random.default_rng(5)
    steps = epochs * (len(x) // batch)

    @jax.jit
    def step(i, params, m, v, x, y):
        g = jax.grad(functools.partial(loss, net))(params, x, y)
        m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, g)
        v = jax.tree.map(lambda v, g: .99 * v + .01 * g * g, v, g)
        r = rate * jnp.minimum(1, i / 100) * .5 * \
            (1 + jnp.cos(jnp.pi * i / steps))
        move = lambda p, m, v: p - r * (
            m / (1 - .9 ** i) / (jnp.sqrt(v / (1 - .99 ** i)) + 1e-8) +
            1e-4 * p)
        return jax.tree.map(move, params, m, v), m, v

    i = 0
    for _ in range(epochs):
        at = rng.permutation(len(x))
        for k in range(0, len(x) - batch + 1, batch):
            b = x[at[k:k + batch]]
            if shift:
                b = np.roll(b, rng.integers(-shift, shift + 1, 2), (2, 3))
            b = b + rng.normal(0, noise, b.shape).astype(np.float32)
            i += 1
            params, m, v = step(i, params, m, v, b, y[at[k:k + batch]])
    return params


# --- as ONNX ---

def multiplications(net, x):
    """Of convolutions and products, for one input."""
    count, shape = 0, {'input': x}
    for l in net.layers:
        p = {k: jax.ShapeDtypeStruct(np.shape(getattr(l, k)), jnp.float32)
             for k in 'wb' if getattr(l, k, None) is not None}
        y = jax.eval_shape(functools.partial(RUN[l.kind], l), p,
                           *[shape[k] for k in l.x])
        shape[l.y] = y
        n = int(np.prod(y.shape))
        if l.kind == 'conv':
            count += n * int(np.prod(l.w.shape[1:]))
        elif l.kind in ('dense', 'linear', 'matmul'):
            count += n * shape[l.x[0]].shape[-1]
    return count


trained = os.path.join(make.here, '..', 'build', 'trained')


def examples(data, x, y, tx, ty):
    """256 to quantize by, at most 1080 to test."""
    to = os.path.join(*(make.here, 'digits-cnn-f32') if data == 'digits'
                      else (trained, data))
    os.makedirs(to, exist_ok=True)
    at = np.random.default_rng(6).permutation(len(x))[:256]
    np.savez_compressed(to + '/examples.npz', input=x[at, None])
    np.savez_compressed(to + '/test.npz', input=tx[:1080, None])
    np.save(to + '/labels.npy', y[at].astype(np.uint8))
    np.save(to + '/test_labels.npy', ty[:1080].astype(np.uint8))


def make_data(name, shape):
    (x, y), (tx, ty) = getattr(learn_data, name)()
    x, tx = (a.reshape((-1,) + shape[1:]) for a in (x, tx))
    examples(name, x, y, tx, ty)
    return x, y, tx, ty


def make_one(name):
    build, data, epochs, *varied = NETS[name]
    net = build()
    shape = net.shape
    x, y, tx, ty = make_data(data, shape)
    macs = multiplications(net, jax.ShapeDtypeStruct(shape, jnp.float32))
    params = learn(net, x, y, epochs, *varied)
    for l in net.layers:
        for k, v in params[l.y].items():
            setattr(l, k, np.asarray(v))
    model = floats.model(net, half=name == 'tr')
    one = tx[:1].reshape(shape)
    make.store(name + '-f32', model, one, make.run(model, one))
    s = make.session(model)
    got = [s.run(None, {'input': a.reshape(shape)})[0].argmax() for a in tx]
    print('%-16s %9d multiplications, %6d weights, %.2f %% right of %d' % (
        name, macs, sum(v.size for p in params.values() for v in p.values()),
        100 * np.mean(np.array(got) == ty), len(ty)), flush=True)


if __name__ == '__main__':
    if sys.argv[1:] == ['data']:
        for data, build in {v[1]: v[0] for v in NETS.values()}.items():
            make_data(data, build().shape)
        sys.exit()
    for name in sys.argv[1:] or NETS:
        make_one(name)
