/* Text to tokens and back, as llama2.c's byte-pair encoding: a word for each
 * character, or the tokens of its bytes; then again and again the two
 * neighbours whose joint is the word of greatest rank become that word. */
#include "lm.h"

#include <string.h>

typedef struct tilewright_words Words;

static const char *bytes_of(const Words *w, int32_t i)
{
    const char *bytes = w->bytes + w->start[i];
    int32_t k;

    for (k = 0; k < w->ncarry && i >= w->carry[k]; k++)
        bytes += 65536;
    return bytes;
}

/* No word has 65536 bytes. */
static int32_t length(const Words *w, int32_t i)
{
    return (uint16_t)(w->start[i + 1] - w->start[i]);
}

/* Order of a word and of the bytes a, then b. */
static int order(const Words *w, int32_t word, const char *a, int32_t na,
                 const char *b, int32_t nb)
{
    const char *s = bytes_of(w, word);
    int32_t n = length(w, word), first = n < na ? n : na;
    int c = memcmp(s, a, (size_t)first);

    if (c || n <= na)
        return c ? c : n - (na + nb);
    n -= na;
    c = nb ? memcmp(s + na, b, (size_t)(n < nb ? n : nb)) : 0;
    return c ? c : n - nb;
}

/* The word whose bytes are a, then b; -1: there is none. */
static int32_t find(const Words *w, const char *a, int32_t na, const char *b,
                    int32_t nb)
{
    int32_t lo = 0, hi = w->n;

    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        int c = order(w, w->sorted[mid], a, na, b, nb);

        if (!c)
            return w->sorted[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

static int32_t joint(const Words *w, int32_t a, int32_t b)
{
    return find(w, bytes_of(w, a), length(w, a),
                bytes_of(w, b), length(w, b));
}

/* How long the character at s is: its first byte and what continues it, at most
 * four bytes. */
static int32_t character(const char *s, int32_t n)
{
    int32_t i = 1;

    while (i < n && i < 4 && ((unsigned char)s[i] & 0xc0) == 0x80)
        i++;
    return i;
}

/* Where tokens go. */
typedef struct Tokens {
    int32_t *p, n, most;
} Tokens;

static void put(Tokens *t, int32_t token)
{
    if (t->n < t->most)
        t->p[t->n] = token;
    t->n++;
}

static void put_characters(const Words *w, const char *s, int32_t n, Tokens *t)
{
    int32_t len, i, word;

    for (; n > 0; s += len, n -= len) {
        len = character(s, n);
        word = find(w, s, len, NULL, 0);
        if (word >= 0)
            put(t, word);
        for (i = 0; word < 0 && i < len; i++)
            put(t, w->byte < 0 ? 0 : w->byte + (unsigned char)s[i]);
    }
}

/* Joins the best pair, the first of equals; false: there is none. */
static int merge(const Words *w, Tokens *t)
{
    int32_t best = -1, at = 0, i;

    for (i = 0; i + 1 < t->n; i++) {
        int32_t word = joint(w, t->p[i], t->p[i + 1]);

        if (word >= 0 && (best < 0 || w->rank[word] > w->rank[best])) {
            best = word;
            at = i;
        }
    }
    if (best < 0)
        return 0;
    t->p[at] = best;
    t->n--;
    memmove(t->p + at + 1, t->p + at + 2,
            (size_t)(t->n - at - 1) * sizeof *t->p);
    return 1;
}

int32_t tilewright_lm_encode(const struct tilewright_words *w,
                             const char *text, int32_t bytes, int begin,
                             int32_t *token, int32_t most)
{
    Tokens t = {token, 0, most};
    int32_t space = find(w, " ", 1, NULL, 0);

    if (begin)
        put(&t, w->bos);
    if (bytes > 0 && space >= 0)
        put(&t, space);
    put_characters(w, text, bytes, &t);
    if (t.n > most)
        return -1;
    while (merge(w, &t))
        ;
    return t.n;
}

int32_t tilewright_lm_decode(const struct tilewright_words *w, int32_t before,
                             int32_t token, char raw[1], const char **bytes)
{
    int32_t n;

    *bytes = raw;
    if (token < 0 || token >= w->n)
        return 0;
    if (w->byte >= 0 && token >= w->byte && token < w->byte + 256) {
        raw[0] = (char)(token - w->byte);
        return 1;
    }
    *bytes = bytes_of(w, token);
    n = length(w, token);
    if (before == w->bos && n && **bytes == ' ') {
        ++*bytes;
        n--;
    }
    return n;
}

/* Bytes of a character that begins with b; 1: none that is longer does. */
static int32_t wanted(unsigned char b)
{
    return b >= 0xf0 && b < 0xf5 ? 4 : b >= 0xe0 && b < 0xf0 ? 3
        : b >= 0xc2 && b < 0xe0 ? 2 : 1;
}

int32_t tilewright_lm_whole(struct tilewright_lm_utf8 *u, char byte,
                            char out[4])
{
    int32_t n;

    if (u->n && ((unsigned char)byte & 0xc0) != 0x80) {
        n = u->n; /* it never became whole */
        memcpy(out, u->held, (size_t)n);
        u->held[0] = byte;
        u->n = 1;
        if (wanted((unsigned char)byte) == 1) {
            out[n++] = byte;
            u->n = 0;
        }
        return n;
    }
    u->held[u->n++] = byte;
    if (u->n < wanted((unsigned char)u->held[0]))
        return 0;
    n = u->n;
    memcpy(out, u->held, (size_t)n);
    u->n = 0;
    return n;
}
