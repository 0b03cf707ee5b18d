/* The words of a language model: token i stands for word[i]. */
#ifndef VOCAB_H
#define VOCAB_H

#include "base/base.h"

typedef struct Word {
    const char *bytes; /* `len` of them, any */
    int32_t len;
    float score;       /* of neighbours the pair with the highest is joined */
} Word;

typedef struct Vocab {
    int n;
    Word *word;
    int bos, eos;  /* tokens of beginning and end */
    int byte;      /* the token of byte 0, 255 follow; -1: there are none */
} Vocab;

enum { VOCAB_MOST = 65535 }; /* words that 16 bits can number */

#endif
