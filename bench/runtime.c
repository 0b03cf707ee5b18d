/* What the program of a team takes (rt/program.h), on a simulated PULP chip:
 * small programs of records are run, and what one more record of a kind adds is
 * printed as `NAME CYCLES`, by the names of the chip's line `timing program`.
 * Kernels do nothing, or work for a while where core 0 shall have time to spare.
 * Every program runs twice; the second time its code is in the cache. */
#include "kern/kern.h"
#include "rt.h"
#include "mark.h"
#include "team.h"

#define RT_JOB_SLOT 10
enum { RT_CORES = 8, RT_VALUES = 0, RT_FAR = 1, RT_IO_SLOT = 8, RT_SLOTS = 12,
       RT_LARGEST = 131071 };
#include "program.h"

enum { TURNS = 6, BUSY = 1500, LONG = 8192, BYTES = 64 };

static unsigned char near[LONG] __attribute__((section(".bss.buf.L1")));
static unsigned char far[LONG];
static volatile uint32_t first, last; /* core 0 begins, ends a kernel */

static void stamp(const void *k, const struct io *io)
{
    (void)k;
    if (io->core)
        return;
    if (!first)
        first = pulp_cycles();
    last = pulp_cycles();
}

static void busy(const void *k, const struct io *io)
{
    int i;

    (void)k;
    (void)io;
    for (i = 0; i < BUSY; i++)
        __asm__ volatile("" : "+r"(i));
}

static void nothing(const void *k, const struct io *io)
{
    (void)k;
    (void)io;
}

#define OPERANDS AT(0, 1) | AT(1, 1) | AT(2, 1) | AT(3, 1)
#undef KERNEL
#undef JOB
#define KERNEL(flags, kernel) \
    CALL(9, flags, 8, 3, 1, kernel, 0, 0, OPERANDS), 0, 0, 0, 0,
#define IDLE KERNEL(0, nothing)
#define WORK KERNEL(0, busy)
#define OPEN KERNEL(RT_DEFERRED, busy)
#define JOB START(9, 0, 10, 3, 1, nothing, 0, 0, OPERANDS), 0, 0, 0, 0,
#define LOAD(bytes) MOVE(4, RT_IN, 0, 1, 2, bytes), 0, 0,
#define ASK MOVE(4, RT_IN | RT_IO, 8, 2, 0, BYTES), 0, 0,
#define REPEAT LOOP(TURNS),
#define AGAIN NEXT,

#define PAGE(name, ...) \
    static const rt_word name[] = {__VA_ARGS__ END}; \
    static const struct rt_page name##_page[] = {{name, sizeof name}}

PAGE(one, KERNEL(0, stamp));
PAGE(calls, REPEAT IDLE AGAIN);
PAGE(calls_2, REPEAT IDLE IDLE AGAIN);
PAGE(barrier, REPEAT IDLE BARRIER, AGAIN);
PAGE(jobs, REPEAT IDLE JOB WAIT(10), AGAIN);
PAGE(moves, REPEAT IDLE LOAD(BYTES) AGAIN);
PAGE(moves_2, REPEAT IDLE LOAD(BYTES) LOAD(BYTES) AGAIN);
PAGE(moves_calls, REPEAT IDLE LOAD(BYTES) IDLE IDLE AGAIN);
PAGE(moves_wait, REPEAT IDLE LOAD(BYTES) IDLE WAIT(0), IDLE AGAIN);
PAGE(works, REPEAT WORK AGAIN);
PAGE(asks, REPEAT WORK ASK AGAIN);
PAGE(hidden, REPEAT OPEN LOAD(BYTES) SHARE, AGAIN);
PAGE(longs, REPEAT IDLE LOAD(LONG) WAIT(0), AGAIN);
PAGE(longs_met, REPEAT IDLE LOAD(LONG) WAIT(0), BARRIER, AGAIN);
PAGE(straight, WORK WORK WORK WORK);
static const rt_word work[] = {WORK END};
static const struct rt_page turned[] = {
    {work, sizeof work}, {work, sizeof work}, {work, sizeof work},
    {work, sizeof work},
};

static uint32_t began, ended;

/* Cycles of the second of two runs.  Not all programs wait for what they
 * begin. */
static uint32_t run(const struct rt_page *page, int pages)
{
    const struct rt_spot from = {0, 0}, to = {(int16_t)pages, 0};
    const uintptr_t base[4] = {0, (uintptr_t)near, (uintptr_t)far, 0};
    int i;

    for (i = 0; i < 2; i++) {
        first = 0;
        began = pulp_cycles();
        rt_program(page, from, to, 1, base, NULL);
        ended = pulp_cycles();
    }
    return ended - began;
}

#define RUN(name) run(name##_page, 1)

static void say(const char *name, int32_t cycles)
{
    char text[16], *s = text + sizeof text;

    *--s = 0;
    *--s = '\n';
    for (cycles = cycles < 0 ? 0 : cycles; cycles > 9; cycles /= 10)
        *--s = (char)('0' + cycles % 10);
    *--s = (char)('0' + cycles);
    rt_print(name);
    rt_print(" ");
    rt_print(s);
}

static int32_t per_turn(uint32_t with, uint32_t without)
{
    return ((int32_t)(with - without) + TURNS / 2) / TURNS;
}

int main(void)
{
    uint32_t idle = RUN(calls), long_work = RUN(works), met;
    int32_t wait = per_turn(RUN(moves_wait), RUN(moves_calls));

    say("call", per_turn(RUN(calls_2), idle));
    met = RUN(barrier);
    say("ready", per_turn(RUN(longs_met), RUN(longs)) - per_turn(met, idle));
    say("move", per_turn(RUN(hidden), long_work));
    say("start", per_turn(RUN(moves), idle));
    say("more", per_turn(RUN(moves_2), RUN(moves)));
    say("wait", wait);
    say("job", per_turn(RUN(jobs), idle) - wait);
    say("meet", per_turn(met, idle));
    say("ask", per_turn(RUN(asks), long_work));
    say("turn", (int32_t)(run(turned, 4) - RUN(straight)) / 3);
    RUN(one);
    say("begin", (int32_t)(first - began) - per_turn(RUN(calls_2), idle));
    RUN(one);
    say("end", (int32_t)(ended - last));
    return 0;
}
