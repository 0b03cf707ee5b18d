/* Exchanges between clusters over the links of their chips (doc/sim.md), each
 * by all cores of a team: any pair of chips is connected, shares go off at once
 * in an order in which each way in has one at a time, and who is late is waited
 * for.  The link numbers messages and checks their sums; the receiver opens a
 * room for an exchange before anything of it may come. */
#include <stdint.h>

/* kern.h: of numbers that are known, so not a function of its own. */
static inline __attribute__((always_inline))
void span(int32_t total, int32_t core, int32_t ncore, int32_t *from,
          int32_t *to);

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
/* Of a share that has fewer numbers a core adds a few; code is the shorter, if
 * fewer bytes are copied one by one. */
enum { FEW = 32 };
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
void rt_team_gather_send(const struct exchange_dims *k, const struct io *io,
                         int bytes);
void rt_team_gather_take(const struct exchange_dims *k, const struct io *io);
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
/* In L1, where src/plan/search/room.c leaves room for it, and for a fault. */
static uint32_t before[WINDOWS]; /* messages of exchanges until now, as each core
                                    counts them */
static volatile uint32_t next; /* which of them leaves next */
static struct agreement mine, other[LINK_OF];
static uint32_t runs;
static volatile int said;
static uint32_t *volatile room; /* where what comes is added, or unpacked */

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

/* What is sent next begins here, and comes to `at` in the others' rooms.  Where
 * it goes a core says apart: `to`. */
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

/* What has been aimed leaves when those before it have: only if all chips send
 * in the same order, to the next one first, is each way in free when it is
 * wanted. */
INTO void send_as(uint32_t number, struct window *w, int32_t n)
{
    __asm__ volatile("" ::: "memory");
    while (__builtin_expect(next != number, 0)) /* not all at its bank at once */
        __asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
    next = number + 1;
    w->bytes = (uint32_t)n;
}

