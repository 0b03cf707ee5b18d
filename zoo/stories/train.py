#!/usr/bin/env python3
"""Trains zoo/stories/stories8x64.bin: a Llama of the shape that Deeploy's authors
measured (64 wide, 8 layers, 16 heads, feed-forward 256), which tells stories.

    zoo/stories/train.py TEACHER.bin WORDS.bin [--stories N] [--steps N]

TEACHER.bin, a llama2.c checkpoint of version 0, and its words write the text that is
learned from (build/stories/text.txt, drawn at temperature 1, seed fixed).  Of the text
a vocabulary of 512 words is made: bytes, letters, then pairs that are most frequent
(Sennrich et al., Neural machine translation of rare words with subword units, 2016).
Weights are kept in int8 in groups of 64, version 2 of llama2.c's checkpoints.  Wants
jax.  An hour on two cores with the defaults; it goes on where it was stopped."""
import argparse
import collections
import os
import pickle
import re
import struct
import sys
import time

import numpy as np
import jax
import jax.numpy as jnp

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, '../../build/stories')
DIM, HIDDEN, LAYERS, HEADS, VOCAB, CONTEXT = 64, 256, 8, 16, 512, 256
BOS, BYTE, GROUP = 1, 3, 64


# --- the decoder ---

def norm(x, w):
    return w * x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5)


def turns(n, head):
    by = 10000.0 ** (-np.arange(0, head, 2) / head)
    a = np.arange(n)[:, None] * by
    return np.cos(a).astype(np.float32), np.sin(a).astype(np.float32)


def rotate(x, cos, sin):
    """x[..., heads, head], pairs side by side as llama2.c has them"""
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = cos[..., None, :], sin[..., None, :]
    return jnp.stack([a * cos - b * sin, a * sin + b * cos],
                     -1).reshape(x.shape)


