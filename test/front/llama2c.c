/* llama2c SEED ROUNDS: checkpoints of random networks, in all versions, against
 * a forward pass written down here from the model's definition; and files that
 * are no whole checkpoints.
 *
 * llama2c -w FILE SEED VERSION writes one such checkpoint, of 300 words and 40
 * positions; llama2c -k FILE SEED a tokenizer for it. */
#include "front/front.h"
#include "test/lib/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

typedef struct Shape7 {
    int dim, hidden, layers, heads, kv_heads, vocab, context;
    int version, own, group; /* own: a classifier that is not the embedding */
} Shape7;

/* Weights as the network has them, and the file. */
typedef struct Model {
    Shape7 s;
    float *emb, *n1, *n2, *n3, *wq, *wk, *wv, *wo, *w1, *w2, *w3, *cls;
    unsigned char *file;
    size_t n;
} Model;

static int passed, failed, compared;
static jmp_buf refused;
static char said[2048];

static void expect(bool ok, const char *what, const char *is)
{
    passed += ok;
    failed += !ok;
    if (!ok)
        printf("FAIL %s: %s\n", what, is);
}

static void refuse(const Trouble *t)
{
    snprintf(said, sizeof said, "%s", t->message);
    longjmp(refused, 1);
}

/* ---- files ---- */

static void put(Model *m, const void *p, size_t n)
{
    memcpy(m->file + m->n, p, n);
    m->n += n;
}

static void put_word(Model *m, int32_t v)
{
    put(m, &v, 4);
}

static float normal(Rng *r)
{
    return (float)((double)(rng(r) >> 11) * 0x1p-53 * 2 - 1);
}

static float *draw(Arena *a, Rng *r, int n, double size)
{
    float *v = NEWN(a, float, n);
    int i;

    for (i = 0; i < n; i++)
        v[i] = (float)size * normal(r);
    return v;
}

/* Groups of int8 with a scale; v becomes what they stand for. */
static void put_groups(Model *m, float *v, int n)
{
    int group = m->s.group, i, j;
    float scale[MOST / 16];

    for (i = 0; i < n; i += group) {
        float most = 0;

        for (j = i; j < i + group; j++)
            most = fmaxf(most, fabsf(v[j]));
        scale[i / group] = most / 127;
        for (j = i; j < i + group; j++) {
            signed char q = (signed char)rintf(v[j] / scale[i / group]);

            put(m, &q, 1);
            v[j] = (float)q * scale[i / group];
        }
    }
    put(m, scale, (size_t)(n / group) * 4);
}

static void put_tensors(Model *m, float *v, int count, int n)
{
    int i;

    if (m->s.version < 2)
        put(m, v, (size_t)(count * n) * 4);
    for (i = 0; i < count && m->s.version == 2; i++)
        put_groups(m, v + i * n, n);
}

static void put_shape(Model *m)
{
    const Shape7 *s = &m->s;

    put_word(m, s->dim);
    put_word(m, s->hidden);
    put_word(m, s->layers);
    put_word(m, s->heads);
    put_word(m, s->kv_heads);
    put_word(m, s->own && !s->version ? -s->vocab : s->vocab);
    put_word(m, s->context);
}

static void put_norms(Model *m, bool first, bool second, bool last)
{
    int n = m->s.layers * m->s.dim * 4;

    if (first)
        put(m, m->n1, (size_t)n);
    if (second)
        put(m, m->n2, (size_t)n);
    if (last)
        put(m, m->n3, (size_t)m->s.dim * 4);
}

static void write_header(Model *m)
{
    unsigned char shared = !m->s.own;

    if (!m->s.version) {
        put_shape(m);
        return;
    }
    put_word(m, 0x616b3432);
    put_word(m, m->s.version);
    put_shape(m);
    put(m, &shared, 1);
    put_word(m, m->s.version == 2 ? m->s.group : 0);
    m->n = 256;
    put_norms(m, true, true, true);
}

static void write_file(Model *m)
{
    const Shape7 *s = &m->s;
    int n = s->layers, d = s->dim, kv = d / s->heads * s->kv_heads;
    bool old = !s->version;

    write_header(m);
    put_tensors(m, m->emb, 1, s->vocab * d);
    put_norms(m, old, false, false);
    put_tensors(m, m->wq, n, d * d);
    put_tensors(m, m->wk, n, kv * d);
    put_tensors(m, m->wv, n, kv * d);
    put_tensors(m, m->wo, n, d * d);
    put_norms(m, false, old, false);
    put_tensors(m, m->w1, n, d * s->hidden);
    put_tensors(m, m->w2, n, d * s->hidden);
    put_tensors(m, m->w3, n, d * s->hidden);
    put_norms(m, false, false, old);
    if (old)
        m->n += (size_t)(s->context * (d / s->heads)) * 4;
    if (s->own)
        put_tensors(m, m->cls, 1, s->vocab * d);
}