INTO void send_now(struct window *w, int32_t n)
{
    __asm__ volatile("" ::: "memory");
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

/* What was sent has left, and may change: by this core, and by others before. */
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

/* When a message leaves: in its turn, by its number; or, where no core has two
 * and a chip's share is of few numbers, as soon as a core can say so, all cores
 * at about the same time: messages that want the same way in are short then. */
enum turn { IN_TURN, AT_ONCE };
enum { FEW_AT_ONCE = 128 };

INTO enum turn turn_of(const struct exchange_dims *k,
                       const struct phases *way, const struct io *io)
{
    int i;

    for (i = 0; i < way->n; i++)
        if (way->phase[i].n > io->ncore || !way->phase[i].step)
            return IN_TURN;
    return k->outer > 1 || k->len / LINK_OF * k->inner > FEW_AT_ONCE
               ? IN_TURN : AT_ONCE;
}

/* A core's part of an exchange.  The last core opens the room, for core 0 may
 * come late, of transfers; or core 0, if it alone knows where scratch memory is,
 * which begins with its own. */
INTO struct window *begin(const struct exchange_dims *k, const struct io *io,
                          void *at, enum turn turn, int opens)
{
    struct window *w = window_of(io->core);
    const int passed = !k->sum && !k->parts; /* in a pipeline: chips differ */
    uint32_t tag = passed ? (uint32_t)k->tag + 1
                          : (before[io->core] & (FIRST_TAG - 1)) + 1;

    if (io->core == opens)
        open_room(at, tag);
    w->tag = tag;
    if (turn == AT_ONCE) {
        before[io->core]++;
        if (!io->core)
            next = before[0];
    }
    return w;
}

/* The number of a phase's first message, of `outer` to each chip. */
INTO uint32_t first_message(const struct exchange_dims *k,
                            const struct io *io, const struct phase *s,
                            enum turn turn)
{
    uint32_t first = before[io->core];

    if (turn == AT_ONCE)
        return 0;
    before[io->core] += (uint32_t)(k->outer * (s->n - 1));
    return first;
}

/* The first chip behind this one that a core sends to; core 0 comes later. */
INTO int first_peer(const struct io *io)
{
    return io->core ? io->core : io->ncore;
}

/* Has a core any?  Where there are as many as cores, that is known. */
INTO bool has_peer(const struct io *io, const struct phase *s)
{
    return s->n > io->ncore || first_peer(io) < s->n;
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

/* The first element of a chip along the axis.  Where shares are alike their size
 * is seen to be. */
INTO int32_t first_of(const struct exchange_dims *k, int chip)
{
    if (k->parts % LINK_OF == 0)
        return chip * (k->parts / LINK_OF * k->part);
    return (int32_t)((uint32_t)(chip * k->parts) / LINK_OF) * k->part;
}

/* Elements of a row that `n` chips from one on have; all, if they add all. */
INTO int32_t shares_of(const struct exchange_dims *k, int chip, int n)
{
    return (k->parts ? first_of(k, chip + n) - first_of(k, chip) : k->len) *
           k->inner;
}

/* Each core waits until what it sent has left before it takes its last message
 * of the last phase, for which it would wait anyway. */
INTO void sent_before(const struct io *io, const struct phase *s, int i,
                      bool ends)
{
    if (ends && i + io->ncore >= s->n)
        sent();
}

/* What the others of a phase give each core waits for; each has a share
 * (shard.h). */
INTO void take_all(const struct exchange_dims *k, const struct io *io,
                   const struct phase *s, bool ends)
{
    int32_t i, o;

    for (i = first_peer(io); i < s->n; i += io->ncore) {
        sent_before(io, s, i, ends);
        for (o = k->outer; o; o--)
            take(LINK_HERE + ahead(s, i), k->tag);
    }
}

INTO void meet(int cores)
{
    if (cores > 1)
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

INTO void copy_few(char *to, const char *from, int32_t n)
{
    while (n--)
        *to++ = *from++;
}

/* Rows of `n` bytes at x, `row` apart, `all` bytes apart in the rooms of others,
 * from `at` on. */
struct rows {
    const char *x;
    int32_t n, row, at, all;
};

/* What a core can say of its first message before this may leave. */
INTO void aim_first(struct window *w, const struct io *io,
                    const struct phase *s, const struct rows *r)
{
    if (!has_peer(io, s))
        return;
    aim(w, r->x, r->at);
    w->to = (uint32_t)(LINK_HERE + behind(s, first_peer(io)));
}

/* To all of a phase; the first is aimed. */
INTO void send_rows(struct window *w, const struct exchange_dims *k,
                    const struct io *io, const struct phase *s,
                    const struct rows *r, enum turn turn)
{
    uint32_t number = first_message(k, io, s, turn);
    int32_t i, o;

    for (o = 0; o < k->outer; o++, number += s->n - 1u) {
        if (o)
            aim(w, r->x + o * r->row, r->at + o * r->all);
        for (i = first_peer(io); i < s->n; i += io->ncore) {
            if (o || i > first_peer(io))
                w->to = (uint32_t)(LINK_HERE + behind(s, i));
            if (turn == AT_ONCE)
                send_now(w, r->n);
            else
                send_as(number + (uint32_t)i - 1, w, r->n);
        }
    }
}

/* This chip's share where it belongs. */
INTO void copy_own(const struct exchange_dims *k, const struct io *io,
                         int32_t row)
{
    const int32_t n = k->n * row, at = k->from * row, all = k->len * row;
    int32_t o, from = 0, to = io->core ? 0 : k->outer;

    if (k->outer >= io->ncore)
        span(k->outer, io->core, io->ncore, &from, &to);
    for (o = from; o < to; o++) {
        char *y = (char *)io->out[0] + o * all + at;
        const char *x = (const char *)io->in[0] + o * n;

        if (n <= FEW)
            copy_few(y, x, n);
        else
            copy(y, x, n);
    }
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
            w->to = (uint32_t)ring_before(LINK_OF - 1);
            send_as(number++, w, n);
        }
        for (o = k->outer; o; o--)
            take(ring_before(1), k->tag);
    }
    sent();
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
        w->to = (uint32_t)(LINK_HERE + behind(s, i));
        send_as(number + (uint32_t)i - 1, w, all);
    }
}

