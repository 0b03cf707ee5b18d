/* What a transfer of a team's program is. */
#ifndef MOVE_H
#define MOVE_H

#include <stdint.h>

/* Bytes of a page.  Elsewhere than on a chip words are as wide as a pointer, and
 * jobs are told by all of their dims, which are up to four times as long as
 * their registers. */
#if defined __riscv_xlen && __riscv_xlen == 32
enum { RT_PAGE = 1024 };
#else
enum { RT_PAGE = 1024 * sizeof(void *) };
#endif

/* Rows of `row` bytes, `stride` apart on the far side, without gaps on the
 * near one; row 0: all bytes in one.  The command has the bytes and whether
 * they go towards the cores, in the form that the team's RT_COMMAND gives. */
struct rt_move {
    uintptr_t near, far;
    uint32_t command, row, stride;
};

/* As kernels read external memory (kern/copy/far.h): n bytes, and waits. */
void rt_far_read(const void *far, void *near, int32_t n);

/* Where no engine wants another form. */
#define RT_PLAIN_COMMAND(bytes, in) ((uint32_t)(bytes) | (in ? 1u << 31 : 0))

static inline int rt_move_in(const struct rt_move *m)
{
    return m->command >> 31;
}

static inline uint32_t rt_move_bytes(const struct rt_move *m)
{
    return m->command << 1 >> 1;
}

#endif
