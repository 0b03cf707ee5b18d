/* rt/lm with a compiled language model, NAME = m:
 *
 *     encode < lines      tokens of each line (hexadecimal bytes), and what they
 *                         are decoded to
 *     sample SEED ROUNDS  tokens drawn, against a plain sampler
 *     state SEED          prefill, rewind, reset, save and load leave the same
 *                         logits, to the bit
 */
#include "m_lm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = M_LM_VOCAB, CONTEXT = M_LM_CONTEXT };

static unsigned char memory[M_RAM_BYTES + M_RAM_ALIGN];
static struct m net;
static struct tilewright_lm lm;
static struct tilewright_lm_choice scratch[N];

static int begin(void)
{
    struct m_memory where;
    size_t at = (size_t)memory % M_RAM_ALIGN;

    where.ram = memory + (at ? M_RAM_ALIGN - at : 0);
    if (m_init(&net, where))
        return 1;
    tilewright_lm_init(&lm, &m_lm, &net);
    return 0;
}

/* ---- text ---- */

static int32_t from_hex(const char *s, char *to)
{
    int32_t n = 0;
    unsigned v;

    for (; sscanf(s, "%2x", &v) == 1; s += 2)
        to[n++] = (char)v;
    return n;
}

static void decode(const int32_t *token, int32_t n)
{
    struct tilewright_lm_utf8 u = {{0}, 0};
    const char *bytes;
    char raw[1], whole[4];
    int32_t i, k, j, len;

    for (i = 1; i < n; i++) {
        len = tilewright_lm_decode(m_lm.words, token[i - 1], token[i], raw,
                                   &bytes);
        for (k = 0; k < len; k++) {
            int32_t out = tilewright_lm_whole(&u, bytes[k], whole);

            for (j = 0; j < out; j++)
                printf("%02x", (unsigned char)whole[j]);
        }
    }
    for (j = 0; j < u.n; j++)
        printf("%02x", (unsigned char)u.held[j]);
}

static int encode(void)
{
    static char line[4096], text[2048];
    static int32_t token[2048];

    while (fgets(line, sizeof line, stdin)) {
        int32_t n = tilewright_lm_encode(m_lm.words, text,
                                         from_hex(line, text), 1, token, 2048);
        int32_t i;

        for (i = 0; i < n; i++)
            printf("%d ", (int)token[i]);
        printf(": ");
        decode(token, n);
        printf("\n");
    }
    return 0;
}

/* ---- samples ---- */

static uint64_t state;

static unsigned number(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33);
}

static int by_p(const void *a, const void *b)
{
    const struct tilewright_lm_choice *x = a, *y = b;

    return x->p != y->p ? (x->p < y->p) - (x->p > y->p) : x->token - y->token;
}

static float coin(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return (float)((uint32_t)(*s * 0x2545f4914f6cdd1dULL >> 32) >> 8) /
           16777216.0f;
}

/* The definition: all sorted. */
static int32_t plain(const struct tilewright_sampler *s, const float *logits)
{
    static struct tilewright_lm_choice c[N];
    uint64_t seed = s->seed;
    float most = -INFINITY, sum = 0, r = coin(&seed), all = 0, at = 0;
    int cut = s->top_p > 0 && s->top_p < 1, i, k;
    int n = s->top_k > 0 && s->top_k < N ? s->top_k : N;

    for (i = 0; i < N; i++)
        most = fmaxf(most, logits[i] / s->temperature);
    for (i = 0; i < N; i++) {
        c[i].token = i;
        c[i].p = expf(logits[i] / s->temperature - most);
        sum += c[i].p;
    }
    for (i = 0; i < N; i++)
        c[i].p /= sum;
    if (cut || s->top_k > 0)
        qsort(c, N, sizeof *c, by_p);
    for (k = 0; k < n && !(cut && all > s->top_p); k++) {
        if (cut && c[k].p < (1 - s->top_p) / (N - 1))
            break;
        all += c[k].p;
    }
    r = cut || s->top_k > 0 ? r * all : r;
    for (i = 0; i < k - 1; i++) {
        at += c[i].p;
        if (r < at)
            break;
    }
    return c[i].token;
}

