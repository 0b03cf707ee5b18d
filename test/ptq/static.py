"""static.py MODEL.bin TOKENS.npz TEXTS: nats a token that a checkpoint (version 0)
loses, in float, by nothing but 8 bits for its weights and activations, scales
from those texts: a yardstick for test/ptq/static.t."""
import struct
import sys
import numpy as np

data = open(sys.argv[1], 'rb').read()
dim, hidden, layers, heads, caches, vocab, context = struct.unpack(
    '7i', data[:28])
floats, at, head = np.frombuffer(data, 'f4', offset=28).astype('f8'), 0, dim // heads


def take(*shape):
    global at
    n = int(np.prod(shape))
    at += n
    return floats[at - n:at].reshape(shape)


def read():
    w = {'emb': take(abs(vocab), dim), 'n1': take(layers, dim)}
    for name, rows in (('q', dim), ('k', caches * head), ('v', caches * head),
                       ('o', dim)):
        w[name] = take(layers, rows, dim)
    w['n2'] = take(layers, dim)
    w['w1'], w['w2'] = take(layers, hidden, dim), take(layers, dim, hidden)
    w['w3'], w['n'] = take(layers, hidden, dim), take(dim)
    take(context, head)  # cosines and sines
    w['cls'] = w['emb'] if vocab > 0 else take(-vocab, dim)
    return w


def norm(x, by):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * by


def turned(x, turn):
    z = (x[..., ::2] + 1j * x[..., 1::2]) * turn
    return np.stack((z.real, z.imag), -1).reshape(x.shape)


def logits(w, tokens, act):
    """act(name, values): what becomes of them."""
    n, x = len(tokens), w['emb'][tokens]
    turn = np.exp(1j * np.outer(np.arange(n), 10000.0 ** (
        -np.arange(0, head, 2) / head)))[:, None]
    later = np.triu(np.full((n, n), -1e30), 1)
    for i in range(layers):
        h = act('h%d' % i, norm(x, w['n1'][i]))
        q, k, v = ((h @ w[c][i].T).reshape(n, -1, head) for c in 'qkv')
        q = act('q%d' % i, turned(q, turn))
        k, v = (np.repeat(act(name + str(i), y), heads // caches, 1)
                for name, y in (('k', turned(k, turn)), ('v', v)))
        s = np.einsum('thd,shd->hts', q, k) / head ** .5 + later
        s = np.exp(s - s.max(-1, keepdims=True))
        y = np.einsum('hts,shd->thd', s / s.sum(-1, keepdims=True), v)
        x = x + act('y%d' % i, y.reshape(n, dim)) @ w['o'][i].T
        h = act('g%d' % i, norm(x, w['n2'][i]))
        g, u = (act(c + str(i), h @ w[c][i].T) for c in ('w1', 'w3'))
        x = x + act('m%d' % i, g / (1 + np.exp(-g)) * u) @ w['w2'][i].T
    return act('n', norm(x, w['n'])) @ w['cls'].T


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def rounded(x, most):
    return np.rint(x / (most / 127 + 1e-30)) * (most / 127)


def see(name, x):
    seen[name] = max(seen.get(name, 0), np.abs(x).max())
    return x


seen, lost = {}, []
plain = read()
eight = {k: v if k[0] == 'n' else rounded(v, np.abs(v).max(-1, keepdims=True))
         for k, v in plain.items()}
t = np.load(sys.argv[2])
texts = [t['tokens'][a:b - 1] for a, b in zip(t['starts'], t['starts'][1:])]
texts = texts[:int(sys.argv[3])]
want = [log_softmax(logits(plain, x, see)) for x in texts]
for x, a in zip(texts, want):
    b = log_softmax(logits(eight, x, lambda name, x: rounded(x, seen[name])))
    lost.append((np.exp(a) * (a - b)).sum(-1))
print(np.mean(lost))
