/* What the files of quantize share. */
#ifndef QUANTIZED_H
#define QUANTIZED_H

#include "cli/cli.h"

/* Weights of q and k of attention. */
typedef enum Form {
    FORM_apart, FORM_fewer, /* one matrix where that is fewer products */
    FORM_merged             /* wherever that can be */
} Form;

typedef struct Quantize {
    Opts o;
    Graph *g, *q;
    Samples s, test;
    PtqReport r;
    LmReport lm; /* of a language model */
    Form form;
    bool compared;       /* by plans for -t: */
    Tried apart, merged;
} Quantize;

/* merge.c: the network, simplified, in one of its forms.  Of integers, what is
 * quantized is what became floats, and p says what it was. */
Graph *form_read(const Quantize *z, Form form, PtqOpts *p);
/* As --merge says: by products, or by plans for -t. */
Form form_choose(Quantize *z);

void quantized_text(const Quantize *z, Str *out);
void quantized_json(const Quantize *z, int status, Json *j);
void quantized_html(const Quantize *z, Str *out);

#endif
