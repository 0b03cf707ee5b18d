/* Exchanges between clusters over the links of their chips (doc/sim.md), each by
 * all cores of a team: any pair of chips is connected, shares go off at once in
 * an order in which each way in has one at a time, and who is late is waited
 * for.  The link numbers messages and checks their sums; the receiver opens a
 * room for an exchange before anything of it may come. */
#include "../../kern/kern.h"
#include "../pulp/pulp.h"
#include "../rt.h"
#include "here.h"
#include "link.h"

#include <string.h>

enum { ROOM = 0x24, OPEN = 0x28, LIMIT = 0x2c, SENDING = 0x18, WAIT_OF = 0x100,
       WINDOW = 0x200, WINDOW_SIZE = 0x20, WINDOWS = 16 };
enum { TO = 0x00, FROM = 0x04, AT = 0x08, TAG = 0x0c, BYTES = 0x10 };
enum { BROKEN = 1 << 8, MISSED = 1 << 9 };
#define LATE UINT32_MAX
#define FIRST_TAG 0x80000000u /* of agreements; those of exchanges are below */

#ifndef LINK_CYCLES
#define LINK_CYCLES 50000000 /* of a core, that a message may take */
#endif

#define REG(at) PULP_REG(PULP_LINK + (at))

void rt_ready(void);
void rt_team_gather(const struct exchange_dims *k, const struct io *io,
                    int bytes);
void rt_team_sum(const struct exchange_dims *k, const struct io *io);
void rt_exchange(const struct exchange_dims *k, void *b, int bytes);

struct agreement {
    uint32_t version, chips, model[2];
};

static const char *const layer[] = {LINK_LAYERS};
static uint32_t turn[WINDOWS]; /* exchanges so far, as each core counts them */
static struct agreement mine, other[LINK_OF];
static uint32_t runs;
static volatile int said;
static int32_t *volatile room; /* core 0 says where others add from */

static void stop(int tag, int error, int peer)
{
    static char text[256];
    struct link l = {.chip = LINK_HERE, .error = error, .peer = peer,
                     .tag = tag < 0 ? LINK_AGREEMENT : (uint32_t)tag};

    while (said)
        ;
    said = 1;
    link_say(&l, tag < 0 ? 0 : layer[tag], text, sizeof text);
    rt_print(text);
    rt_print("\n");
    rt_exit(5);
}

static void open_room(void *at, uint32_t tag)
{
    REG(ROOM) = (uint32_t)(uintptr_t)at;
    REG(OPEN) = tag;
}

/* n bytes to `at` in the room that another opens for the tag. */
static void send(int window, int to, const void *from, int32_t at,
                 uint32_t tag, int32_t n)
{
    uint32_t w = WINDOW + WINDOW_SIZE * (uint32_t)window;

    __asm__ volatile("" ::: "memory");
    REG(w + TO) = (uint32_t)to;
    REG(w + FROM) = (uint32_t)(uintptr_t)from;
    REG(w + AT) = (uint32_t)at;
    REG(w + TAG) = tag;
    REG(w + BYTES) = (uint32_t)n;
}

/* The next message of a chip is there. */
static void take(int from, int tag)
{
    uint32_t v = REG(WAIT_OF + 4 * from);

    __asm__ volatile("" ::: "memory");
    if (v != (uint32_t)from)
        stop(tag, v == LATE ? LINK_LATE : v & BROKEN ? LINK_BROKEN : LINK_ORDER,
             from);
}

/* What was sent has left, and may change. */
static void sent(void)
{
    while (REG(SENDING))
        ;
}

/* The chip that is i behind this one, or before. */
static int chip_after(int i)
{
    i += LINK_HERE;
    return i < LINK_OF ? i : i - LINK_OF;
}

static int chip_before(int i)
{
    i = LINK_HERE - i;
    return i < 0 ? i + LINK_OF : i;
}

static uint32_t next_tag(int core)
{
    return ++turn[core] & (FIRST_TAG - 1);
}

/* --- agreement --- */

void rt_ready(void)
{
    uint32_t tag = FIRST_TAG + runs++;
    int i;

    mine = (struct agreement){LINK_VERSION, LINK_OF, {
        (uint32_t)LINK_MODEL_HASH, (uint32_t)(LINK_MODEL_HASH >> 32)}};
    REG(LIMIT) = LINK_CYCLES;
    open_room(other, tag);
    for (i = 1; i < LINK_OF; i++)
        send(0, chip_after(i), &mine, (int32_t)sizeof mine * LINK_HERE, tag,
             sizeof mine);
    for (i = 1; i < LINK_OF; i++)
        take(chip_before(i), -1);
    for (i = 0; i < LINK_OF; i++)
        if (i != LINK_HERE && memcmp(&mine, &other[i], sizeof mine))
            stop(-1, other[i].version == LINK_VERSION ? LINK_MODEL
                     : LINK_PROTOCOL, i);
    sent();
}