static Shape7 draw_shape(Rng *r, int version)
{
    Shape7 s = {.version = version, .own = pick(r, 2)};
    int head = 2 * between(r, 1, 4);

    s.group = between(r, 1, 2);
    s.kv_heads = between(r, 1, 3);
    s.heads = s.kv_heads * between(r, 1, 3);
    s.dim = s.heads * head;
    s.hidden = 2 * between(r, 2, 20);
    s.layers = between(r, 1, 3);
    s.vocab = between(r, 3, 40);
    s.context = between(r, 2, 12);
    return s;
}

static Model *model_of(Arena *a, Rng *r, Shape7 s)
{
    Model *m = NEW(a, Model);
    int n, d, kv;

    m->s = s;
    n = m->s.layers;
    d = m->s.dim;
    kv = d / m->s.heads * m->s.kv_heads;
    m->emb = draw(a, r, m->s.vocab * d, 1);
    m->n1 = draw(a, r, n * d, 2);
    m->n2 = draw(a, r, n * d, 2);
    m->n3 = draw(a, r, d, 2);
    m->wq = draw(a, r, n * d * d, 0.7);
    m->wk = draw(a, r, n * kv * d, 0.7);
    m->wv = draw(a, r, n * kv * d, 0.3);
    m->wo = draw(a, r, n * d * d, 0.3);
    m->w1 = draw(a, r, n * d * m->s.hidden, 0.3);
    m->w2 = draw(a, r, n * d * m->s.hidden, 0.3);
    m->w3 = draw(a, r, n * d * m->s.hidden, 0.3);
    m->cls = m->s.own ? draw(a, r, m->s.vocab * d, 0.5) : m->emb;
    m->file = NEWN(a, unsigned char, MOST);
    write_file(m);
    return m;
}

static Model *model_new(Arena *a, uint64_t seed, int version)
{
    Rng r = {seed};
    Shape7 s = draw_shape(&r, version);

    return model_of(a, &r, s);
}

/* ---- the forward pass, in double ---- */

typedef struct Play {
    const Model *m;
    double *keys, *values; /* [layer][position][kv] */
} Play;

/* An activation so near the middle of two integers that float32 may round it
 * the other way: what follows is not compared. */
static bool tied;

/* Version 2: x in groups of int8, as the program for these files has it. */
static void narrow(const Shape7 *s, const double *x, int n, double *q)
{
    int i, j;

    for (i = 0; i < n; i += s->group) {
        double most = 0;

        for (j = i; j < i + s->group; j++)
            most = fmax(most, fabs(x[j]));
        for (j = i; j < i + s->group; j++) {
            double v = most > 0 ? x[j] / (most / 127) : 0;

            tied |= fabs(fabs(v - trunc(v)) - 0.5) < 1e-3;
            q[j] = round(v) * (most / 127);
        }
    }
}

static void times(const Shape7 *s, const float *w, const double *x, int out,
                  int in, double *y)
{
    double q[128];
    int i, j;

    if (s->version == 2)
        narrow(s, x, in, q);
    else
        memcpy(q, x, (size_t)in * sizeof *q);
    for (i = 0; i < out; i++) {
        y[i] = 0;
        for (j = 0; j < in; j++)
            y[i] += (double)w[i * in + j] * q[j];
    }
}

static void norm(const double *x, const float *w, int n, double *y)
{
    double sum = 0;
    int i;

    for (i = 0; i < n; i++)
        sum += x[i] * x[i];
    for (i = 0; i < n; i++)
        y[i] = w[i] * x[i] / sqrt(sum / n + 1e-5);
}

/* Adjacent pairs of each head. */
static void rotate(double *x, int n, int head, int position)
{
    int i;

    for (i = 0; i < n; i += 2) {
        double angle = position * pow(10000, -(double)(i % head) / head);
        double a = x[i], b = x[i + 1];

        x[i] = a * cos(angle) - b * sin(angle);
        x[i + 1] = a * sin(angle) + b * cos(angle);
    }
}

static void attend(const Play *p, int layer, int position, const double *q,
                   double *y)
{
    const Shape7 *s = &p->m->s;
    int head = s->dim / s->heads, kv = head * s->kv_heads, h, t, i;
    double score[16];

    for (h = 0; h < s->heads; h++) {
        int from = h / (s->heads / s->kv_heads) * head;
        double most = -INFINITY, sum = 0;

        for (t = 0; t <= position; t++) {
            const double *k = p->keys + (layer * s->context + t) * kv + from;

            score[t] = 0;
            for (i = 0; i < head; i++)
                score[t] += q[h * head + i] * k[i] / sqrt(head);
            most = fmax(most, score[t]);
        }
        for (t = 0; t <= position; t++)
            sum += score[t] = exp(score[t] - most);
        for (i = 0; i < head; i++) {
            y[h * head + i] = 0;
            for (t = 0; t <= position; t++)
                y[h * head + i] += score[t] / sum *
                    p->values[(layer * s->context + t) * kv + from + i];
        }
    }
}

