/* The next token from logits, by llama2.c's arithmetic: float32, sums in the
 * order of tokens, one number drawn for each. */
#include "lm.h"

#include <math.h>
#include <string.h>

typedef struct tilewright_lm_choice Choice;
typedef struct tilewright_sampler Sampler;

/* xorshift*: a number from 0 to 1. */
static float draw(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return (float)((uint32_t)(*s * 0x2545f4914f6cdd1dULL >> 32) >> 8) /
           16777216.0f;
}

/* Of the ring that is full so far. */
static int is_recent(const Sampler *s, int32_t token)
{
    int32_t n = s->at < s->nrecent ? s->at : s->nrecent, i;

    for (i = 0; i < n; i++)
        if (s->recent[i] == token)
            return 1;
    return 0;
}

static float logit(const Sampler *s, const float *logits, int32_t i)
{
    float x = logits[i];

    if (!(s->penalty > 1) || !s->recent || !is_recent(s, i))
        return x;
    return x > 0 ? x / s->penalty : x * s->penalty;
}

static int32_t best(const Sampler *s, const float *logits, int32_t n)
{
    float most = logit(s, logits, 0);
    int32_t at = 0, i;

    for (i = 1; i < n; i++) {
        float x = logit(s, logits, i);

        if (x > most) {
            most = x;
            at = i;
        }
    }
    return at;
}

static void probabilities(const Sampler *s, const float *logits, int32_t n)
{
    Choice *c = s->scratch;
    float most, sum = 0;
    int32_t i;

    for (i = 0; i < n; i++)
        c[i] = (Choice){logit(s, logits, i) / s->temperature, i};
    most = c[0].p;
    for (i = 1; i < n; i++)
        if (c[i].p > most)
            most = c[i].p;
    for (i = 0; i < n; i++) {
        c[i].p = expf(c[i].p - most);
        sum += c[i].p;
    }
    for (i = 0; i < n; i++)
        c[i].p /= sum;
}

/* Likelier, or of equals the earlier. */
static int before(Choice a, Choice b)
{
    return a.p > b.p || (a.p == b.p && a.token < b.token);
}

static void sift(Choice *c, int32_t at, int32_t n)
{
    Choice x = c[at];
    int32_t i;

    for (; (i = 2 * at + 1) < n; at = i) {
        i += i + 1 < n && before(c[i + 1], c[i]);
        if (!before(c[i], x))
            break;
        c[at] = c[i];
    }
    c[at] = x;
}

static int32_t above(Choice *c, int32_t n, float least)
{
    int32_t i, kept = 0;

    for (i = 0; i < n; i++)
        if (c[i].p >= least)
            c[kept++] = c[i];
    return kept;
}

/* Takes the likeliest off the heap c[0..n) one by one, to its end, backwards,
 * until there are k or they sum to more than p: how many. */
static int32_t likeliest(Choice *c, int32_t n, int32_t k, float p, float *sum)
{
    int32_t i, taken = 0;

    for (i = n / 2; i--;)
        sift(c, i, n);
    *sum = 0;
    while (taken < n && taken < k && !(*sum > p)) {
        Choice top = c[0];

        taken++;
        c[0] = c[n - taken];
        c[n - taken] = top;
        sift(c, 0, n - taken);
        *sum += top.p;
    }
    return taken;
}

static int32_t in_order(const Choice *c, int32_t n, float coin)
{
    float sum = 0;
    int32_t i;

    for (i = 0; i < n; i++) {
        sum += c[i].p;
        if (coin < sum)
            return c[i].token;
    }
    return c[n - 1].token;
}

static int32_t of_likeliest(const Sampler *s, int32_t vocab, float coin)
{
    int by_p = s->top_p > 0 && s->top_p < 1;
    int32_t k = s->top_k > 0 ? s->top_k : vocab, n = vocab, taken, i;
    float sum, at = 0;

    if (by_p && vocab > 1)
        n = above(s->scratch, vocab, (1.0f - s->top_p) / (float)(vocab - 1));
    taken = likeliest(s->scratch, n, k, by_p ? s->top_p : 2, &sum);
    coin *= sum;
    for (i = 1; i <= taken; i++) {
        at += s->scratch[n - i].p;
        if (coin < at)
            break;
    }
    return s->scratch[n - (i > taken ? taken : i)].token;
}

int32_t tilewright_lm_sample(struct tilewright_sampler *s, const float *logits,
                             int32_t vocab)
{
    int32_t token;
    float coin;

    if (!(s->temperature > 0) || !s->scratch) {
        token = best(s, logits, vocab);
    } else {
        coin = draw(&s->seed);
        probabilities(s, logits, vocab);
        token = (s->top_p > 0 && s->top_p < 1) || s->top_k > 0
            ? of_likeliest(s, vocab, coin)
            : in_order(s->scratch, vocab, coin);
    }
    if (s->recent && s->nrecent)
        s->recent[s->at++ % s->nrecent] = token;
    return token;
}
