/* What both fuzzers need: errors end an input, and all memory of it goes.
 *
 * The linker turns arena_new and arena_end into the functions here, which keep
 * a list; what err() leaves behind is dropped after each input. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/base.h"

#include <setjmp.h>
#include <stdlib.h>

Arena *__real_arena_new(void);
void __real_arena_end(Arena *a);
Arena *__wrap_arena_new(void);
void __wrap_arena_end(Arena *a);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static Arena *live[4096];
static int nlive;
static bool tracking;
static jmp_buf over;

Arena *__wrap_arena_new(void)
{
    Arena *a = __real_arena_new();

    if (tracking && nlive < (int)LEN(live))
        live[nlive++] = a;
    return a;
}

void __wrap_arena_end(Arena *a)
{
    int i;

    for (i = 0; i < nlive && live[i] != a; i++)
        ;
    if (i < nlive)
        live[i] = live[--nlive];
    __real_arena_end(a);
}

static void give_up(const Trouble *t)
{
    if (t->status != ERR_MODEL && t->status != ERR_USAGE)
        abort();
    longjmp(over, 1);
}

/* Runs one input; an error of the user's is a fine end. */
static void fuzz(void (*read)(Arena *a, const uint8_t *p, size_t n),
                 const uint8_t *p, size_t n)
{
    quiet = true;
    tracking = true;
    err_hook = give_up;
    if (!setjmp(over))
        read(arena_new(), p, n);
    tracking = false;
    while (nlive)
        __real_arena_end(live[--nlive]);
}

#endif
