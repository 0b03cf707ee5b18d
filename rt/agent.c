/* A resident program: it does the tasks that the host of a session gives it,
 * one after the other, each timed, and asks for more. */
#include "session.h"

#ifndef RT_ROOM
#define RT_ROOM 128 /* tasks at a time */
#endif

typedef uint32_t function(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                          uint32_t);

struct rt_task rt_tasks[RT_ROOM];

static void run(struct rt_task *t)
{
    function *f = (function *)(uintptr_t)t->function;
    const uint32_t *a = t->argument;
    struct rt_time begin = rt_time(), end;

    t->result = f(a[0], a[1], a[2], a[3], a[4], a[5]);
    end = rt_time();
    t->time.ticks = end.ticks - begin.ticks;
    t->time.instructions = end.instructions - begin.instructions;
}

/* What costs nothing: its time is that of a call. */
uint32_t rt_nothing(void)
{
    return 0;
}

void *rt_copy(char *to, const char *from, uint32_t n)
{
    char *p = to;

    while (n--)
        *p++ = *from++;
    return to;
}

void *rt_fill(char *to, uint32_t byte, uint32_t n)
{
    char *p = to;

    while (n--)
        *p++ = (char)byte;
    return to;
}

/* Named, lest the linker leave them out. */
void *const rt_kept[] = {(void *)rt_nothing, (void *)rt_copy, (void *)rt_fill};

int main(void)
{
    uint32_t i, n;

    for (;;) {
        n = rt_host(RT_TASKS, (uintptr_t)rt_tasks, RT_ROOM,
                    (uintptr_t)rt_kept);
        for (i = 0; i < n && i < RT_ROOM; i++)
            run(&rt_tasks[i]);
    }
}