/* Rows of n bytes, which are to be `row` apart. */
LOOP void unpack(char *to, const char *from, int32_t n, int32_t row,
                 int32_t rows)
{
    for (; rows > 0; rows--, to += row, from += n)
        copy(to, from, n);
}

/* Rows [from, to) of peer i. */
INTO void unpack_of(const struct exchange_dims *k, const struct io *io,
                    const struct phase *s, int32_t row, int i, int32_t from,
                    int32_t to)
{
    const int32_t n = k->n * row, all = k->len * row;
    const int32_t at = first_of(k, LINK_HERE + ahead(s, i)) * row;

    unpack((char *)io->out[0] + at + from * all,
           (char *)room + ((i - 1) * k->outer + from) * n, n, all, to - from);
}

/* Who waits for a chip puts its rows in place; those of the last two chips all
 * cores do, for one takes as long as it takes the next to come. */
INTO void take_packed(const struct exchange_dims *k, const struct io *io,
                      const struct phase *s, int32_t row)
{
    enum { LAST = 2 };
    int32_t i, from, to;

    for (i = first_peer(io); i < s->n; i += io->ncore) {
        take(LINK_HERE + ahead(s, i), k->tag);
        if (i < s->n - LAST)
            unpack_of(k, io, s, row, i, 0, k->outer);
    }
    meet(io->ncore);
    span(k->outer, io->core, io->ncore, &from, &to);
    for (i = s->n > LAST ? s->n - LAST : 1; i < s->n; i++)
        unpack_of(k, io, s, row, i, from, to);
    sent();
}

/* The first phase, by which shares leave.  The room is the result. */
INTO void begin_gather(const struct exchange_dims *k, const struct phases *way,
                       const struct io *io, int bytes, int opens)
{
    const struct phase s = way->phase[way->n - 1];
    const bool packed = is_packed(k, way, io);
    const enum turn turn = turn_of(k, way, io);
    struct window *w;
    const int32_t row = k->inner * bytes, n = k->n * row;

    if (packed && io->core == opens)
        room = io->tmp;
    w = begin(k, io, packed ? io->tmp : io->out[0], turn, opens);
    if (packed)
        send_packed(w, k, io, &s, k->outer * n);
    else if (s.step) {
        const struct rows r = {io->in[0], n, n, k->from * row, k->len * row};

        aim_first(w, io, &s, &r);
        send_rows(w, k, io, &s, &r, turn);
    }
}

/* What has come goes on from the result, in a phase after the first. */
INTO struct rows rows_of(const struct exchange_dims *k, const struct io *io,
                         const struct phase *s, int bytes)
{
    const int32_t row = k->inner * bytes, all = k->len * row;
    const int32_t at = first_of(k, s->block) * row;

    return (struct rows){(const char *)io->out[0] + at,
                         shares_of(k, s->block, s->step) * bytes, all, at, all};
}

/* What comes by it, and by all others: a core is ready to send on when all has
 * come. */
INTO void take_phases(struct window *w, const struct exchange_dims *k,
                      const struct phases *way, const struct io *io, int bytes)
{
    int i = way->n - 1;
    struct phase s = way->phase[i];

    while (i-- > 0) {
        const struct phase then = way->phase[i];
        const struct rows r = rows_of(k, io, &then, bytes);

        aim_first(w, io, &then, &r);
        take_all(k, io, &s, false);
        meet(io->ncore);
        send_rows(w, k, io, &then, &r, turn_of(k, way, io));
        s = then;
    }
    take_all(k, io, &s, true);
}

