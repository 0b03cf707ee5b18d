/* tokenizer.bin of llama2.c: the longest word's length, then for each word a
 * float score, its length and bytes.  How many there are, the model says.
 * Words 3 to 258 stand for single bytes, written as <0x00> to <0xFF>. */
#include "front/front.h"

#include <string.h>

enum { BOS = 1, EOS = 2, BYTE = 3, LONGEST = 1 << 12 };

typedef struct Cursor {
    const char *p;
    size_t n, at;
} Cursor;

static bool take_word(Cursor *c, Word *w)
{
    if (c->n - c->at < 8)
        return false;
    memcpy(&w->score, c->p + c->at, 4);
    memcpy(&w->len, c->p + c->at + 4, 4);
    c->at += 8;
    if (w->len < 0 || w->len > LONGEST || (size_t)w->len > c->n - c->at)
        return false;
    w->bytes = c->p + c->at;
    c->at += (size_t)w->len;
    return w->score == w->score; /* no NaN: pairs are compared by it */
}

static bool has_bytes(const Vocab *v)
{
    int i;

    for (i = 0; i < 256 && BYTE + i < v->n; i++) {
        char name[8];

        snprintf(name, sizeof name, "<0x%02X>", (unsigned)i);
        if (v->word[BYTE + i].len != 6 ||
            memcmp(v->word[BYTE + i].bytes, name, 6))
            return false;
    }
    return i == 256;
}

Vocab *front_vocab(Arena *mem, const char *path, int64_t n)
{
    Vocab *v = NEW(mem, Vocab);
    Cursor c = {.at = 4};
    int i;

    err_file(path);
    if (n < 3 || n > VOCAB_MOST)
        err(ERR_MODEL, "a vocabulary of %lld words; wanted 3 to %d",
            (long long)n, VOCAB_MOST);
    c.p = file_read(mem, path, &c.n);
    *v = (Vocab){.n = (int)n, .word = NEWN(mem, Word, n), .bos = BOS,
                 .eos = EOS};
    for (i = 0; i < v->n; i++)
        if (c.n < 4 || !take_word(&c, &v->word[i]))
            err(ERR_MODEL, "word %d of %d is cut short or damaged: the "
                "tokenizer does not belong to this model", i, v->n);
    if (c.at != c.n)
        err(ERR_MODEL, "%zu bytes behind the last of %d words: the tokenizer "
            "does not belong to this model", c.n - c.at, v->n);
    v->byte = has_bytes(v) ? BYTE : -1;
    return v;
}
