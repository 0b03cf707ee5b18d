/* What the files of quantize share. */
#ifndef QUANTIZED_H
#define QUANTIZED_H

#include "cli/cli.h"

typedef struct Quantize {
    Opts o;
    Graph *g, *q;
    Samples s, test;
    PtqReport r;
    LmReport lm; /* of a language model */
} Quantize;

void quantized_text(const Quantize *z, Str *out);
void quantized_json(const Quantize *z, int status, Json *j);
void quantized_html(const Quantize *z, Str *out);

#endif
