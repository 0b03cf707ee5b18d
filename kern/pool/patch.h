/* The taps of a window that lie inside x, and their distances. */
#ifndef POOL_PATCH_H
#define POOL_PATCH_H

#include "kern/conv/window.h"

struct patch {
    int32_t rows, cols;
    ptrdiff_t row, col;
};

#endif
