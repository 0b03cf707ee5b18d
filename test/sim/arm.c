/* Any kernel on a Cortex-M, against kern/ref there: the operators of `cases` on
 * random operands, which begin at any element; in place too, where they may.
 * With ONCE the first runs between marks, for instructions to be counted. */
#include "mark.h"
#include "test/sim/cases.h"

enum { GUARD = 16 };

/* Scratch memory is no more than the head says. */
static uint32_t measure(const Case *k, const struct io *io, int cores)
{
    struct io own = *io;
    uint8_t *tmp = arena + ((used + 15) & ~15);
    const int32_t scratch = *k->scratch;
    uint32_t bad = 0;

    if (used + 16 + scratch + GUARD > BYTES || cores != 1)
        rt_print("too large\n");
    own.tmp = tmp;
    memset(tmp + scratch, 0x5a, GUARD);
    fast(k->dims, &own);
    for (int i = 0; i < GUARD; i++)
        bad |= tmp[scratch + i] != 0x5a;
    if (bad)
        stray();
    return bad;
}

static inline int count_case(const Case *k)
{
    struct io io = operands(k, 0), right = io;

    right.out[0] = want;
    io.tmp = arena + ((used + 15) & ~15);
    plain(k->dims, &right);
    MARK_BEGIN();
    fast(k->dims, &io);
    MARK_END();
    return differs(k, io.out[0]);
}

int main(void)
{
    int bad = 0, i;

#ifdef ONCE
    i = 1;
    bad = count_case(cases);
#else
    for (i = 0; i < ncase; i++)
        if (try_case(cases + i, 1)) {
            rt_print_hex("wrong: case ", (uint32_t)i);
            rt_print("\n");
            bad++;
        }
#endif
    rt_print_hex("runs ", (uint32_t)i);
    rt_print_hex(" bad ", (uint32_t)bad);
    rt_print("\n");
    return bad != 0;
}