static void layer(Play *p, int l, int position, double *x)
{
    const Model *m = p->m;
    const Shape7 *s = &m->s;
    int d = s->dim, kv = d / s->heads * s->kv_heads, n = s->hidden, i;
    double h[128], q[128], y[128], gate[64], up[64];
    double *k = p->keys + (l * s->context + position) * kv;
    double *v = p->values + (l * s->context + position) * kv;

    norm(x, m->n1 + l * d, d, h);
    times(s, m->wq + l * d * d, h, d, d, q);
    times(s, m->wk + l * kv * d, h, kv, d, k);
    times(s, m->wv + l * kv * d, h, kv, d, v);
    rotate(q, d, d / s->heads, position);
    rotate(k, kv, d / s->heads, position);
    attend(p, l, position, q, y);
    times(s, m->wo + l * d * d, y, d, d, h);
    for (i = 0; i < d; i++)
        x[i] += h[i];
    norm(x, m->n2 + l * d, d, h);
    times(s, m->w1 + l * d * n, h, n, d, gate);
    times(s, m->w3 + l * d * n, h, n, d, up);
    for (i = 0; i < n; i++)
        gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i];
    times(s, m->w2 + l * d * n, gate, d, n, h);
    for (i = 0; i < d; i++)
        x[i] += h[i];
}

static void forward(Play *p, int token, int position, double *logits)
{
    const Model *m = p->m;
    double x[128], h[128];
    int i;

    for (i = 0; i < m->s.dim; i++)
        x[i] = m->emb[token * m->s.dim + i];
    for (i = 0; i < m->s.layers; i++)
        layer(p, i, position, x);
    norm(x, m->n3, m->s.dim, h);
    times(&m->s, m->cls, h, m->s.vocab, m->s.dim, logits);
}

/* ---- comparing ---- */

static bool near(const float *is, const double *want, int n, char *how)
{
    int i;

    for (i = 0; i < n; i++)
        if (!(fabs(is[i] - want[i]) <= 1e-4 * fmax(1, fabs(want[i])))) {
            sprintf(how, "logit %d is %g, wanted %g", i, is[i], want[i]);
            return false;
        }
    return true;
}

/* One run: tokens from a position on. */
static Eval *run_tokens(Arena *a, Graph *g, void **in, int position, int n)
{
    int64_t value[MOST_NUMBERS] = {position + n, n};

    *(int32_t *)in[1] = position;
    graph_set_numbers(g, value);
    return graph_eval(a, g, in);
}

/* Every position of the context, up to `chunk` tokens in a run. */
static bool plays(Arena *a, const Model *m, Graph *g, Rng *r, int chunk,
                  char *how)
{
    const Shape7 *s = &m->s;
    int kv = s->dim / s->heads * s->kv_heads, position = 0, i, n;
    size_t cache = (size_t)(s->layers * s->context * kv);
    Play p = {m, NEWN(a, double, cache), NEWN(a, double, cache)};
    void **in = NEWN(a, void *, g->nin);
    double logits[64];
    Eval *e;

    for (i = 0; i < g->nin; i++)
        in[i] = arena_get(a, (size_t)val_bytes(g->in[i]), 1);
    for (; position < s->context; position += n) {
        n = between(r, 1, MIN(chunk, s->context - position));
        for (i = 0; i < n; i++)
            ((int32_t *)in[0])[i] = pick(r, s->vocab);
        e = run_tokens(a, g, in, position, n);
        for (i = 0; i < n; i++)
            forward(&p, ((int32_t *)in[0])[i], position + i, logits);
        if (tied)
            return true;
        compared += n;
        if (!near(e->data[g->out[0]->id], logits, s->vocab, how))
            return false;
        for (i = 1; i < g->nout; i++)
            in[i + 1] = e->data[g->out[i]->id];
    }
    return true;
}

static void compare(uint64_t seed, int version)
{
    Arena *a = arena_new();
    Model *m = model_new(a, seed, version);
    Rng r = {seed ^ 1};
    FrontOpts o = {.chunk = between(&r, 1, 6)};
    char how[200] = "", what[100];
    Graph *g;

    tied = false;
    sprintf(what, "seed %llu, version %d", (unsigned long long)seed, version);
    if (setjmp(refused)) {
        expect(false, what, said);
    } else {
        g = front_parse(a, "random.bin", m->file, m->n, &o);
        graph_check(g, "front");
        expect(plays(a, m, g, &r, (int)o.chunk, how), what, how);
    }
    arena_end(a);
}

