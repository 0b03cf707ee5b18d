/* What a transfer of a team's program is. */
#ifndef MOVE_H
#define MOVE_H

#include <stdint.h>

/* Bytes of a page; words are as wide as a pointer. */
enum { RT_PAGE = 1024 / 4 * sizeof(void *) };

/* Rows of `row` bytes, `stride` apart on the far side, without gaps on the
 * near one; row 0: all bytes in one. */
struct rt_move {
    uintptr_t near, far;
    uint32_t bytes, row, stride;
    int in; /* towards the cores */
};

#endif
