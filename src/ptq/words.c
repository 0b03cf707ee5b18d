/* Text in words of a model, by byte-pair encoding as rt/lm/text.c has it: that
 * joins on a chip, without memory; this one remembers what each pair makes. */
#include "ptq/calib.h"

#include <stdlib.h>
#include <string.h>

static const Vocab *sorting; /* qsort tells its function nothing */

static int by_bytes(const Word *a, const char *p, int32_t n)
{
    int c = memcmp(a->bytes, p, (size_t)MIN(a->len, n));

    return c ? c : a->len - n;
}

static int by_words(const void *a, const void *b)
{
    const int32_t i = *(const int32_t *)a, k = *(const int32_t *)b;
    int c = by_bytes(&sorting->word[i], sorting->word[k].bytes,
                     sorting->word[k].len);

    return c ? c : (i > k) - (i < k);
}

Words *words_new(Arena *mem, const Vocab *v)
{
    Words *w = NEW(mem, Words);
    int i;

    *w = (Words){v, NEWN(mem, int32_t, (size_t)v->n)};
    for (i = 0; i < v->n; i++)
        w->sorted[i] = i;
    sorting = v;
    qsort(w->sorted, (size_t)v->n, sizeof *w->sorted, by_words);
    return w;
}

/* The first word of these bytes; -1: there is none. */
static int32_t find(const Words *w, const char *p, int32_t n)
{
    int32_t lo = 0, hi = w->v->n;

    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;

        if (by_bytes(&w->v->word[w->sorted[mid]], p, n) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < w->v->n && !by_bytes(&w->v->word[w->sorted[lo]], p, n)
           ? w->sorted[lo] : -1;
}

static int32_t joint(const Words *w, int32_t a, int32_t b)
{
    char s[1 << 13];
    const Word *x = &w->v->word[a], *y = &w->v->word[b];

    if (x->len + y->len > (int)sizeof s)
        return -1;
    memcpy(s, x->bytes, (size_t)x->len);
    memcpy(s + x->len, y->bytes, (size_t)y->len);
    return find(w, s, x->len + y->len);
}

static int32_t character(const char *s, int64_t n)
{
    int32_t i = 1;

    while (i < n && i < 4 && ((unsigned char)s[i] & 0xc0) == 0x80)
        i++;
    return i;
}

static int64_t characters(const Words *w, const char *s, int64_t n,
                          int32_t *t)
{
    int32_t len, i, word;
    int64_t k = 0;

    for (; n > 0; s += len, n -= len) {
        len = character(s, n);
        word = find(w, s, len);
        if (word >= 0)
            t[k++] = word;
        for (i = 0; word < 0 && i < len; i++)
            t[k++] = w->v->byte < 0 ? 0 : w->v->byte + (unsigned char)s[i];
    }
    return k;
}

/* pair[i]: what t[i] and t[i + 1] make. */
static int64_t join(const Words *w, int32_t *t, int32_t *pair, int64_t n)
{
    int64_t i, at;

    for (i = 0; i + 1 < n; i++)
        pair[i] = joint(w, t[i], t[i + 1]);
    for (;;) {
        for (at = -1, i = 0; i + 1 < n; i++)
            if (pair[i] >= 0 && (at < 0 || w->v->word[pair[i]].score >
                                 w->v->word[pair[at]].score))
                at = i;
        if (at < 0)
            return n;
        t[at] = pair[at];
        n--;
        memmove(t + at + 1, t + at + 2, (size_t)(n - at - 1) * sizeof *t);
        memmove(pair + at, pair + at + 1, (size_t)(n - at) * sizeof *pair);
        if (at + 1 < n)
            pair[at] = joint(w, t[at], t[at + 1]);
        if (at)
            pair[at - 1] = joint(w, t[at - 1], t[at]);
    }
}

int64_t words_encode(const Words *w, const char *s, int64_t n, int32_t *t)
{
    Arena *a = arena_new();
    int32_t space = find(w, " ", 1);
    int64_t k = 0;

    t[k++] = w->v->bos;
    if (n > 0 && space >= 0)
        t[k++] = space;
    k += characters(w, s, n, t + k);
    k = join(w, t, NEWN(a, int32_t, (size_t)k + 2), k);
    arena_end(a);
    return k;
}