/* ---- files that are refused ---- */

static void refused_for(const void *p, size_t n, const char *why)
{
    FrontOpts o = {0};
    Arena *a = arena_new();

    strcpy(said, "it was taken");
    if (!setjmp(refused))
        front_parse(a, "bad.bin", p, n, &o);
    expect(strstr(said, why), why, said);
    arena_end(a);
}

static void set_word(Model *m, size_t at, int32_t v)
{
    memcpy(m->file + at, &v, 4);
}

static void refusals(void)
{
    Arena *a = arena_new();
    Model *m = model_new(a, 1, 1);
    FrontOpts o = {.context = 100};

    refused_for(m->file, m->n - 1, "a checkpoint of version 1");
    refused_for(m->file, m->n + 4, "a checkpoint of version 1");
    refused_for(m->file, 100, "the header of version 1 has 256");
    set_word(m, 4, 3);
    refused_for(m->file, m->n, "version 3; wanted 0, 1 or 2");
    m = model_new(a, 2, 1);
    set_word(m, 8, -8);
    refused_for(m->file, m->n, "the header describes no network: dim -8");
    set_word(m, 8, m->s.dim);
    set_word(m, 20, m->s.dim + 1);
    refused_for(m->file, m->n, "describes no network");
    m = model_new(a, 3, 2);
    set_word(m, 37, 7919);
    refused_for(m->file, m->n, "wanted a divisor of both");
    set_word(m, 37, 0);
    refused_for(m->file, m->n, "groups of 0 weights");
    m = model_new(a, 4, 0);
    refused_for(m->file, m->n - 4, "not an ONNX model");
    strcpy(said, "it was taken");
    if (!setjmp(refused))
        front_parse(a, "bad.bin", m->file, m->n, &o);
    expect(strstr(said, "--context 100; the model has"), "context", said);
    arena_end(a);
}

/* ---- files for other tests ---- */

enum { WORDS = 300, POSITIONS = 40 };

static void write_model(const char *path, uint64_t seed, int version)
{
    Rng r = {seed};
    Shape7 s = draw_shape(&r, version);
    Model *m;

    s.vocab = WORDS;
    s.context = POSITIONS;
    m = model_of(arena_new(), &r, s);
    file_write(path, m->file, m->n);
}

/* Three that end or begin, 256 bytes, letters, then words of two and three. */
static void write_word(Rng *r, int i, char *s)
{
    static const char letters[] = " abcdefg\n.";

    if (i < 3)
        strcpy(s, i == 0 ? "<unk>" : i == 1 ? "\n<s>\n" : "\n</s>\n");
    else if (i < 259)
        sprintf(s, "<0x%02X>", (unsigned)i - 3);
    else if (i < 269)
        sprintf(s, "%c", letters[i - 259]);
    else if (i < 271)
        strcpy(s, i == 269 ? "\303\251" : "\342\202\254");
    else
        sprintf(s, "%c%c%.*s", letters[pick(r, 6)], letters[1 + pick(r, 5)],
                pick(r, 2), letters + 1 + pick(r, 5));
}

static void write_words(const char *path, uint64_t seed)
{
    Str b = {.mem = arena_new()};
    Rng r = {seed};
    int32_t len = 16;
    int i;

    str_mem(&b, (char *)&len, 4);
    for (i = 0; i < WORDS; i++) {
        float score = 0;
        char word[16];
        int k;

        write_word(&r, i, word);
        for (k = 0; i >= 259 && word[k]; k++) /* equal words score equally */
            score -= (float)(word[k] * (k + 3) % 10);
        len = (int32_t)strlen(word);
        str_mem(&b, (char *)&score, 4);
        str_mem(&b, (char *)&len, 4);
        str_put(&b, word);
    }
    file_write(path, b.s, b.n);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int rounds = argc > 2 ? atoi(argv[2]) : 20, i, version;

    if (argc == 5 && !strcmp(argv[1], "-w")) {
        write_model(argv[2], strtoull(argv[3], NULL, 0), atoi(argv[4]));
        return 0;
    }
    if (argc == 4 && !strcmp(argv[1], "-k")) {
        write_words(argv[2], strtoull(argv[3], NULL, 0));
        return 0;
    }
    err_hook = refuse;
    for (i = 0; i < rounds; i++)
        for (version = 0; version < 3; version++)
            compare(seed + (uint64_t)i, version);
    refusals();
    printf("%d of %d checkpoints as wanted, %d positions, seed %llu\n", passed,
           passed + failed, compared, (unsigned long long)seed);
    return failed > 0;
}
