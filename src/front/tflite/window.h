/* Windows of convolutions and pools: window.c. */
#ifndef LITE_WINDOW_H
#define LITE_WINDOW_H

#include "front/tflite/import.h"

enum { SAME, VALID }; /* padding */

typedef struct Window {
    int64_t kernel[2], stride[2], dilation[2], before[2], after[2];
} Window;

/* Padding of a window over an image of that size; errors for what a model must
 * not say. */
void window_pad(const Call *c, Window *w, int64_t padding, const int64_t *size);
void window_same(Window *w, const int64_t *size);
void window_check(const Call *c, const int64_t *v, const char *what);
void window_set(Call *c, Node *n, const Window *w); /* as n's attributes */

#endif
