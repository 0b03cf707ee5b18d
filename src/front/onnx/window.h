/* Inside front: windows, of what slides them over one to three axes. */
#ifndef FRONT_ONNX_WINDOW_H
#define FRONT_ONNX_WINDOW_H

#include "front/onnx/import.h"

enum { SPATIAL = RANK - 2 };

/* A window over the axes behind batch and channel. */
typedef struct Window {
    int n;
    int64_t kernel[SPATIAL], stride[SPATIAL], dilation[SPATIAL];
    int64_t pad[2 * SPATIAL]; /* before each axis, then after each */
} Window;

/* window.c: nodes with a window over one or two axes */
void list_or(const Call *c, const char *name, int n, int64_t none,
             int64_t *list); /* none where the attribute is absent */
Val *conv_flat(Call *c, Val *x, Val *w, Val *b, const Window *win,
               int64_t group);
Val *convt_flat(Call *c, Val *x, Val *w, Val *b, const Window *win,
                const int64_t *outpad, int64_t group);
Val *pool_flat(Call *c, OpCode op, Val *x, const Window *w);
/* Weights of a transposed convolution that put each of a channel's `window`
 * inputs on its own place in the window. */
Val *units(Call *c, const Val *like, int64_t channels, const Window *w);

/* op_volume.c: over one to three axes */
Val *conv_of(Call *c, Val *x, Val *w, Val *b, const Window *win,
             int64_t group);
Val *convt_of(Call *c, Val *x, Val *w, Val *b, const Window *win,
              const int64_t *outpad, int64_t group);
Val *pool_of(Call *c, OpCode op, Val *x, const Window *w);

/* op_unpool.c: where in x the greatest of each window stands */
Val *pool_places(Call *c, Val *x, const Window *w);

#endif
