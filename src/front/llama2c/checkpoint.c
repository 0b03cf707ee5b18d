/* llama2.c checkpoints: a header of integers, then weights in a fixed order.
 *
 * Version 0 has no magic number: seven integers, floats, and two tables of
 * cosines and sines that nobody needs.  Versions 1 and 2 begin with a header of
 * 256 bytes.  In version 2 matrices are int8 in groups of equal length, each
 * with a float scale; groups run over the flattened tensor, and here never from
 * one row into the next.  All is little
 * endian and at any address. */
#include "front/llama2c/llama2c.h"

#include <string.h>

enum { MAGIC = 0x616b3432, HEADER = 256, WORDS = 7 };

/* More is no network for a microcontroller, and sizes stay within 64 bits. */
static const int64_t most[WORDS] = {1 << 16, 1 << 16, 1 << 10, 1 << 10, 1 << 10,
                                    1 << 20, 1 << 20};

typedef struct Bytes {
    const unsigned char *p;
    size_t n, at;
    Arena *mem;
} Bytes;

static int32_t word_at(const void *p, size_t at)
{
    const unsigned char *b = (const unsigned char *)p + at;

    return (int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 |
                     (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
}

/* The seven integers; false: they describe no network. */
static bool take_shape(const void *p, size_t at, Checkpoint *c)
{
    int64_t v[WORDS];
    int i;

    for (i = 0; i < WORDS; i++) {
        v[i] = word_at(p, at + 4 * (size_t)i);
        if (i == 5 && v[i] < 0)
            v[i] = -v[i];
        if (v[i] < 1 || v[i] > most[i])
            return false;
    }
    c->dim = v[0];
    c->hidden = v[1];
    c->layers = v[2];
    c->heads = v[3];
    c->kv_heads = v[4];
    c->vocab = v[5];
    c->context = v[6];
    if (c->dim % c->heads || c->heads % c->kv_heads || c->dim / c->heads % 2)
        return false;
    c->head = c->dim / c->heads;
    c->kv = c->head * c->kv_heads;
    return true;
}

/* Elements of the matrices of one layer. */
static int64_t layer_matrices(const Checkpoint *c)
{
    return 2 * c->dim * c->dim + 2 * c->kv * c->dim + 3 * c->dim * c->hidden;
}

static int64_t norms(const Checkpoint *c)
{
    return (2 * c->layers + 1) * c->dim;
}

static bool own_classifier(const void *p, const Checkpoint *c)
{
    return c->version ? !((const unsigned char *)p)[36] : word_at(p, 20) < 0;
}

/* Elements of all matrices. */
static int64_t matrices(const void *p, const Checkpoint *c)
{
    return (1 + own_classifier(p, c)) * c->vocab * c->dim +
           c->layers * layer_matrices(c);
}

/* Bytes of the file that the header asks for. */
static int64_t bytes_wanted(const void *p, const Checkpoint *c)
{
    int64_t n = matrices(p, c);

    if (c->version == 2)
        return HEADER + 4 * norms(c) + n + 4 * (n / c->group);
    n = 4 * (n + norms(c));
    return c->version ? HEADER + n : 4 * WORDS + n + 4 * c->context * c->head;
}

static bool has_magic(const void *p, size_t n)
{
    return n >= 8 && word_at(p, 0) == MAGIC;
}

bool llama2c_is(const void *p, size_t n)
{
    Checkpoint c = {0};

    if (has_magic(p, n))
        return true;
    return n > 4 * WORDS && take_shape(p, 0, &c) &&
           bytes_wanted(p, &c) == (int64_t)n;
}

static const float *floats(Bytes *b, int64_t n)
{
    float *v = NEWN(b->mem, float, n);

    memcpy(v, b->p + b->at, (size_t)n * sizeof *v);
    b->at += (size_t)n * sizeof *v;
    return v;
}

/* One tensor of version 2: bytes, then scales. */
static void take_groups(Bytes *b, signed char *q, float *scale, int64_t n,
                        int64_t group)
{
    memcpy(q, b->p + b->at, (size_t)n);
    b->at += (size_t)n;
    memcpy(scale, b->p + b->at, 4 * (size_t)(n / group));
    b->at += 4 * (size_t)(n / group);
}

/* `count` tensors of n elements each. */
static Matrix tensors(Bytes *b, const Checkpoint *c, int64_t count, int64_t n)
{
    signed char *q;
    float *scale;
    int64_t i;

    if (!c->group)
        return (Matrix){.f = floats(b, count * n)};
    q = NEWN(b->mem, signed char, count * n);
    scale = NEWN(b->mem, float, count * n / c->group);
    for (i = 0; i < count; i++)
        take_groups(b, q + i * n, scale + i * n / c->group, n, c->group);
    return (Matrix){.q = q, .scale = scale};
}

static void take_weights(Bytes *b, Checkpoint *c)
{
    int64_t n = c->layers, d = c->dim;
    bool old = c->version == 0, own = own_classifier(b->p, c);

    if (!old) {
        c->norm_attention = floats(b, n * d);
        c->norm_ffn = floats(b, n * d);
        c->norm_last = floats(b, d);
    }
    c->embedding = tensors(b, c, 1, c->vocab * d);
    if (old)
        c->norm_attention = floats(b, n * d);
    c->wq = tensors(b, c, n, d * d);
    c->wk = tensors(b, c, n, c->kv * d);
    c->wv = tensors(b, c, n, c->kv * d);
    c->wo = tensors(b, c, n, d * d);
    if (old)
        c->norm_ffn = floats(b, n * d);
    c->w1 = tensors(b, c, n, d * c->hidden);
    c->w2 = tensors(b, c, n, d * c->hidden);
    c->w3 = tensors(b, c, n, d * c->hidden);
    if (old) {
        c->norm_last = floats(b, d);
        b->at += 4 * (size_t)(c->context * c->head);
    }
    c->shared = !own;
    c->classifier = own ? tensors(b, c, 1, c->vocab * d) : c->embedding;
}

/* A group must not run from one row into the next: the program that these
 * files are made for then leaves out the rest of a row. */
static void check_group(const void *p, Checkpoint *c)
{
    c->group = word_at(p, 37);
    if (c->group < 1 || c->dim % c->group || c->hidden % c->group)
        err(ERR_MODEL, "groups of %lld weights; wanted a divisor of both "
            "dim, %lld, and hidden_dim, %lld: export with another group size",
            (long long)c->group, (long long)c->dim, (long long)c->hidden);
}

static void check_header(const void *p, size_t n, Checkpoint *c)
{
    if (!has_magic(p, n)) {
        if (n < 4 * WORDS || !take_shape(p, 0, c))
            err(ERR_MODEL, "no llama2.c checkpoint: the header describes no "
                "network");
        return;
    }
    c->version = word_at(p, 4);
    if (c->version != 1 && c->version != 2)
        err(ERR_MODEL, "llama2.c checkpoint of version %d; wanted 0, 1 or 2",
            c->version);
    if (n < HEADER)
        err(ERR_MODEL, "%zu bytes; the header of version %d has %d", n,
            c->version, HEADER);
    if (!take_shape(p, 8, c))
        err(ERR_MODEL, "the header describes no network: dim %d, hidden_dim "
            "%d, layers %d, heads %d, kv_heads %d, vocabulary %d, context %d",
            word_at(p, 8), word_at(p, 12), word_at(p, 16), word_at(p, 20),
            word_at(p, 24), word_at(p, 28), word_at(p, 32));
    if (c->version == 2)
        check_group(p, c);
}

void llama2c_read(Arena *mem, const void *p, size_t n, Checkpoint *c)
{
    Bytes b = {.p = p, .n = n, .mem = mem};
    int64_t want;

    *c = (Checkpoint){0};
    check_header(p, n, c);
    want = bytes_wanted(p, c);
    if (want != (int64_t)n)
        err(ERR_MODEL, "%zu bytes; a checkpoint of version %d with dim %lld, "
            "%lld layers and %lld words has %lld", n, c->version,
            (long long)c->dim, (long long)c->layers, (long long)c->vocab,
            (long long)want);
    b.at = c->version ? HEADER : 4 * WORDS;
    take_weights(&b, c);
}
