/* Exchanges between clusters over the links of their chips (doc/sim.md), each
 * by all cores of a team: any pair of chips is connected, shares go off at once
 * in an order in which each way in has one at a time, and who is late is waited
 * for.  The link numbers messages and checks their sums; the receiver opens a
 * room for an exchange before anything of it may come. */
#include "../../kern/kern.h"
#include "../pulp/pulp.h"
#include "../rt.h"
#include "here.h"
#include "link.h"

#include <stdbool.h>
#include <string.h>

#define OWN static __attribute__((noinline))

/* Code comes a byte a cycle from the L2: less is quicker, but for LOOPs. */
#ifdef __clang__
#define LOOP OWN
#else
#pragma GCC optimize("Os")
#define LOOP OWN __attribute__((optimize("O2")))
#endif

enum { ID = 0x00, CHIPS = 0x04, SENDING = 0x18, ROOM = 0x24, OPEN = 0x28,
       LIMIT = 0x2c, WAIT_OF = 0x100, WINDOW = 0x200, WINDOW_SIZE = 0x20,
       WINDOWS = 16 };
enum { BROKEN = 1 << 8, MISSED = 1 << 9 };
#define LATE UINT32_MAX
#define FIRST_TAG 0x80000000u /* of agreements; those of exchanges are below */

#ifndef LINK_CYCLES
#define LINK_CYCLES 50000000 /* of a core, that a message may take */
#endif

#define REG(at) PULP_REG(PULP_LINK + (at))

/* Layers before have driven the code of an exchange out of the cache, and it
 * comes a byte a cycle: so there is code of its own for each kind, in which its
 * numbers are constants, and what comes after the first message is a function
 * of its own, lest registers are saved for it before. */
#define INTO static inline __attribute__((always_inline))

/* What a core says of its next message; it keeps what the last one had. */
struct window {
    volatile uint32_t to, from, at, tag, bytes;
};

void rt_team_gather(const struct exchange_dims *k, const struct io *io,
                    int bytes);
