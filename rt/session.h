/* Between a program and the host that debugs it (src/dev): what the program
 * wants stands in the mailbox when it stops at rt_stop; the host does it,
 * writes the result and lets it go on at rt_go. */
#ifndef SESSION_H
#define SESSION_H

#include <stdint.h>

enum rt_want {
    RT_OPEN = 1,  /* path, its length, to be written? -> file, or -1 */
    RT_CLOSE,     /* file */
    RT_PRINT,     /* text, its length */
    RT_WRITE,     /* file, from, bytes -> bytes */
    RT_READ,      /* file, to, bytes -> bytes */
    RT_EXIT,      /* status; does not go on */
    RT_TIMES,     /* a struct rt_time for each mark, how many */
    RT_TASKS,     /* room for tasks, how many: all are done; -> new ones */
    RT_ADDRESSES, /* of values: a table, how many */
    RT_LAYER      /* number from 1; 0: before it, 1: behind it */
};

struct rt_time { /* modulo 2^32; of an Arm, instead of instructions, how often
                    the SysTick went round, if ticks are of it: unknown then */
    uint32_t ticks, instructions;
};

/* RT_SPINS runs of a loop of known length, the k-th of RT_TURNS * (k + 1)
 * turns of two instructions; and two marks, one right after the other. */
enum { RT_SPINS = 3, RT_TURNS = 4000 };

struct rt_mailbox {
    uint32_t want, a, b, c, result;
    struct rt_time spin[RT_SPINS], mark;
};

struct rt_task { /* result and time are written when it is done */
    uint32_t function, argument[6];
    uint32_t result;
    struct rt_time time;
};

extern volatile struct rt_mailbox rt_mailbox;
void rt_stop(void);
uint32_t rt_host(enum rt_want want, uintptr_t a, uintptr_t b, uintptr_t c);
struct rt_time rt_time(void);
void rt_mark(int which); /* 0: begin, 1: a layer is over, 2: the end */

#endif