INTO void finish_gather(const struct exchange_dims *k, const struct phases *way,
                        const struct io *io, int bytes)
{
    const int32_t row = k->inner * bytes;
    struct window *w = window_of(io->core);
    const struct phase s = way->phase[way->n - 1];

    copy_own(k, io, row);
    if (is_packed(k, way, io))
        take_packed(k, io, &s, row);
    else if (s.step)
        take_phases(w, k, way, io, bytes);
    else
        ring_gather(w, k, io, row);
}

/* Other pieces are there already, which may lie elsewhere. */
OWN void bring_pieces(const struct exchange_dims *k, const struct io *io,
                      int bytes)
{
    const int32_t n = k->outer * k->len * k->inner * bytes;
    int32_t from, to;

    span(n, io->core, io->ncore, &from, &to);
    copy((char *)io->out[0] + from, (const char *)io->in[1] + from, to - from);
    meet(io->ncore);
}

/* A piece leaves at once, and the cores go on; the room is the result. */
void rt_team_gather_send(const struct exchange_dims *k, const struct io *io,
                         int bytes)
{
    const struct phase s = phases[k->tag].phase[0];
    const int32_t row = k->inner * bytes, n = k->n * row;
    const struct rows r = {io->in[0], n, n, k->from * row, k->len * row};
    struct window *w;

    if (io->in[1] && io->in[1] != io->out[0])
        bring_pieces(k, io, bytes);
    w = begin(k, io, io->out[0], IN_TURN, 0);
    aim_first(w, io, &s, &r);
    send_rows(w, k, io, &s, &r, IN_TURN);
    copy_own(k, io, row);
}

/* All cores may read what each has waited for. */
void rt_team_gather_take(const struct exchange_dims *k, const struct io *io)
{
    const struct phase s = phases[k->tag].phase[0];

    take_all(k, io, &s, true);
    meet(io->ncore);
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
    struct window *w = begin(k, io, io->out[0], IN_TURN, 0);
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
    for (; n >= 4; n -= 4, r += 4 * slot)
        s += r[0] + r[slot] + r[2 * slot] + r[3 * slot];
    for (; n; n--, r += slot)
        s += *r;
    return (int32_t)s;
}

/* y[n] = x[n] and that of all rows, four at a time; y may be the first row.
 * n: a multiple of four. */
