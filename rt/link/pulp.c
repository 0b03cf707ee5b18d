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
enum { BROKEN = 1 << 8, MISSED = 1 << 9 };
#define LATE UINT32_MAX
#define FIRST_TAG 0x80000000u /* of agreements; those of exchanges are below */

#ifndef LINK_CYCLES
#define LINK_CYCLES 50000000 /* of a core, that a message may take */
#endif

#define REG(at) PULP_REG(PULP_LINK + (at))

/* Not inlined: code is run once and comes slowly, so few registers are to be
 * saved before the first message. */
#define OWN __attribute__((noinline))

/* What a core says of its next message; it keeps what the last one had. */
struct window {
    volatile uint32_t to, from, at, tag, bytes;
};

void rt_ready(void);
void rt_team_gather(const struct exchange_dims *k, const struct io *io,
                    int bytes);
void rt_team_sum(const struct exchange_dims *k, const struct io *io);
void rt_team_send(const struct exchange_dims *k, const struct io *io);
void rt_team_take(const struct exchange_dims *k, const struct io *io);
void rt_exchange(const struct exchange_dims *k, void *b, int bytes);

struct agreement {
    uint32_t version, chips, model[2];
};

static const char *const layer[] = {LINK_LAYERS};
static uint32_t before[WINDOWS]; /* messages of exchanges until now, as each core
                                    counts them */
static volatile uint32_t next; /* which of them leaves next */
static struct agreement mine, other[LINK_OF];
static uint32_t runs;
static volatile int said;
static const uint32_t *volatile room; /* core 0 says where others add from */

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

static struct window *window_of(int core)
{
    return (void *)(uintptr_t)(PULP_LINK + WINDOW +
                               WINDOW_SIZE * (uint32_t)core);
}

/* What is sent next begins here, and comes to `at` in the others' rooms. */
static void aim(struct window *w, const void *from, int32_t at)
{
    w->from = (uint32_t)(uintptr_t)from;
    w->at = (uint32_t)at;
}

static void send(struct window *w, int to, int32_t n)
{
    __asm__ volatile("" ::: "memory");
    w->to = (uint32_t)to;
    w->bytes = (uint32_t)n;
}

/* The same when those before it have gone: only if all chips send in the same
 * order, to the next one first, is each way in free when it is wanted. */