void rt_team_halo(const struct exchange_dims *k, const struct io *io,
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
static uint32_t *volatile room; /* core 0 says where others add */

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

INTO void open_room(void *at, uint32_t tag)
{
    REG(ROOM) = (uint32_t)(uintptr_t)at;
    REG(OPEN) = tag;
}

INTO struct window *window_of(int core)
{
    return (void *)(uintptr_t)(PULP_LINK + WINDOW +
                               WINDOW_SIZE * (uint32_t)core);
}

/* What is sent next begins here, and comes to `at` in the others' rooms. */
INTO void aim(struct window *w, const void *from, int32_t at)
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
INTO void send_as(uint32_t number, struct window *w, int to, int32_t n)
{
    __asm__ volatile("" ::: "memory");
    w->to = (uint32_t)to;
    while (next != number) /* not all at once at its bank of the L1 */
        __asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
    next = number + 1;
    w->bytes = (uint32_t)n;
}

/* The next message of a chip is there. */
INTO void take(int from, int tag)
{
    uint32_t v = REG(WAIT_OF + 4 * from);

    __asm__ volatile("" ::: "memory");
    if (v != (uint32_t)from)
        stop(tag, v == LATE ? LINK_LATE : v & BROKEN ? LINK_BROKEN : LINK_ORDER,
             from);
}

/* What was sent has left, and may change. */
INTO void sent(void)
{
    while (REG(SENDING))
        ;
}

/* A phase of an exchange: `n` chips meet whose numbers are `step` apart, of
 * which this one is number `digit`; of the `step` chips from `block` on it has
 * the shares after it, or, gathering, before. step 0: all in a ring.  Read as
 * one word, for it is in the L2. */
struct phase {
    uint8_t step, n, digit, block;
} __attribute__((aligned(4)));

/* By exchange, as src/shard/way.c chose them: sums go through them, gathering
 * goes back. */
static const struct phases {
    uint8_t n;
    struct phase phase[LINK_DEEPEST];
} phases[] = {LINK_PHASES};

/* How far from this chip the one is that is i places behind it, or before. */
INTO int behind(const struct phase *s, int i)
{
    return s->step * (i + s->digit < s->n ? i : i - s->n);
}

INTO int ahead(const struct phase *s, int i)
{
    return s->step * (i <= s->digit ? -i : s->n - i);
}

/* A core's part of an exchange.  Core 0 opens the room. */
INTO struct window *begin(const struct exchange_dims *k, const struct io *io,
                          void *at)
{
    struct window *w = window_of(io->core);
    const int passed = !k->sum && !k->parts; /* in a pipeline: chips differ */
    uint32_t tag = passed ? (uint32_t)k->tag + 1
                          : (before[io->core] & (FIRST_TAG - 1)) + 1;

    if (!io->core)
        open_room(at, tag);
    w->tag = tag;
    return w;
}

/* The number of a phase's first message, of `outer` to each chip. */
INTO uint32_t first_message(const struct exchange_dims *k,
                              const struct io *io, const struct phase *s)
{
    uint32_t first = before[io->core];

    before[io->core] += (uint32_t)(k->outer * (s->n - 1));
    return first;
}

/* The first chip behind this one that a core sends to; core 0 comes later. */
INTO int first_peer(const struct io *io)
{
    return io->core ? io->core : io->ncore;
}

/* --- agreement --- */

void rt_link_begin(void)
{
    uint32_t tag = FIRST_TAG + runs++;
    struct window *w = window_of(0);
    int i;

    if (REG(ID) != LINK_HERE || REG(CHIPS) != LINK_OF)
        stop(-1, LINK_PLACE, (int)REG(ID));
    mine = (struct agreement){LINK_VERSION, LINK_OF, {
        (uint32_t)LINK_MODEL_HASH, (uint32_t)(LINK_MODEL_HASH >> 32)}};
    REG(LIMIT) = LINK_CYCLES;
    open_room(other, tag);
    w->tag = tag;
    aim(w, &mine, (int32_t)sizeof mine * LINK_HERE);
    for (i = LINK_HERE + 1; i < LINK_HERE + LINK_OF; i++)
        send(w, i < LINK_OF ? i : i - LINK_OF, sizeof mine);
    for (i = 0; i < LINK_OF; i++)
        if (i != LINK_HERE)
            take(i, -1);
    for (i = 0; i < LINK_OF; i++)
        if (i != LINK_HERE && memcmp(&mine, &other[i], sizeof mine))
            stop(-1, other[i].version == LINK_VERSION ? LINK_MODEL
                     : LINK_PROTOCOL, i);
    sent();
}

/* --- shares --- */

/* The first element of a chip along the axis. */
INTO int32_t first_of(const struct exchange_dims *k, int chip)
{
    return (int32_t)((uint32_t)(chip * k->parts) / LINK_OF) * k->part;
}

/* Elements of a row that `n` chips from one on have; all, if they add all. */
INTO int32_t shares_of(const struct exchange_dims *k, int chip, int n)
{
    return (k->parts ? first_of(k, chip + n) - first_of(k, chip) : k->len) *
           k->inner;
}

/* What the others of a phase give each core waits for; each has a share
 * (shard.h). */
INTO void take_all(const struct exchange_dims *k, const struct io *io,
                         const struct phase *s)
{
    int32_t i, o;

    for (i = first_peer(io); i < s->n; i += io->ncore)
        for (o = k->outer; o; o--)
            take(LINK_HERE + ahead(s, i), k->tag);
}

INTO void meet(const struct io *io)
{
    if (io->ncore > 1)
        pulp_barrier();
}

/* --- gathering --- */

INTO void copy(char *to, const char *from, int32_t n)
{
    while (n && (((uintptr_t)to | (uintptr_t)from) & 3)) {
        *to++ = *from++;
        n--;
    }
    for (; n >= 16; n -= 16, to += 16, from += 16) {
        uint32_t *y = (uint32_t *)(void *)to;
        const uint32_t *x = (const uint32_t *)(const void *)from;
        const uint32_t a = x[0], b = x[1], c = x[2], d = x[3];

        y[0] = a;
        y[1] = b;
        y[2] = c;
        y[3] = d;
    }
    for (; n >= 4; n -= 4, to += 4, from += 4)
        *(uint32_t *)(void *)to = *(const uint32_t *)(const void *)from;
    while (n--)
        *to++ = *from++;
}

/* Rows of `n` bytes at x, `row` apart, to all of a phase, `all` bytes apart in
 * their rooms. */
INTO void send_rows(struct window *w, const struct exchange_dims *k,
                          const struct io *io, const struct phase *s,
                          const char *x, int32_t n, int32_t row, int32_t at,
                          int32_t all)
{
    uint32_t number = first_message(k, io, s);
    int32_t i, o = k->outer;

    for (; o; o--, x += row, at += all, number += s->n - 1u) {
        aim(w, x, at);
        for (i = first_peer(io); i < s->n; i += io->ncore)
            send_as(number + (uint32_t)i - 1, w, LINK_HERE + behind(s, i), n);
    }
}

/* This chip's share where it belongs. */
INTO void copy_own(const struct exchange_dims *k, const struct io *io,
                         int32_t row)
{
    const int32_t n = k->n * row, at = k->from * row, all = k->len * row;
    int32_t o, from, to;

    span(k->outer, io->core, io->ncore, &from, &to);
    if (k->outer < io->ncore)
        from = 0, to = io->core ? 0 : k->outer;
    for (o = from; o < to; o++)
        copy((char *)io->out[0] + o * all + at,
             (const char *)io->in[0] + o * n, n);
}

/* The chip that is i before this one in the ring. */
INTO int ring_before(int i)
{
    return LINK_HERE - i + (i > LINK_HERE ? LINK_OF : 0);
}

/* Shares go round: each chip hands on what it got last.  One core does so. */
INTO void ring_gather(struct window *w, const struct exchange_dims *k,
                        const struct io *io, int32_t row)
{
    const int32_t n = k->n * row, all = k->len * row;
    uint32_t number = before[io->core];
    int32_t i, o;

    before[io->core] += (uint32_t)k->outer * (LINK_OF - 1);
    for (i = 0; i < LINK_OF - 1 && io->core == io->ncore - 1; i++) {
        int32_t at = first_of(k, ring_before(i)) * row;
        const char *x = i ? (const char *)io->out[0] + at : io->in[0];

        for (o = k->outer; o; o--, x += i ? all : n, at += all) {
            aim(w, x, at);
            send_as(number++, w, ring_before(LINK_OF - 1), n);
        }
        for (o = k->outer; o; o--)
            take(ring_before(1), k->tag);
    }
}

/* Short rows go in one message, which comes into scratch memory, where there is
 * such, and are copied to where they belong: many messages of chips that come
 * late meet on the ways in. */
INTO bool is_packed(const struct exchange_dims *k, const struct phases *way,
                    const struct io *io)
{
    return k->outer > 1 && way->n == 1 && way->phase[0].step == 1 &&
           k->parts % LINK_OF == 0 && io->tmp;
}

INTO void send_packed(struct window *w, const struct exchange_dims *k,
                      const struct io *io, const struct phase *s, int32_t all)
{
    const uint32_t number = before[io->core];
    int32_t i;

    before[io->core] += (uint32_t)s->n - 1;
    for (i = first_peer(io); i < s->n; i += io->ncore) {
        aim(w, io->in[0], (i - 1) * all);
        send_as(number + (uint32_t)i - 1, w, LINK_HERE + behind(s, i), all);
    }
}

/* Rows of n bytes, which are to be `row` apart. */
LOOP void unpack(char *to, const char *from, int32_t n, int32_t row,
                 int32_t rows)
{
    for (; rows > 0; rows--, to += row, from += n)
        copy(to, from, n);
}

/* All of a chip but the last by who waits for it, those of the last by all. */
INTO void take_packed(const struct exchange_dims *k, const struct io *io,
                      const struct phase *s, int32_t row)
{
    const int32_t n = k->n * row, all = k->len * row;
    int32_t i, at, from, to;

    for (i = first_peer(io); i < s->n; i += io->ncore) {
        at = first_of(k, LINK_HERE + ahead(s, i)) * row;
        take(LINK_HERE + ahead(s, i), k->tag);
        if (i < s->n - 1)
            unpack((char *)io->out[0] + at,
                   (char *)room + (i - 1) * k->outer * n, n, all, k->outer);
    }
    meet(io);
    at = first_of(k, LINK_HERE + ahead(s, s->n - 1)) * row;
    span(k->outer, io->core, io->ncore, &from, &to);
    unpack((char *)io->out[0] + at + from * all,
           (char *)room + ((s->n - 2) * k->outer + from) * n, n, all,
           to - from);
}

/* The first phase, by which shares leave.  The room is the result. */
INTO void begin_gather(const struct exchange_dims *k, const struct phases *way,
                       const struct io *io, int bytes)
{
    const struct phase s = way->phase[way->n - 1];
    const bool packed = is_packed(k, way, io);
    struct window *w;
    const int32_t row = k->inner * bytes, n = k->n * row;

    if (packed && !io->core)
        room = io->tmp;
    w = begin(k, io, packed ? io->tmp : io->out[0]);
    if (packed)
        send_packed(w, k, io, &s, k->outer * n);
    else if (s.step)
        send_rows(w, k, io, &s, io->in[0], n, n, k->from * row, k->len * row);
}

/* What comes by it, and all others. */
INTO void finish_gather(const struct exchange_dims *k, const struct phases *way,
                        const struct io *io, int bytes)
{
    const int32_t row = k->inner * bytes, all = k->len * row;
    struct window *w = window_of(io->core);
    int i = way->n - 1;
    struct phase s = way->phase[i];

    copy_own(k, io, row);
    if (is_packed(k, way, io))
        take_packed(k, io, &s, row);
    else if (s.step)
        take_all(k, io, &s);
    else
        ring_gather(w, k, io, row);
    while (i-- > 0) {
        int32_t at;

        meet(io);
        s = way->phase[i];
        at = first_of(k, s.block) * row;
        send_rows(w, k, io, &s, (const char *)io->out[0] + at,
                  shares_of(k, s.block, s.step) * bytes, all, at, all);
        take_all(k, io, &s);
    }
    sent();
}

/* --- neighbours --- */

/* Numbers of messages that go between more chips are passed over. */
OWN void send_halo(const struct exchange_dims *k, struct window *w,
                          const char *x, int32_t row)
{
    while (next != before[0] - (uint32_t)k->outer * (LINK_OF - 1))
        ;
    aim(w, x, k->at * row);
    if (k->up)
        send(w, LINK_HERE - 1, k->up * row);
    aim(w, x + (k->n - k->down) * row, 0);
    if (k->down)
        send(w, LINK_HERE + 1, k->down * row);
    next = before[0];
}

/* What comes of the neighbours is there, what goes there has left. */
OWN void take_halo(const struct exchange_dims *k)
{
    if (k->from)
        take(LINK_HERE - 1, k->tag);
    if (k->from + k->n < k->len)
        take(LINK_HERE + 1, k->tag);
    sent();
}

/* Core 0 sends and takes, all copy; the room is the result.  outer: 1. */
void rt_team_halo(const struct exchange_dims *k, const struct io *io, int bytes)
{
    struct window *w = begin(k, io, io->out[0]);
    const int32_t row = k->inner * bytes, n = k->n * row;
    const char *x = io->in[0];
    int32_t from, to;

    before[io->core] += (uint32_t)k->outer * (LINK_OF - 1);
    if (!io->core)
        send_halo(k, w, x, row);
    span((n + 3) / 4, io->core, io->ncore, &from, &to);
    from = 4 * from < n ? 4 * from : n;
    to = 4 * to < n ? 4 * to : n;
    copy((char *)io->out[0] + k->from * row + from, x + from, to - from);
    if (!io->core)
        take_halo(k);
}

/* --- adding --- */

/* s and an element of each of n rows from r on, which are `slot` apart. */
INTO int32_t sum_rows(uint32_t s, const uint32_t *r, int32_t slot, int32_t n)
{
    for (; n; n--, r += slot)
        s += *r;
    return (int32_t)s;
}

/* y[n] = x[n] and that of all rows, four at a time; y may be the first row.
 * Not inlined, so that `warm` brings it. */
LOOP void add(int32_t *y, const int32_t *x, const uint32_t *from, int32_t n,
                int32_t slot, int32_t rows)
{
    int32_t c;

    for (; n >= 4; n -= 4, x += 4, y += 4, from += 4) {
        const uint32_t *r = from;
        uint32_t s0 = (uint32_t)x[0], s1 = (uint32_t)x[1];
        uint32_t s2 = (uint32_t)x[2], s3 = (uint32_t)x[3];

        for (c = rows; c; c--, r += slot) {
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
        *y++ = sum_rows((uint32_t)*x++, from, slot, rows);
}

/* Sums before a phase: shares of chips from `first` on, rows `row` elements
 * apart; from element `at` of the room on come those of the phase, a slot of
 * each chip. */
struct sums {
    const int32_t *x;
    int32_t first, row, at;
};

/* Where the shares of chips from one on are. */
INTO const int32_t *shares_at(const struct exchange_dims *k,
                                const struct sums *p, int chip)
{
    return p->x + (first_of(k, chip) - first_of(k, p->first)) * k->inner;
}

/* To the chip that is i behind what it will have, into its slot i - 1. */
INTO void send_shares(struct window *w, const struct exchange_dims *k,
                            const struct io *io, const struct phase *s,
                            const struct sums *p)
{
    const uint32_t first = first_message(k, io, s);
    int32_t i, o;

    for (i = first_peer(io); i < s->n; i += io->ncore) {
        const int away = behind(s, i), block = s->block + away;
        const int32_t n = shares_of(k, block, s->step);
        const int32_t *x = shares_at(k, p, block);
        int32_t slot = (i - 1) * k->outer;

        for (o = k->outer; o; o--, x += p->row, slot++) {
            aim(w, x, 4 * (p->at + slot * n));
            send_as(first + (uint32_t)slot, w, LINK_HERE + away, 4 * n);
        }
    }
}

/* What is left to add when each core has added what it waited for, but its
 * last: the first slot of each core, and the last one. */
INTO int32_t first_rows(const struct io *io, const struct phase *s)
{
    return s->n - 1 < io->ncore ? s->n - 1 : io->ncore;
}

INTO int32_t last_rows(const struct io *io, const struct phase *s)
{
    int32_t n = s->n - 1 - io->ncore;

    return n < io->ncore ? n : io->ncore;
}

/* y[n] += x[n]. */
LOOP void add_to(uint32_t *y, const uint32_t *x, int32_t n)
{
    for (; n >= 4; n -= 4, x += 4, y += 4) {
        uint32_t s0 = x[0], s1 = x[1], s2 = x[2], s3 = x[3];

        y[0] += s0;
        y[1] += s1;
        y[2] += s2;
        y[3] += s3;
    }
    while (n-- > 0)
        *y++ += *x++;
}

/* Times that a core waits, and adds: twice, if some are left. */
INTO int turns_of(const struct io *io, const struct phase *s)
{
    return last_rows(io, s) > 0 ? 2 : 1;
}

/* What comes lies `at` elements from those given, or, if NULL, from the room
 * on, which core 0 has said when anything has come. */
struct slots {
    uint32_t *given;
    int32_t at;
};

INTO uint32_t *slots_of(const struct slots *p)
{
    return (p->given ? p->given : room) + p->at;
}

INTO void take_from(const struct exchange_dims *k, const struct phase *s, int i)
{
    int32_t o;

    for (o = k->outer; o; o--)
        take(LINK_HERE + ahead(s, i), k->tag);
}

/* Is what comes from the chip i before this one the last that a core waits for,
 * and not its first? */
INTO bool is_last(const struct io *io, const struct phase *s, int i)
{
    return i > io->ncore && i + io->ncore >= s->n;
}

/* A core adds what it waits for, as it comes, into the first slot of it; but
 * not the last, for which all wait and which is not taken here. */
INTO void take_first(const struct exchange_dims *k, const struct io *io,
                     const struct phase *s, const struct slots *all)
{
    const int32_t n = k->outer * shares_of(k, s->block, s->step);
    int32_t i;

    for (i = first_peer(io); i < s->n && !is_last(io, s, i); i += io->ncore) {
        uint32_t *slots;

        take_from(k, s, i);
        slots = slots_of(all);
        if (i > first_peer(io))
            add_to(slots + (first_peer(io) - 1) * n, slots + (i - 1) * n, n);
    }
}

INTO void take_last(const struct exchange_dims *k, const struct io *io,
                    const struct phase *s)
{
    int32_t i = first_peer(io);

    while (i < s->n && !is_last(io, s, i))
        i += io->ncore;
    if (i < s->n)
        take_from(k, s, i);
}

/* A core's elements of what this chip has after a phase, in y; of its own rows
 * are at x, `row` elements apart.  Of others those that have been added, or,
 * later, the last ones. */
INTO void add_shares(const struct exchange_dims *k, const struct io *io,
                     const struct phase *s, const int32_t *x, int32_t row,
                     const uint32_t *from, int32_t *y, int later)
{
    const int32_t n = shares_of(k, s->block, s->step), slot = k->outer * n;
    const int32_t rows = later ? last_rows(io, s) : first_rows(io, s);
    int32_t o, begin, end;

    if (later)
        from += (s->n - 1 - rows) * slot;
    span(n, io->core, io->ncore, &begin, &end);
    for (o = k->outer; o; o--, y += n, x += row, from += n)
        add(y + begin, (later ? y : x) + begin, from + begin, end - begin, slot,
            rows);
}

/* The same after the last phase, in one function that `warm` brings. */
typedef void adder(const struct exchange_dims *k, const struct io *io,
                   const int32_t *x, int32_t row, const uint32_t *from,
                   int32_t *y, int later);

INTO void add_last(const struct exchange_dims *k, const struct phases *way,
                   const struct io *io, const int32_t *x, int32_t row,
                   const uint32_t *from, int32_t *y, int later)
{
    const struct phase s = way->phase[way->n - 1];

    add_shares(k, io, &s, x, row, from, y, later);
}

/* All that comes in a phase, in y; NULL: in its first slot, where another phase
 * follows. */
INTO uint32_t *take_sums(const struct exchange_dims *k, const struct io *io,
                         const struct phase *s, const int32_t *x, int32_t row,
                         const struct slots *all, int32_t *y, adder *last)
{
    uint32_t *slots = NULL;
    int i;

    for (i = 0; i < turns_of(io, s); i++) {
        if (i)
            take_last(k, io, s);
        else
            take_first(k, io, s, all);
        meet(io);
        slots = slots_of(all);
        if (y)
            last(k, io, x, row, slots, y, i);
        else
            add_shares(k, io, s, x, row, slots, (int32_t *)slots, i);
    }
    return slots;
}

INTO struct sums all_sums(const struct exchange_dims *k, const struct io *io)
{
    return (struct sums){io->in[0], 0, k->len * k->inner, 0};
}

/* Code comes slowly: core 0, which has least to send, brings what adds into the
 * cache when all has been sent, by adding what is there to where it will be
 * added again. */
INTO void warm(const struct exchange_dims *k, const struct io *io,
               const struct phase *s, const struct sums *p, adder *last)
{
    int i;

    if (io->core)
        return;
    while (next != before[0])
        ;
    for (i = 0; i < turns_of(io, s); i++)
        last(k, io, shares_at(k, p, LINK_HERE), p->row, room + p->at,
             io->out[0], i);
}

/* What a chip got last goes on to the next, which sends it something too. */
INTO void pass_on(struct window *w, const struct exchange_dims *k,
                    const int32_t *x, int32_t row, int32_t at, uint32_t number)
{
    const int32_t n = shares_of(k, LINK_HERE, 1);
    int32_t o;

    for (o = 0; o < k->outer; o++, x += row, at += n) {
        aim(w, x, 4 * at);
        send_as(number++, w, ring_before(LINK_OF - 1), 4 * n);
    }
    while (o--)
        take(ring_before(1), k->tag);
}

/* Each share goes round, and every chip adds its own; the last core sends. */
INTO void ring_sum(struct window *w, const struct exchange_dims *k,
                     const struct io *io, const struct sums *p)
{
    const int32_t n = shares_of(k, LINK_HERE, 1), slot = k->outer * n;
    const uint32_t number = before[io->core];
    const int32_t *x = shares_at(k, p, ring_before(1));
    int32_t i, row = p->row;

    before[io->core] += (uint32_t)k->outer * (LINK_OF - 1);
    for (i = 0; i < LINK_OF - 1; i++, row = n) {
        const struct phase alone = {1, 2, 0, (uint8_t)ring_before(i + 2)};
        uint32_t *got;

        if (io->core == io->ncore - 1)
            pass_on(w, k, x, row, i * slot, number + (uint32_t)(i * k->outer));
        meet(io);
        got = room + i * slot;
        x = (const int32_t *)got;
        add_shares(k, io, &alone, shares_at(k, p, alone.block), p->row, got,
                   i == LINK_OF - 2 ? io->out[0] : (int32_t *)got, 0);
        meet(io);
    }
}

INTO void begin_sum(const struct exchange_dims *k, const struct phases *way,
                    const struct io *io)
{
    const struct phase s = way->phase[0];
    const struct sums p = all_sums(k, io);
    struct window *w;

    if (!io->core)
        room = io->tmp; /* before anything comes */
    w = begin(k, io, io->tmp);
    if (s.step)
        send_shares(w, k, io, &s, &p);
}

/* Into the result, or the first of a phase's slots, if another follows. */
INTO void finish_sum(const struct exchange_dims *k, const struct phases *way,
                     const struct io *io, adder *last)
{
    struct window *w = window_of(io->core);
    struct phase s = way->phase[0];
    struct sums p = all_sums(k, io);
    int i;

    if (!s.step)
        ring_sum(w, k, io, &p);
    else
        warm(k, io, &way->phase[way->n - 1], &p, last);
    for (i = 1; s.step; i++) {
        const struct slots all = {NULL, p.at};
        const int32_t *x = shares_at(k, &p, s.block);

        if (s.step == 1) {
            take_sums(k, io, &s, x, p.row, &all, io->out[0], last);
            break;
        }
        p.x = (const int32_t *)take_sums(k, io, &s, x, p.row, &all, NULL, last);
        meet(io);
        p.first = s.block;
        p.row = shares_of(k, s.block, s.step);
        p.at += (s.n - 1) * k->outer * p.row;
        s = way->phase[i];
        send_shares(w, k, io, &s, &p);
    }
    sent();
}

OWN void add_any(const struct exchange_dims *k, const struct io *io,
                 const int32_t *x, int32_t row, const uint32_t *from,
                 int32_t *y, int later)
{
    add_last(k, &phases[k->tag], io, x, row, from, y, later);
}

void rt_team_send(const struct exchange_dims *k, const struct io *io)
{
    const struct phase s = phases[k->tag].phase[0];
    struct sums p = all_sums(k, io);

    send_shares(begin(k, io, io->out[0]), k, io, &s, &p);
}

void rt_team_take(const struct exchange_dims *k, const struct io *io)
{
    const struct phase s = phases[k->tag].phase[0];
    const struct sums p = all_sums(k, io);
    const struct slots all = {(uint32_t *)(uintptr_t)io->in[1], 0};

    take_sums(k, io, &s, shares_at(k, &p, s.block), p.row, &all, io->out[0],
              add_any);
    sent();
}

/* --- kinds --- */

#define KIND(i, ...) \
    OWN void add_##i(const struct exchange_dims *any, const struct io *io, \
                     const int32_t *x, int32_t row, const uint32_t *from, \
                     int32_t *y, int later) \
    { \
        EXCHANGE(any->tag, __VA_ARGS__) \
        add_last(&k, &way, io, x, row, from, y, later); \
    } \
    OWN void finish_##i(int tag, const struct io *io) \
    { \
        EXCHANGE(tag, __VA_ARGS__) \
        if (k.sum) \
            finish_sum(&k, &way, io, add_##i); \
        else \
            finish_gather(&k, &way, io, bytes); \
    } \
    void rt_exchange_##i(const void *of, const struct io *io); \
    void rt_exchange_##i(const void *of, const struct io *io) \
    { \
        const int tag = ((const struct exchange_dims *)of)->tag; \
        EXCHANGE(tag, __VA_ARGS__) \
\
        if (k.sum) \
            begin_sum(&k, &way, io); \
        else \
            begin_gather(&k, &way, io, bytes); \
        finish_##i(tag, io); \
    }
#define EXCHANGE(tag_, add, bytes_, outer_, n_, inner_, from_, len_, parts_, \
                 part_, ...) \
    const struct exchange_dims k = { \
        .outer = outer_, .n = n_, .inner = inner_, .from = from_, .len = len_, \
        .parts = parts_, .part = part_, .tag = tag_, .sum = add \
    }; \
    const struct phases way = __VA_ARGS__; \
    const int bytes = bytes_; \
\
    (void)bytes;

LINK_KINDS

OWN void finish_any(const struct exchange_dims *k, const struct io *io,
                    int bytes)
{
    if (k->sum)
        finish_sum(k, &phases[k->tag], io, add_any);
    else
        finish_gather(k, &phases[k->tag], io, bytes);
}

void rt_team_gather(const struct exchange_dims *k, const struct io *io,
                    int bytes)
{
    begin_gather(k, &phases[k->tag], io, bytes);
    finish_any(k, io, bytes);
}

void rt_team_sum(const struct exchange_dims *k, const struct io *io)
{
    begin_sum(k, &phases[k->tag], io);
    finish_any(k, io, 4);
}

/* Kernels of one core. */
void rt_exchange(const struct exchange_dims *k, void *b, int bytes)
{
    (void)b;
    (void)bytes;
    stop(k->tag, LINK_ROOM, LINK_HERE);
}