LOOP void add_fours(int32_t *y, const int32_t *x, const uint32_t *from,
                    int32_t n, int32_t slot, int32_t rows)
{
    int32_t c;

    for (; n > 0; n -= 4, x += 4, y += 4, from += 4) {
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
}

/* The last few of n, or a core's of the few that a chip has. */
INTO void add_few(int32_t *y, const int32_t *x, const uint32_t *from, int32_t n,
                  int32_t slot, int32_t rows)
{
    for (; n > 0; n--, from++)
        *y++ = sum_rows((uint32_t)*x++, from, slot, rows);
}

INTO void add(int32_t *y, const int32_t *x, const uint32_t *from, int32_t n,
              int32_t slot, int32_t rows)
{
    const int32_t fours = slot < FEW ? 0 : n & ~3;

    if (fours)
        add_fours(y, x, from, fours, slot, rows);
    add_few(y + fours, x + fours, from + fours, n - fours, slot, rows);
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
                      const struct sums *p, enum turn turn)
{
    const uint32_t first = first_message(k, io, s, turn);
    int32_t i, o;

    if (!has_peer(io, s))
        return;
    i = first_peer(io);
    do {
        const int away = behind(s, i), block = s->block + away;
        const int32_t n = shares_of(k, block, s->step);
        const int32_t *x = shares_at(k, p, block);
        int32_t slot = (i - 1) * k->outer;

        for (o = k->outer; o; o--, x += p->row, slot++) {
            aim(w, x, 4 * (p->at + slot * n));
            w->to = (uint32_t)(LINK_HERE + away);
            if (turn == AT_ONCE)
                send_now(w, 4 * n);
            else
                send_as(first + (uint32_t)slot, w, 4 * n);
        }
    } while ((i += io->ncore) < s->n);
}

/* Slots that are added when all have come, the last ones: of each core the last
 * that it waits for, and the one before, to which it has added those before. */
INTO int32_t slots_left(int cores, const struct phase *s)
{
    return s->n - 1 < 2 * cores ? s->n - 1 : 2 * cores;
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

/* What comes lies `at` elements from those given, or, if NULL, from the room
 * on, which is told when anything has come. */
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

/* A core adds what it waits for to what it waits for next, but for the last. */
INTO void take_slots(const struct exchange_dims *k, const struct io *io,
                     const struct phase *s, const struct slots *all, bool ends)
{
    const int32_t n = k->outer * shares_of(k, s->block, s->step);
    int32_t i;

    for (i = first_peer(io); i < s->n; i += io->ncore) {
        uint32_t *slot;

        sent_before(io, s, i, ends);
        take_from(k, s, i);
        slot = slots_of(all) + (i - 1) * n;
        if (i > io->ncore && i + io->ncore < s->n)
            add_to(slot, slot - io->ncore * n, n);
    }
}

/* A core's elements of what this chip has after a phase: n of each row; its own
 * at x, rows of them `row` elements apart, what comes from element `at` of the
 * room on, the sum to be at y. */
struct part {
    const int32_t *x;
    int32_t row, at, *y, n;
};

/* x: all that the chip has; at: of the phase's slots. */
INTO struct part part_of(const struct exchange_dims *k, const struct io *io,
                         const struct phase *s, const int32_t *x, int32_t row,
                         int32_t at, int32_t *y)
{
    const int32_t n = shares_of(k, s->block, s->step);
    int32_t begin, end;

    span(n, io->core, io->ncore, &begin, &end);
    at += (s->n - 1 - slots_left(io->ncore, s)) * k->outer * n;
    return (struct part){x + begin, row, at + begin, y + begin, end - begin};
}

INTO void add_part(const struct exchange_dims *k, int cores,
                   const struct phase *s, const struct part *p)
{
    const int32_t n = shares_of(k, s->block, s->step), slot = k->outer * n;
    const int32_t *x = p->x;
    const uint32_t *from = room + p->at;
    int32_t *y = p->y, o;

    for (o = k->outer; o; o--, y += n, x += p->row, from += n)
        add(y, x, from, p->n, slot, slots_left(cores, s));
}

/* The end of a sum, in a function of its own, that nothing follows, and that
 * `warm` brings: when all cores have what they waited for (NOW), or before. */
enum { NOW, EARLY };
typedef void adder(const struct exchange_dims *k, int cores, const int32_t *x,
                   int32_t row, int32_t at, int32_t *y, int32_t n, int when);

INTO void add_last(const struct exchange_dims *k, const struct phases *way,
                   int cores, const struct part *p, int when)
{
    const struct phase s = way->phase[way->n - 1];

    if (when == NOW)
        meet(cores);
    add_part(k, cores, &s, p);
}

INTO void call(adder *last, const struct exchange_dims *k, int cores,
               const struct part *p, int when)
{
    last(k, cores, p->x, p->row, p->at, p->y, p->n, when);
}

INTO struct sums all_sums(const struct exchange_dims *k, const struct io *io)
{
    return (struct sums){io->in[0], 0, k->len * k->inner, 0};
}

/* Code comes slowly: core 0, which has least to send, brings what adds into the
 * cache when all has been sent, by adding what is there to where it will be
 * added again. */
INTO void warm(const struct exchange_dims *k, const struct io *io,
               const struct phases *way, const struct sums *sums, adder *last)
{
    const struct phase s = way->phase[way->n - 1];
    const int32_t *x = shares_at(k, sums, LINK_HERE);
    struct part p;

    if (io->core)
        return;
    p = part_of(k, io, &s, x, sums->row, sums->at, io->out[0]);
    call(last, k, io->ncore, &p, EARLY);
}

/* What a chip got last goes on to the next, which sends it something too. */
INTO void pass_on(struct window *w, const struct exchange_dims *k,
                    const int32_t *x, int32_t row, int32_t at, uint32_t number)
{
    const int32_t n = shares_of(k, LINK_HERE, 1);
    int32_t o;

    for (o = 0; o < k->outer; o++, x += row, at += n) {
        aim(w, x, 4 * at);
        w->to = (uint32_t)ring_before(LINK_OF - 1);
        send_as(number++, w, 4 * n);
    }
    while (o--)
        take(ring_before(1), k->tag);
}

/* Each share goes round, and every chip adds its own; the last core sends. */
INTO void ring_sum(struct window *w, const struct exchange_dims *k,
                     const struct io *io, const struct sums *sums)
{
    const int32_t n = shares_of(k, LINK_HERE, 1), slot = k->outer * n;
    const uint32_t number = before[io->core];
    const int32_t *x = shares_at(k, sums, ring_before(1));
    int32_t i, row = sums->row;

    before[io->core] += (uint32_t)k->outer * (LINK_OF - 1);
    for (i = 0; i < LINK_OF - 1; i++, row = n) {
        const struct phase alone = {1, 2, 0, (uint8_t)ring_before(i + 2)};
        struct part p;
        uint32_t *got;

        if (io->core == io->ncore - 1)
            pass_on(w, k, x, row, i * slot, number + (uint32_t)(i * k->outer));
        meet(io->ncore);
        got = room + i * slot;
        x = (const int32_t *)got;
        p = part_of(k, io, &alone, shares_at(k, sums, alone.block), sums->row,
                    i * slot, i == LINK_OF - 2 ? io->out[0] : (int32_t *)got);
        add_part(k, io->ncore, &alone, &p);
        meet(io->ncore);
    }
}

INTO void begin_sum(const struct exchange_dims *k, const struct phases *way,
                    const struct io *io, int opens)
{
    const struct phase s = way->phase[0];
    const struct sums p = all_sums(k, io);
    const enum turn turn = turn_of(k, way, io);
    struct window *w;

    if (io->core == 0 || opens)
        room = io->tmp; /* of all alike, before anything comes */
    w = begin(k, io, io->tmp, turn, opens);
    if (s.step)
        send_shares(w, k, io, &s, &p, turn);
}

/* What comes in a phase is added in the first of its slots, and sent on. */
INTO void pass_sums(struct window *w, const struct exchange_dims *k,
                    const struct io *io, const struct phase *s,
                    const struct phase *then, struct sums *p,
                    enum turn turn)
{
    const int32_t n = shares_of(k, s->block, s->step);
    const struct slots all = {NULL, p->at};
    struct part is;

    take_slots(k, io, s, &all, false);
    meet(io->ncore);
    is = part_of(k, io, s, shares_at(k, p, s->block), p->row, p->at, NULL);
    is.y = (int32_t *)(uintptr_t)(room + is.at);
    add_part(k, io->ncore, s, &is);
    meet(io->ncore);
    p->x = (int32_t *)(uintptr_t)room + p->at +
           (s->n - 1 - slots_left(io->ncore, s)) * k->outer * n;
    p->first = s->block;
    p->row = n;
    p->at += (s->n - 1) * k->outer * n;
    send_shares(w, k, io, then, p, turn);
}

/* What comes in the last one goes into the result. */
INTO void end_sum(const struct exchange_dims *k, const struct io *io,
                  const struct phase *s, const struct sums *p,
                  uint32_t *given, adder *last)
{
    const struct slots all = {given, p->at};
    const struct part is = part_of(k, io, s, shares_at(k, p, s->block), p->row,
                                   p->at, io->out[0]);

    take_slots(k, io, s, &all, true);
    call(last, k, io->ncore, &is, NOW);
}

INTO void finish_sum(const struct exchange_dims *k, const struct phases *way,
                     const struct io *io, adder *last)
{
    struct window *w = window_of(io->core);
    struct phase s = way->phase[0];
    struct sums p = all_sums(k, io);
    int i;

    if (!s.step) {
        ring_sum(w, k, io, &p);
        sent();
        return;
    }
    warm(k, io, way, &p, last);
    for (i = 1; s.step > 1; i++) {
        const struct phase then = way->phase[i];

        pass_sums(w, k, io, &s, &then, &p, turn_of(k, way, io));
        s = then;
    }
    end_sum(k, io, &s, &p, NULL, last);
}

#define LAST(i) \
    LOOP void add_##i(const struct exchange_dims *any, int cores, \
                     const int32_t *x, int32_t row, int32_t at, int32_t *y, \
                     int32_t n, int when)
#define PART \
    (&(const struct part){x, row, at, y, n})

LAST(any)
{
    add_last(any, &phases[any->tag], cores, PART, when);
}

void rt_team_send(const struct exchange_dims *k, const struct io *io)
{
    const struct phase s = phases[k->tag].phase[0];
    struct sums p = all_sums(k, io);

    send_shares(begin(k, io, io->out[0], IN_TURN, 0), k, io, &s, &p, IN_TURN);
}

void rt_team_take(const struct exchange_dims *k, const struct io *io)
{
    const struct phase s = phases[k->tag].phase[0];
    const struct sums p = all_sums(k, io);
    uint32_t *slots = (uint32_t *)(uintptr_t)io->in[1];

    if (!io->core)
        room = slots;
    end_sum(k, io, &s, &p, slots, add_any);
}

/* --- kinds --- */

#define KIND(i, ...) \
    LAST(i) \
    { \
        EXCHANGE(any->tag, __VA_ARGS__) \
        (void)cores; \
        add_last(&k, &way, ncore, PART, when); \
    } \
    OWN void finish_##i(int tag, const struct io *io) \
    { \
        EXCHANGE(tag, __VA_ARGS__) \
        TOLD(io) \
        if (k.sum) \
            finish_sum(&k, &way, &me, add_##i); \
        else \
            finish_gather(&k, &way, &me, bytes); \
    } \
    void rt_exchange_##i(const void *of, const struct io *io); \
    void rt_exchange_##i(const void *of, const struct io *io) \
    { \
        const int tag = ((const struct exchange_dims *)of)->tag; \
        EXCHANGE(tag, __VA_ARGS__) \
        TOLD(io) \
        if (k.sum) \
            begin_sum(&k, &way, &me, ncore - 1); \
        else \
            begin_gather(&k, &way, &me, bytes, ncore - 1); \
        finish_##i(tag, io); \
    }
#define EXCHANGE(tag_, cores, scratch, add, bytes_, outer_, n_, inner_, from_, \
                 len_, parts_, part_, ...) \
    const struct exchange_dims k = { \
        .outer = outer_, .n = n_, .inner = inner_, .from = from_, .len = len_, \
        .parts = parts_, .part = part_, .tag = tag_, .sum = add \
    }; \
    const struct phases way = __VA_ARGS__; \
    const int bytes = bytes_, ncore = cores, each = scratch; \
\
    (void)bytes, (void)each;

/* What a core is told, with what is known of all: how many cores there are, and
 * where scratch memory begins. */
#define TOLD(io) \
    struct io me = *(io); \
\
    me.ncore = ncore; \
    me.tmp = (char *)me.tmp - me.core * each; \
    if (me.core < 0 || me.core >= ncore) \
        __builtin_unreachable();

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
    begin_gather(k, &phases[k->tag], io, bytes, 0);
    finish_any(k, io, bytes);
}

void rt_team_sum(const struct exchange_dims *k, const struct io *io)
{
    begin_sum(k, &phases[k->tag], io, 0);
    finish_any(k, io, 4);
}

/* Kernels of one core. */
void rt_exchange(const struct exchange_dims *k, void *b, int bytes)
{
    (void)b;
    (void)bytes;
    stop(k->tag, LINK_ROOM, LINK_HERE);
}
