/* Rows of weights of rowmatmul: k bytes, then mul and add, 32 bits each, the
 * lowest byte first. */
#ifndef SCALES_H
#define SCALES_H

#include <stdint.h>

enum { ROW_SCALES = 8 };

/* Of four bytes, signed or not. */
static inline int32_t row_scale(int32_t a, int32_t b, int32_t c, int32_t d)
{
    return (int32_t)((uint32_t)(a & 255) | (uint32_t)(b & 255) << 8 |
                     (uint32_t)(c & 255) << 16 | (uint32_t)(d & 255) << 24);
}

#endif