static void send_as(uint32_t number, struct window *w, int to, int32_t n)
{
    __asm__ volatile("" ::: "memory");
    w->to = (uint32_t)to;
    while (next != number)
        ;
    next = number + 1;
    w->bytes = (uint32_t)n;
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

/* A core's part of the next exchange, of `outer` messages to each chip.  Core 0
 * opens the room. */
static struct window *begin(const struct io *io, int32_t outer, void *at)
{
    struct window *w = window_of(io->core);
    uint32_t tag = (before[io->core] & (FIRST_TAG - 1)) + 1;

    if (!io->core)
        open_room(at, tag);
    w->tag = tag;
    before[io->core] += (uint32_t)outer * (LINK_OF - 1);
    return w;
}

/* The first chip behind this one that a core sends to; core 0 comes later. */
static int first_peer(const struct io *io)
{
    return io->core ? io->core : io->ncore;
}

/* --- agreement --- */

void rt_ready(void)
{
    uint32_t tag = FIRST_TAG + runs++;
    struct window *w = window_of(0);
    int i;

    mine = (struct agreement){LINK_VERSION, LINK_OF, {
        (uint32_t)LINK_MODEL_HASH, (uint32_t)(LINK_MODEL_HASH >> 32)}};
    REG(LIMIT) = LINK_CYCLES;
    open_room(other, tag);
    w->tag = tag;
    aim(w, &mine, (int32_t)sizeof mine * LINK_HERE);
    for (i = 1; i < LINK_OF; i++)
        send(w, chip_after(i), sizeof mine);
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

/* What chips give each core waits for; each has a share (shard.h). */
static OWN void take_all(const struct exchange_dims *k, const struct io *io)
{
    int32_t i, o;

    for (i = first_peer(io); i < LINK_OF; i += io->ncore)
        for (o = k->outer; o; o--)
            take(chip_before(i), k->tag);
}

/* Rows of `n` bytes to all, `all` bytes from row to row in their rooms. */
static OWN void send_rows(struct window *w, const struct exchange_dims *k,
                          const struct io *io, int32_t n, int32_t at,
                          int32_t all)
{
    uint32_t number = before[io->core] - (uint32_t)k->outer * (LINK_OF - 1);
    const char *x = io->in[0];
    int32_t i, o = k->outer;

    for (; o; o--, x += n, at += all, number += LINK_OF - 1) {
        aim(w, x, at);
        for (i = first_peer(io); i < LINK_OF; i += io->ncore)
            send_as(number + (uint32_t)i - 1, w, chip_after(i), n);
    }
}

/* The room is the result. */
void rt_team_gather(const struct exchange_dims *k, const struct io *io,
                    int bytes)
{
    const int core = io->core, ncore = io->ncore;
    struct window *w = begin(io, k->outer, io->out[0]);
    const int32_t row = k->inner * bytes, n = k->n * row, all = k->len * row;
    const int32_t at = k->from * row;
    int32_t o, from, to;

    send_rows(w, k, io, n, at, all);
    span(k->outer, core, ncore, &from, &to);
    if (k->outer < ncore)
        from = 0, to = core ? 0 : k->outer;
    for (o = from; o < to; o++)
        copy((char *)io->out[0] + o * all + at,
             (const char *)io->in[0] + o * n, n);
    take_all(k, io);
    sent();
}

/* --- adding --- */

/* s and an element of every row from r on, which are `slot` apart. */
static int32_t sum_rows(uint32_t s, const uint32_t *r, int32_t slot)
{
    int32_t c;

    for (c = LINK_OF - 1; c >= 4; c -= 4, r += slot) {
        s += *r;
        s += *(r += slot);
        s += *(r += slot);
        s += *(r += slot);
    }
    for (; c; c--, r += slot)
        s += *r;
    return (int32_t)s;
}

/* y[n] = x[n] and that of all rows, four at a time. */
static void add(int32_t *y, const int32_t *x, const uint32_t *from, int32_t n,
                int32_t slot)
{
    int32_t c;

    for (; n >= 4; n -= 4, x += 4, y += 4, from += 4) {
        const uint32_t *r = from;
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
    for (; n > 0; n--, from++)
        *y++ = sum_rows((uint32_t)*x++, from, slot);
}

/* Shares of other chips' sums: of the chip that is i behind to its slot
 * i - 1. */
static OWN void send_shares(struct window *w, const struct exchange_dims *k,
                            const struct io *io)
{
    const uint32_t first = before[io->core] -
                           (uint32_t)k->outer * (LINK_OF - 1);
    const int32_t row = k->inner;
    int32_t i, o;

    for (i = first_peer(io); i < LINK_OF; i += io->ncore) {
        const int peer = chip_after(i);
        const int32_t n = share_of(k, peer) * row;
        const int32_t *x = (const int32_t *)io->in[0] + first_of(k, peer) * row;
        int32_t at = (i - 1) * k->outer;

        for (o = 0; o < k->outer; o++, x += k->len * row, at++) {
            aim(w, x, 4 * at * n);
            send_as(first + (uint32_t)at, w, peer, 4 * n);
        }
    }
}

/* A core's elements of this chip's share, to which every other chip has given
 * its slot of the room. */
static OWN void add_shares(const struct exchange_dims *k, const struct io *io,
                           const uint32_t *from)
{
    const int32_t n = share_of(k, LINK_HERE) * k->inner;
    const int32_t all = k->len * k->inner;
    const int32_t *x = (const int32_t *)io->in[0] +
                       first_of(k, LINK_HERE) * k->inner;
    int32_t *y = io->out[0], o, begin, end;

    span(n, io->core, io->ncore, &begin, &end);
    for (o = k->outer; o; o--, y += n, x += all, from += n)
        add(y + begin, x + begin, from + begin, end - begin, k->outer * n);
}

static OWN void take_sum(const struct exchange_dims *k, const struct io *io,
                         const uint32_t *volatile *at)
{
    take_all(k, io);
    if (io->ncore > 1)
        pulp_barrier();
    add_shares(k, io, *at);
    sent();
}

void rt_team_sum(const struct exchange_dims *k, const struct io *io)
{
    if (!io->core)
        room = io->tmp;
    send_shares(begin(io, k->outer, io->tmp), k, io);
    take_sum(k, io, &room);
}

void rt_team_send(const struct exchange_dims *k, const struct io *io)
{
    send_shares(begin(io, k->outer, io->out[0]), k, io);
}

void rt_team_take(const struct exchange_dims *k, const struct io *io)
{
    const uint32_t *volatile at = io->in[1];

    take_sum(k, io, &at);
}

/* Kernels of one core. */
void rt_exchange(const struct exchange_dims *k, void *b, int bytes)
{
    (void)b;
    (void)bytes;
    stop(k->tag, LINK_ROOM, LINK_HERE);
}
