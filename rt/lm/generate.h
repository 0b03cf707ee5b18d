/* What the program of `tilewright generate` is told of a language model. */
#ifndef GENERATE_H
#define GENERATE_H

#include "lm.h"

struct tilewright_talk {
    const struct tilewright_lm_model *model;
    void *net;
    int (*init)(void); /* 0: done */
    int32_t *tokens;   /* the context, and at least prompt_bytes + 2 */
    char *prompt;
    int32_t prompt_bytes; /* most of them */
    struct tilewright_lm_choice *scratch; /* one for each word */
    const char *in_file, *out_file;
};
extern const struct tilewright_talk tilewright_talk;

/* The file of the request: this, as the compiler writes it, then the prompt. */
struct tilewright_request {
    int32_t prompt_bytes, tokens; /* tokens: new ones, at most */
    int32_t top_k, until_end;     /* until_end: stops at words of begin, end */
    int32_t silent;               /* another chip prints the text */
    float temperature, top_p, penalty;
    uint32_t seed[2];             /* lower half first */
};

#endif
