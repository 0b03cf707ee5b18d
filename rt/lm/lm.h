/* A language model in firmware: prompt in, tokens out.
 *
 *     struct tilewright_lm lm;
 *     tilewright_lm_init(&lm, &NAME_lm, &net);
 *     n = tilewright_lm_encode(lm.model->words, "Once upon a time", 16, 1,
 *                              tokens, 64);
 *     logits = tilewright_lm_prefill(&lm, tokens, n);
 *     while (logits) {
 *         token = tilewright_lm_sample(&sampler, logits, lm.model->vocab);
 *         ... tilewright_lm_decode(...) ...
 *         logits = tilewright_lm_step(&lm, token);
 *     }
 *
 * Nothing here allocates; every struct is the caller's.  Several contexts may
 * share a model; each has a network of its own, and its caches with it. */
#ifndef TILEWRIGHT_LM_H
#define TILEWRIGHT_LM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The vocabulary, in flash, made for searching. */
struct tilewright_words {
    int32_t n;
    const uint16_t *start;  /* n + 1 offsets into bytes, their low halves */
    const uint16_t *carry;  /* words from which on offsets are 65536 more */
    int32_t ncarry;
    const char *bytes;
    const uint16_t *sorted; /* words by their bytes; shorter before longer */
    const uint16_t *rank;   /* a pair with a greater one is merged first */
    int32_t bos, eos, byte; /* byte: the token of byte 0, 255 follow; -1 */
};

/* What the compiler says of a network. */
struct tilewright_lm_model {
    int32_t vocab, context;
    int32_t chunk; /* tokens that a run takes at most */
    const struct tilewright_words *words; /* NULL: compiled without */
    int32_t layers;
    /* What the next run takes: n tokens, the first at a position. */
    void (*set)(void *net, const int32_t *token, int32_t n,
                int32_t position);
    void (*run)(void *net);
    void (*layer)(void *net, int32_t i); /* 1 .. layers in order: a run */
    const float *(*logits)(void *net); /* of the last run */
    void (*reset)(void *net);
    int32_t state_bytes;    /* of save and load */
    void (*save)(const void *net, void *to);
    void (*load)(void *net, const void *from);
};

struct tilewright_lm {
    const struct tilewright_lm_model *model;
    void *net;
    int32_t position; /* tokens that the caches hold */
    int32_t taken;    /* of a run that goes by layers: its tokens, */
    int32_t layer;    /* and layers that are done; 0 tokens: there is none */
};

void tilewright_lm_init(struct tilewright_lm *lm,
                        const struct tilewright_lm_model *model, void *net);
/* Forgets everything. */
void tilewright_lm_reset(struct tilewright_lm *lm);
/* Takes n tokens, a chunk in each run of the network, with the same result
 * however they are parted (of floats: but for rounding): the logits behind the
 * last, which stay until the next call; NULL, and nothing is taken, if they are
 * more than the context has left, or none. */
const float *tilewright_lm_prefill(struct tilewright_lm *lm,
                                   const int32_t *token, int32_t n);
/* The same of one token. */
const float *tilewright_lm_step(struct tilewright_lm *lm, int32_t token);
/* The same of up to a chunk of tokens, a layer at a time, between which a
 * watchdog can be fed: begin, then work until it gives the logits.  begin gives
 * false, and nothing is taken, where prefill gives NULL, and above a chunk.
 * Whatever else is called in between gives the run up. */
int tilewright_lm_begin(struct tilewright_lm *lm, const int32_t *token,
                        int32_t n);
const float *tilewright_lm_work(struct tilewright_lm *lm); /* NULL: go on */
/* Where the context ends: keeps the first `keep` tokens and takes n others
 * behind them, most of the last ones say, which must leave room for more. The
 * logits, or NULL, as of rewind and prefill. */
const float *tilewright_lm_renew(struct tilewright_lm *lm, int32_t keep,
                                 const int32_t *token, int32_t n);
/* How many tokens still fit. */
int32_t tilewright_lm_left(const struct tilewright_lm *lm);
/* Back to where the caches held n tokens; false if they never did. */
int tilewright_lm_rewind(struct tilewright_lm *lm, int32_t n);
/* The caches with their position: 4 + state_bytes bytes. */
void tilewright_lm_save(const struct tilewright_lm *lm, void *to);
/* false: no position of this context. */
int tilewright_lm_load(struct tilewright_lm *lm, const void *from);

/* text.c: `bytes` of UTF-8, or of anything, as at most `most` tokens, with the
 * token of the beginning first if `begin`.  How many; -1: `most` are too few on
 * the way: bytes + 2 always do.  Work grows with the square of `bytes`. */
int32_t tilewright_lm_encode(const struct tilewright_words *w,
                             const char *text, int32_t bytes, int begin,
                             int32_t *token, int32_t most);
/* The bytes of a token that follows `before` (-1: none): in w->bytes, or in
 * raw[0] if it is one of the 256.  How many. */
int32_t tilewright_lm_decode(const struct tilewright_words *w, int32_t before,
                             int32_t token, char raw[1], const char **bytes);

/* UTF-8 that tokens cut in two: held back until it is whole. */
struct tilewright_lm_utf8 {
    char held[4];
    int32_t n;
};
/* Adds a byte; gives how many bytes in out are whole now: 0 to 4.  Bytes that
 * are no UTF-8 come out as they are. */
int32_t tilewright_lm_whole(struct tilewright_lm_utf8 *u, char byte,
                            char out[4]);

/* sample.c: how the next token is drawn, as llama2.c does: the same texts for
 * the same seeds.  All zeros: the best one. */
struct tilewright_lm_choice {
    float p;
    int32_t token;
};
struct tilewright_sampler {
    float temperature; /* 0: the best token, always */
    float top_p;       /* in (0,1): of the likeliest that make up so much */
    int32_t top_k;     /* above 0: of so many likeliest */
    float penalty;     /* above 1: of tokens in `recent`; 0 and 1: none */
    uint64_t seed;     /* state of the generator; not 0 */
    struct tilewright_lm_choice *scratch; /* one for each word; may be NULL if
                                             temperature is 0 */
    int32_t *recent;   /* ring of the last tokens, or NULL */
    int32_t nrecent, at; /* its length; tokens put there so far */
};
int32_t tilewright_lm_sample(struct tilewright_sampler *s, const float *logits,
                             int32_t vocab);

#ifdef __cplusplus
}
#endif
#endif