/* --- shares --- */

/* The first element of a chip along the axis. */
static int32_t first_of(const struct exchange_dims *k, int chip)
{
    return (int32_t)((uint32_t)(chip * k->parts) / LINK_OF) * k->part;
}

static int32_t share_of(const struct exchange_dims *k, int chip)
{
    return k->parts ? first_of(k, chip + 1) - first_of(k, chip) : k->len;
}

/* --- gathering --- */

static void copy(char *to, const char *from, int32_t n)
{
    while (n && (((uintptr_t)to | (uintptr_t)from) & 3)) {
        *to++ = *from++;
        n--;
    }
    for (; n >= 4; n -= 4, to += 4, from += 4)
        *(uint32_t *)(void *)to = *(const uint32_t *)(const void *)from;
    while (n--)
        *to++ = *from++;
}

/* The room is the result. */
void rt_team_gather(const struct exchange_dims *k, const struct io *io,
                    int bytes)
{
    const int32_t row = k->inner * bytes, n = k->n * row, all = k->len * row;
    const int core = io->core, ncore = io->ncore;
    const uint32_t tag = next_tag(core);
    const char *x = io->in[0];
    char *y = io->out[0];
    int32_t i, o, from, to;

    if (!core)
        open_room(y, tag);
    for (i = 1 + core; i < LINK_OF; i += ncore)
        for (o = 0; n && o < k->outer; o++)
            send(core, chip_after(i), x + o * n, o * all + k->from * row, tag,
                 n);
    span(k->outer, core, ncore, &from, &to);
    if (k->outer < ncore)
        from = 0, to = core ? 0 : k->outer;
    for (o = from; o < to; o++)
        copy(y + o * all + k->from * row, x + o * n, n);
    for (i = 1 + core; i < LINK_OF; i += ncore)
        for (o = 0; share_of(k, chip_before(i)) && o < k->outer; o++)
            take(chip_before(i), k->tag);
    sent();
}

/* --- adding --- */

/* y[n] = x[n] and that of all rooms, which are `slot` apart, four at a time. */
static void add(int32_t *y, const int32_t *x, const int32_t *from, int32_t n,
                int32_t slot)
{
    int32_t c;

    for (; n >= 4; n -= 4, x += 4, y += 4, from += 4) {
        const uint32_t *r = (const uint32_t *)(const void *)from;
        uint32_t s0 = (uint32_t)x[0], s1 = (uint32_t)x[1];
        uint32_t s2 = (uint32_t)x[2], s3 = (uint32_t)x[3];

        for (c = LINK_OF - 1; c; c--, r += slot) {
            s0 += r[0];
            s1 += r[1];
            s2 += r[2];
            s3 += r[3];
        }
        y[0] = (int32_t)s0;
        y[1] = (int32_t)s1;
        y[2] = (int32_t)s2;
        y[3] = (int32_t)s3;
    }
    for (; n > 0; n--, from++) {
        uint32_t s = (uint32_t)*x++;

        for (c = 0; c < LINK_OF - 1; c++)
            s += (uint32_t)from[c * slot];
        *y++ = (int32_t)s;
    }
}

/* Every other chip has a slot in the room, of this chip's share. */
void rt_team_sum(const struct exchange_dims *k, const struct io *io)
{
    const int core = io->core, ncore = io->ncore;
    const int32_t row = k->inner, n = share_of(k, LINK_HERE) * row;
    const int32_t slot = k->outer * n, first = first_of(k, LINK_HERE) * row;
    const uint32_t tag = next_tag(core);
    const int32_t *x = io->in[0];
    int32_t *y = io->out[0];
    int32_t i, o, from, to;

    if (!core) {
        room = io->tmp;
        open_room(io->tmp, tag);
    }
    for (i = 1 + core; i < LINK_OF; i += ncore) {
        int peer = chip_after(i);
        int32_t m = share_of(k, peer) * row;
        int32_t at = (LINK_HERE - (LINK_HERE > peer)) * k->outer * m;

        for (o = 0; m && o < k->outer; o++)
            send(core, peer,
                 x + o * k->len * row + first_of(k, peer) * row,
                 4 * (at + o * m), tag, 4 * m);
    }
    for (i = 1 + core; i < LINK_OF; i += ncore)
        for (o = 0; n && o < k->outer; o++)
            take(chip_before(i), k->tag);
    if (ncore > 1)
        pulp_barrier();
    span(n, core, ncore, &from, &to);
    for (o = 0; o < k->outer; o++)
        add(y + o * n + from, x + o * k->len * row + first + from,
            room + o * n + from, to - from, slot);
    sent();
}

/* Kernels of one core. */
void rt_exchange(const struct exchange_dims *k, void *b, int bytes)
{
    (void)b;
    (void)bytes;
    stop(k->tag, LINK_ROOM, LINK_HERE);
}