static int sample(int rounds)
{
    struct tilewright_sampler s;
    float logits[N];
    int i, k, wrong = 0;

    for (i = 0; i < rounds; i++) {
        int32_t want, is;

        for (k = 0; k < N; k++)
            logits[k] = (float)(number() % 2000) / 200;
        memset(&s, 0, sizeof s);
        s.scratch = scratch;
        s.temperature = (float)(1 + number() % 20) / 10;
        s.top_p = i % 3 ? (float)(number() % 100) / 100 : 0;
        s.top_k = i % 4 == 0 ? 1 + (int32_t)(number() % 10) : 0;
        s.seed = state | 1;
        want = plain(&s, logits);
        is = tilewright_lm_sample(&s, logits, N);
        wrong += is != want;
        if (is != want)
            printf("round %d: %d, wanted %d\n", i, (int)is, (int)want);
    }
    printf("%d samples, %d wrong\n", rounds, wrong);
    return wrong > 0;
}

/* ---- states ---- */

static float first[CONTEXT][N];
static int wrong;

/* Chunks are computed by kernels of several rows, which may round otherwise. */
static int is_near(const float *a, const float *b)
{
    int i;

    if (M_LM_CHUNK == 1)
        return !memcmp(a, b, sizeof first[0]);
    for (i = 0; i < N; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-5f * (1 + fabsf(b[i]))))
            return 0;
    return 1;
}

static void same(const float *logits, int position, const char *what)
{
    if (logits && is_near(logits, first[position]))
        return;
    printf("%s: other logits at %d\n", what, position);
    wrong++;
}

/* A run layer by layer, and one that is given up on the way. */
static const float *by_layers(int32_t token)
{
    const float *logits = NULL;
    int i;

    wrong += !tilewright_lm_begin(&lm, &token, 1);
    wrong += tilewright_lm_work(&lm) != NULL && M_LAYERS > 1;
    wrong += !tilewright_lm_begin(&lm, &token, 1);
    for (i = 0; i < M_LAYERS; i++) {
        wrong += logits != NULL;
        logits = tilewright_lm_work(&lm);
    }
    return logits;
}

static void others(const int32_t *token, int at)
{
    int keep = at / 2;

    same(by_layers(token[at]), at, "layers");
    wrong += tilewright_lm_work(&lm) != NULL;
    wrong += tilewright_lm_begin(&lm, token, M_LM_CHUNK + 1);
    same(tilewright_lm_renew(&lm, keep, token + keep, at + 1 - keep), at,
         "renew");
    wrong += tilewright_lm_renew(&lm, keep, token, CONTEXT + 1 - keep) != NULL;
    wrong += tilewright_lm_renew(&lm, at + 2, token, 1) != NULL;
    wrong += lm.position != at + 1;
}

static int states(void)
{
    static unsigned char saved[4 + M_STATE_BYTES];
    int32_t token[CONTEXT];
    int i, at = 1 + (int)(number() % (CONTEXT - 2));

    for (i = 0; i < CONTEXT; i++)
        token[i] = (int32_t)(number() % N);
    for (i = 0; i < CONTEXT; i++) {
        if (i == at)
            tilewright_lm_save(&lm, saved);
        memcpy(first[i], tilewright_lm_step(&lm, token[i]), sizeof first[0]);
    }
    wrong += tilewright_lm_step(&lm, 0) != NULL;
    wrong += !tilewright_lm_rewind(&lm, at) || tilewright_lm_rewind(&lm, at + 1);
    same(tilewright_lm_prefill(&lm, token + at, CONTEXT - at), CONTEXT - 1,
         "rewind");
    tilewright_lm_reset(&lm);
    same(tilewright_lm_prefill(&lm, token, at), at - 1, "reset");
    tilewright_lm_reset(&lm);
    wrong += !tilewright_lm_load(&lm, saved) ||
             tilewright_lm_left(&lm) != CONTEXT - at;
    same(tilewright_lm_step(&lm, token[at]), at, "load");
    wrong += tilewright_lm_prefill(&lm, token, CONTEXT) != NULL;
    wrong += !tilewright_lm_rewind(&lm, at);
    others(token, at);
    printf("%d positions, chunks of %d, saved at %d, %d wrong\n", CONTEXT,
           M_LM_CHUNK, at, wrong);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    if (argc < 2 || begin())
        return 2;
    return !strcmp(argv[1], "encode") ? encode()
        : !strcmp(argv[1], "sample") ? sample(argc > 3 ? atoi(argv[3]) : 1000)
        : states();
}