def layer(x, w, heads, kv, cos, sin, see, cache=None, at=None):
    """x[batch, rows, dim] -> the same; a cache [2, batch, n, kv, head] is written
    at `at`."""
    batch, rows, dim = x.shape
    head = dim // heads
    h = norm(x, w['norm1'])
    q = rotate((h @ w['wq'].T).reshape(batch, rows, heads, head), cos, sin)
    k = rotate((h @ w['wk'].T).reshape(batch, rows, kv, head), cos, sin)
    v = (h @ w['wv'].T).reshape(batch, rows, kv, head)
    if cache is not None:
        cache = jax.lax.dynamic_update_slice(cache, jnp.stack([k, v]),
                                             (0, 0, at, 0, 0))
        k, v = cache
    q = q.reshape(batch, rows, kv, heads // kv, head)
    s = jnp.einsum('brkeh,bnkh->bkern', q, k) / np.sqrt(head)
    a = jax.nn.softmax(jnp.where(see, s, -1e9), -1)
    y = jnp.einsum('bkern,bnkh->brkeh', a, v).reshape(batch, rows, dim)
    x = x + y @ w['wo'].T
    h = norm(x, w['norm2'])
    h = jax.nn.silu(h @ w['w1'].T) * (h @ w['w3'].T)
    return x + h @ w['w2'].T, cache


def logits(w, token):
    n = token.shape[1]
    cos, sin = turns(n, DIM // HEADS)
    see = np.tril(np.ones((n, n), bool))
    x = w['embedding'][token]
    for one in w['layers']:
        x, _ = layer(x, one, HEADS, HEADS, cos, sin, see)
    return norm(x, w['norm']) @ w['embedding'].T


# --- the teacher and its text ---

def read_checkpoint(path):
    b = open(path, 'rb').read()
    dim, hidden, layers, heads, kv, vocab, context = struct.unpack('<7i', b[:28])
    f, at = np.frombuffer(b, '<f4', offset=28), 0

    def take(*shape):
        nonlocal at
        n = int(np.prod(shape))
        at += n
        return f[at - n:at].reshape(shape)

    small = kv * dim // heads
    names = (('norm1', (dim,)), ('wq', (dim, dim)), ('wk', (small, dim)),
             ('wv', (small, dim)), ('wo', (dim, dim)), ('norm2', (dim,)),
             ('w1', (hidden, dim)), ('w2', (dim, hidden)), ('w3', (hidden, dim)))
    w = {'embedding': take(vocab, dim)}
    all_ = {name: take(layers, *s) for name, s in names}
    w['norm'] = take(dim)
    w['layers'] = [{k: v[i] for k, v in all_.items()} for i in range(layers)]
    return w, heads, kv


def read_words(path, n):
    b, at, words = open(path, 'rb').read(), 4, []
    for _ in range(n):
        size = struct.unpack_from('<i', b, at + 4)[0]
        words.append(b[at + 8:at + 8 + size])
        at += 8 + size
    return words


def drawn(w, heads, kv, batch, steps, seed):
    """Stories of the teacher, as tokens [steps, batch]."""
    dim = w['norm'].shape[0]
    cos, sin = turns(steps, dim // heads)

    def step(state, at):
        token, key, cache = state
        see = (jnp.arange(steps) <= at)[None]
        x, new = w['embedding'][token][:, None], []
        for one, c in zip(w['layers'], cache):
            x, c = layer(x, one, heads, kv, cos[at][None], sin[at][None], see, c,
                         at)
            new.append(c)
        y = norm(x, w['norm'])[:, 0] @ w['embedding'].T
        key, now = jax.random.split(key)
        token = jax.random.categorical(now, y)
        return (token, key, new), token

    cos, sin = jnp.asarray(cos), jnp.asarray(sin)
    cache = [jnp.zeros((2, batch, steps, kv, dim // heads))
             for _ in w['layers']]
    first = (jnp.full((batch,), BOS), jax.random.PRNGKey(seed), cache)
    return jax.lax.scan(step, first, jnp.arange(steps))[1]


def text_of(tokens, words):
    out = b''
    for t in tokens:
        if t == BOS:
            break
        m = re.fullmatch(rb'<0x([0-9A-F]{2})>', words[t])
        out += bytes([int(m[1], 16)]) if m else words[t]
    return out.strip()


def write_text(path, teacher, words, stories):
    w, heads, kv = read_checkpoint(teacher)
    words = read_words(words, len(w['embedding']))
    w = jax.tree.map(jnp.asarray, w)
    batch, steps = 256, 384
    draw = jax.jit(drawn, static_argnums=(1, 2, 3, 4))
    with open(path + '.part', 'wb') as f:
        for i in range(0, stories, batch):
            t = np.asarray(draw(w, heads, kv, batch, steps, i))
            for story in t.T:
                if BOS in story:
                    f.write(text_of(story, words) + b'\n<|endoftext|>\n')
            print('stories', i + batch, flush=True)
    os.rename(path + '.part', path)


# --- words ---

def pairs_of(counts):
    n = collections.Counter()
    for word, c in counts.items():
        for p in zip(word, word[1:]):
            n[p] += c
    return n


def merged(word, pair):
    out, i = [], 0
    while i < len(word):
        if word[i:i + 2] == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def make_words(text):
    """-> words in the order of their numbers, scores"""
    counts = collections.Counter(re.findall(rb' ?[^ ]+|\n', text))
    counts = {tuple(w[i:i + 1] for i in range(len(w))): c
              for w, c in counts.items() if max(w) < 128}
    letters = sorted({a for w in counts for a in w} | {b' '})
    words = [b'<unk>', b'\n<s>\n', b'\n</s>\n']
    words += [b'<0x%02X>' % i for i in range(256)] + letters
    while len(words) < VOCAB:
        n = pairs_of(counts)
        best = max(sorted(n), key=lambda p: n[p])
        new = collections.Counter()
        for w, c in counts.items():
            new[merged(w, best)] += c
        counts = new
        words.append(best[0] + best[1])
    return words, [0.0] * BYTE + [float(-i) for i in range(VOCAB - BYTE)]


def write_words(path, words, scores):
    with open(path, 'wb') as f:
        f.write(struct.pack('<i', max(map(len, words))))
        for w, s in zip(words, scores):
            f.write(struct.pack('<fi', s, len(w)) + w)


def encoder(words):
    number = {w: i for i, w in enumerate(words) if i >= BYTE + 256}
    known = {}

    def one(word):
        t = [number.get(word[i:i + 1], BYTE + word[i]) for i in range(len(word))]
        while True:
            near = [(number.get(words[a] + words[b], VOCAB), i)
                    for i, (a, b) in enumerate(zip(t, t[1:]))]
            best = min(near, default=(VOCAB, 0))
            if best[0] == VOCAB:
                return t
            t[best[1]:best[1] + 2] = [best[0]]

    def encode(text):
        out = [BOS]
        for w in re.findall(rb' ?[^ ]+| ', b' ' + text):
            if w not in known:
                known[w] = one(w)
            out += known[w]
        return out

    return encode


# --- learning ---

def new_weights(seed):
    r = np.random.default_rng(seed)

    def matrix(rows, columns, by=1.0):
        return r.normal(0, by / np.sqrt(columns), (rows, columns)).astype('f4')

    deep = 1 / np.sqrt(2 * LAYERS)
    one = np.ones(DIM, 'f4')
    return {'embedding': matrix(VOCAB, DIM), 'norm': one, 'layers': [
        {'norm1': one, 'wq': matrix(DIM, DIM), 'wk': matrix(DIM, DIM),
         'wv': matrix(DIM, DIM), 'wo': matrix(DIM, DIM, deep), 'norm2': one,
         'w1': matrix(HIDDEN, DIM), 'w2': matrix(DIM, HIDDEN, deep),
         'w3': matrix(HIDDEN, DIM)} for _ in range(LAYERS)]}


def loss(w, token):
    y = jax.nn.log_softmax(logits(w, token[:, :-1]))
    return -jnp.mean(jnp.take_along_axis(y, token[:, 1:, None], -1))


def update(w, m, v, token, rate, t):
    """Adam with decay (Loshchilov, Hutter, Decoupled weight decay, 2019)"""
    value, g = jax.value_and_grad(loss)(w, token)
    size = jnp.sqrt(sum(jnp.sum(a * a) for a in jax.tree.leaves(g)))
    g = jax.tree.map(lambda a: a / jnp.maximum(size, 1), g)
    m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
    v = jax.tree.map(lambda a, b: 0.98 * a + 0.02 * b * b, v, g)
    w = jax.tree.map(
        lambda a, b, c: a - rate * (b / (1 - 0.9 ** t) /
                                    (jnp.sqrt(c / (1 - 0.98 ** t)) + 1e-8) +
                                    (0.05 * a if a.ndim > 1 else 0)), w, m, v)
    return w, m, v, value


def learn(tokens, steps, seed):
    kept = os.path.join(BUILD, 'weights.pkl')
    w = jax.tree.map(jnp.asarray, new_weights(seed))
    m = v = jax.tree.map(jnp.zeros_like, w)
    begin = 0
    if os.path.exists(kept):
        w, m, v, begin = pickle.load(open(kept, 'rb'))
    step = jax.jit(update)
    for t in range(begin, steps):
        r = np.random.default_rng([seed, t])
        n = CONTEXT // 2 if t < 0.8 * steps else CONTEXT # less to attend to
        at = r.integers(0, len(tokens) - n - 1, 8 * CONTEXT // n)
        batch = np.stack([tokens[a:a + n + 1] for a in at])
        rate = 4e-3 * min(1, (t + 1) / 100) * (0.02 + 0.98 * (1 - t / steps))
        w, m, v, value = step(w, m, v, batch, rate, t + 1.0)
        if t % 100 == 99 or t + 1 == steps:
            print(f'step {t + 1} loss {float(value):.4f} '
                  f'{time.process_time():.0f} s', flush=True)
            pickle.dump(jax.tree.map(np.asarray, (w, m, v)) + (t + 1,),
                        open(kept + '.part', 'wb'))
            os.rename(kept + '.part', kept)
    return jax.tree.map(np.asarray, w)


def write_checkpoint(path, w):
    """Version 2: floats of norms, then each matrix as int8 with scales."""
    def matrix(a):
        a = np.asarray(a, 'f4').reshape(-1, GROUP)
        s = (np.abs(a).max(1) / 127).astype('f4')
        q = np.rint(a / np.where(s == 0, 1, s)[:, None]).astype('i1')
        return q.tobytes() + s.tobytes()

    names = ('wq', 'wk', 'wv', 'wo', 'w1', 'w2', 'w3')
    head = struct.pack('<Ii7iBi', 0x616b3432, 2, DIM, HIDDEN, LAYERS, HEADS, HEADS,
                       VOCAB, CONTEXT, 1, GROUP)
    with open(path, 'wb') as f:
        f.write(head.ljust(256, b'\0'))
        for name in ('norm1', 'norm2'):
            f.write(b''.join(one[name].tobytes() for one in w['layers']))
        f.write(w['norm'].tobytes() + matrix(w['embedding']))
        for name in names:
            f.write(b''.join(matrix(one[name]) for one in w['layers']))


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('teacher')
    p.add_argument('words')
    p.add_argument('--stories', type=int, default=8192)
    p.add_argument('--steps', type=int, default=3000)
    o = p.parse_args()
    os.makedirs(BUILD, exist_ok=True)
    path = os.path.join(BUILD, 'text.txt')
    if not os.path.exists(path):
        write_text(path, o.teacher, o.words, o.stories)
    text = open(path, 'rb').read()
    stories = [s.strip() for s in text.split(b'<|endoftext|>') if s.strip()]
    words, scores = make_words(b' '.join(stories[:3000]))
    write_words(os.path.join(HERE, 'words.bin'), words, scores)
    encode = encoder(words)
    tokens = np.concatenate([encode(s) for s in stories]).astype(np.int32)
    print(len(stories), 'stories', len(tokens), 'tokens', flush=True)
    write_checkpoint(os.path.join(HERE, 'stories8x64.bin'),
                     learn(tokens, o.steps, 1))


if __name__ == '__main__':
    sys.exit(main())
