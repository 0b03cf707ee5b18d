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
#define LAST_WORDS static __attribute__((noreturn, noinline, cold))

/* Code comes a byte a cycle from the L2: less is quicker, but for LOOPs, and
 * MAIN, where what most cores do is to lie in a row, on as few lines as can be. */
#ifdef __clang__
#define LOOP OWN
#define MAIN
#else
#pragma GCC optimize("Os")
#define LOOP OWN __attribute__((optimize("O2")))
#define MAIN __attribute__((aligned(16), optimize("O2")))
#endif

enum { ID = 0x00, CHIPS = 0x04, SENDING = 0x18, ROOM = 0x24, OPEN = 0x28,
       LIMIT = 0x2c, WAIT_OF = 0x100, WINDOW = 0x200, WINDOW_SIZE = 0x20,
       WINDOWS = 16 };
/* Of a share that has fewer numbers a core adds a few; code is the shorter, if
 * fewer bytes are copied one by one. */
enum { FEW = 32 };
enum { SENDERS = PULP_BARRIER + 0x20 }; /* a barrier of those that send */
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
enum { AGREEMENT = -1 };
/* In L1, where a plan leaves room for it, and for a fault. */
static uint32_t before[WINDOWS]; /* messages of exchanges so far, as each core
                                    counts them */
static volatile uint32_t next; /* which of them leaves next */
static struct agreement mine, other[LINK_OF];
static uint32_t runs;
static volatile int said, under_way; /* the last exchange that has begun */
static uint32_t *volatile room; /* where what comes is added, or unpacked */
static char text[256];
__extension__
_Static_assert(sizeof before + sizeof next + sizeof mine + sizeof other +
                   sizeof runs + sizeof said + sizeof under_way + sizeof room +
                   sizeof text <= LINK_L1_BYTES, "more L1 than a plan leaves");

LAST_WORDS void stop(int error, int peer)
{
    const int tag = under_way;
    const struct link_fault f = {
        .chip = LINK_HERE, .error = error, .peer = peer,
        .tag = tag < 0 ? LINK_AGREEMENT : (uint32_t)tag,
    };

    while (said)
        ;
    said = 1;
    link_say(&f, tag < 0 ? 0 : layer[tag], text, sizeof text);
    rt_print(text);
    rt_print("\n");
    rt_exit(5);
    for (;;)
        ;
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

LAST_WORDS void fault(uint32_t v, int from)
{
    stop(v == LATE ? LINK_LATE : v & BROKEN ? LINK_BROKEN : LINK_ORDER, from);
}

/* When a message leaves: in its turn, by its number; or, where no core has two
 * and a chip's share is of few numbers, as soon as a core can say so, all cores
 * at about the same time: messages that want the same way in are short then. */
enum turn { IN_TURN, AT_ONCE };

INTO void leave(uint32_t number, struct window *w, int32_t n, enum turn turn)
{
    if (turn == AT_ONCE)
        send_now(w, n);
    else
        send_as(number, w, n);
}

/* Where a core waits for a chip: known before it waits for anything else. */
INTO const volatile uint32_t *wait_of(int from)
{
    const volatile uint32_t *at = &REG(WAIT_OF + 4 * from);

    __asm__ volatile("" : "+r"(at));
    return at;
}

/* The next message of a chip is there. */
INTO void take(const volatile uint32_t *at, int from)
{
    uint32_t v = *at;

    __asm__ volatile("" ::: "memory");
    if (__builtin_expect(v != (uint32_t)from, 0))
        fault(v, from);
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

/* How far from this chip the one is that is i places behind it, or before:
 * without branches, where that can be, for they are code. */
INTO int digits_away(const struct phase *s, int to)
{
    if (s->n & (s->n - 1))
        return to < 0 ? to + s->n : to < s->n ? to : to - s->n;
    return to & (s->n - 1);
}

INTO int behind(const struct phase *s, int i)
{
    return s->step * (digits_away(s, s->digit + i) - s->digit);
}

INTO int ahead(const struct phase *s, int i)
{
    return s->step * (digits_away(s, s->digit - i) - s->digit);
}

/* Core 0 sends and takes nothing where there are others, for it may come late,
 * of transfers; nor do they wait for it, but where all add. */
INTO bool core_0_rests(const struct io *io)
{
    return io->ncore > 2;
}

INTO int senders(const struct io *io)
{
    return io->ncore - core_0_rests(io);
}

/* The first chip behind this one that a core sends to; where core 0 does, it
 * comes last. */
INTO int first_peer(const struct io *io)
{
    return io->core || core_0_rests(io) ? io->core : io->ncore;
}

INTO bool has_peer(const struct io *io, const struct phase *s)
{
    if (core_0_rests(io) && s->n >= io->ncore)
        return io->core;
    return first_peer(io) && first_peer(io) < s->n;
}

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

/* In a pipeline chips differ in what is exchanged. */
INTO bool is_passed(const struct exchange_dims *k)
{
    return !k->sum && !k->parts;
}

/* Short rows go in one message, which comes into scratch memory, where there is
 * such, and are copied to where they belong: many messages of chips that come
 * late meet on the ways in. */
INTO bool is_packed(const struct exchange_dims *k, const struct phases *way,
                    const struct io *io)
{
    return !k->sum && k->outer > 1 && way->n == 1 && way->phase[0].step == 1 &&
           k->parts % LINK_OF == 0 && io->tmp;
}

/* How much `before` of each core goes on by an exchange. */
INTO uint32_t counted(const struct exchange_dims *k, const struct phases *way,
                      const struct io *io, enum turn turn)
{
    uint32_t n = 0;
    int i;

    if (turn == AT_ONCE)
        return 1;
    if (is_packed(k, way, io))
        return (uint32_t)way->phase[0].n - 1;
    for (i = 0; i < way->n; i++)
        n += (uint32_t)(k->outer * (way->phase[i].n - 1));
    return n;
}

/* The tag of an exchange before which there were `first` messages. */
INTO uint32_t next_tag(uint32_t first)
{
    return (first & (FIRST_TAG - 1)) + 1;
}

INTO uint32_t tag_of(const struct exchange_dims *k, uint32_t first)
{
    return is_passed(k) ? (uint32_t)k->tag + 1 : next_tag(first);
}

INTO bool two_windows(const struct io *io)
{
    return 2 * io->ncore <= WINDOWS;
}

/* A core's window of phase i of those after one another. */
INTO struct window *window_at(const struct io *io, int i)
{
    return window_of(io->core + (two_windows(io) && i % 2 ? io->ncore : 0));
}

/* When a core has sent all: numbers of messages go on, and its windows have the
 * tag of the next exchange. */
INTO void count(const struct exchange_dims *k, const struct phases *way,
                const struct io *io, enum turn turn)
{
    const uint32_t all = before[io->core] + counted(k, way, io, turn);
    const uint32_t tag = next_tag(all);

    before[io->core] = all;
    window_at(io, 0)->tag = tag;
    if (two_windows(io))
        window_at(io, 1)->tag = tag;
    if (turn == AT_ONCE && __builtin_expect(io->core == io->ncore - 1, 0))
        next = all;
}

/* One core opens the room before anything of it may come, `first` being the
 * number of the first message. */
INTO void open(const struct exchange_dims *k, void *at, uint32_t first)
{
    open_room(at, tag_of(k, first));
    under_way = k->tag;
}

/* What comes behind is read behind: that one core opens early counts most. */
INTO void opened(void)
{
    __asm__ volatile("" ::: "memory");
}

/* --- agreement --- */

void rt_link_begin(void)
{
    const uint32_t all = ((1u << pulp_cores()) - 1) & ~1u;
    uint32_t tag = FIRST_TAG + runs++;
    struct window *w = window_of(0);
    int i;

    under_way = AGREEMENT;
    if (REG(ID) != LINK_HERE || REG(CHIPS) != LINK_OF)
        stop(LINK_PLACE, (int)REG(ID));
    mine = (struct agreement){LINK_VERSION, LINK_OF, {
        (uint32_t)LINK_MODEL_HASH, (uint32_t)(LINK_MODEL_HASH >> 32)}};
    REG(LIMIT) = LINK_CYCLES;
    PULP_REG(SENDERS) = all;
    PULP_REG(SENDERS + 0x0c) = all;
    open_room(other, tag);
    w->tag = tag;
    aim(w, &mine, (int32_t)sizeof mine * LINK_HERE);
    for (i = LINK_HERE + 1; i < LINK_HERE + LINK_OF; i++)
        send(w, i < LINK_OF ? i : i - LINK_OF, sizeof mine);
    for (i = 0; i < WINDOWS; i++)
        window_of(i)->tag = next_tag(before[0]);
    for (i = 0; i < LINK_OF; i++)
        if (i != LINK_HERE)
            take(wait_of(i), i);
    for (i = 0; i < LINK_OF; i++)
        if (i != LINK_HERE && memcmp(&mine, &other[i], sizeof mine))
            stop(other[i].version == LINK_VERSION ? LINK_MODEL
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
    if (ends && i + senders(io) >= s->n)
        sent();
}

/* Has each core one message of a phase at most? */
INTO bool is_once(const struct io *io, const struct phase *s)
{
    return s->n - 1 <= senders(io);
}

/* What the others of a phase give each core waits for; each has a share
 * (shard.h). */
INTO void take_all(const struct exchange_dims *k, const struct io *io,
                   const struct phase *s, bool ends)
{
    int32_t i, o;

    if (!has_peer(io, s))
        return;
    i = first_peer(io);
    do {
        const int from = LINK_HERE + ahead(s, i);
        const volatile uint32_t *at = wait_of(from);

        sent_before(io, s, i, ends);
        for (o = k->outer; o; o--)
            take(at, from);
    } while (!is_once(io, s) && (i += senders(io)) < s->n);
}

INTO void meet(int cores)
{
    if (cores > 1)
        pulp_barrier();
}

/* Those that send meet. */
INTO void meet_senders(const struct io *io)
{
    if (!core_0_rests(io))
        meet(io->ncore);
    else if (io->core)
        pulp_event_load(SENDERS + 0x1c);
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

INTO void copy_words(uint32_t *to, const uint32_t *from, int32_t n)
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

/* To all of a phase; the first is aimed.  Messages are numbered from `number`
 * on. */
INTO void send_rows(struct window *w, const struct exchange_dims *k,
                    const struct io *io, const struct phase *s,
                    const struct rows *r, uint32_t number, enum turn turn)
{
    int32_t i, o = 0;

    if (!has_peer(io, s))
        return;
    do {
        i = first_peer(io);
        if (o)
            aim(w, r->x + o * r->row, r->at + o * r->all);
        do {
            if (!is_once(io, s) ? o || i > first_peer(io) : o)
                w->to = (uint32_t)(LINK_HERE + behind(s, i));
            leave(number + (uint32_t)(o * (s->n - 1) + i - 1), w, r->n, turn);
        } while (!is_once(io, s) && (i += senders(io)) < s->n);
    } while (++o < k->outer);
}

/* This chip's share where it belongs: by those that send, who meet before it
 * goes on. */
INTO void copy_own(const struct exchange_dims *k, const struct io *io,
                   int32_t row)
{
    const int32_t n = k->n * row, at = k->from * row, all = k->len * row;
    const int cores = senders(io), core = io->core - core_0_rests(io);
    int32_t o, from = 0, to = k->outer;

    if (core < 0 || (k->outer < cores && __builtin_expect(core, 1)))
        return;
    if (k->outer >= cores)
        span(k->outer, core, cores, &from, &to);
    for (o = from; o < to; o++) {
        char *y = (char *)io->out[0] + o * all + at;
        const char *x = (const char *)io->in[0] + o * n;

        if (n <= FEW && n % 4 == 0 && !(((uintptr_t)x | (uintptr_t)y) & 3))
            copy_words((uint32_t *)(void *)y, (const void *)x, n / 4);
        else if (n <= FEW)
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
                      const struct io *io, int32_t row, uint32_t number)
{
    const int32_t n = k->n * row, all = k->len * row;
    int32_t i, o;

    for (i = 0; i < LINK_OF - 1 && io->core == io->ncore - 1; i++) {
        int32_t at = first_of(k, ring_before(i)) * row;
        const char *x = i ? (const char *)io->out[0] + at : io->in[0];

        for (o = k->outer; o; o--, x += i ? all : n, at += all) {
            aim(w, x, at);
            w->to = (uint32_t)ring_before(LINK_OF - 1);
            send_as(number++, w, n);
        }
        for (o = k->outer; o; o--)
            take(wait_of(ring_before(1)), ring_before(1));
    }
    sent();
}

INTO void aim_packed(struct window *w, const struct io *io,
                     const struct phase *s, int i, int32_t all)
{
    aim(w, io->in[0], (i - 1) * all);
    w->to = (uint32_t)(LINK_HERE + behind(s, i));
}

/* The first is aimed. */
INTO void send_packed(struct window *w, const struct io *io,
                      const struct phase *s, int32_t all, uint32_t number)
{
    int32_t i;

    for (i = first_peer(io); i && i < s->n; i += senders(io)) {
        if (i > first_peer(io))
            aim_packed(w, io, s, i, all);
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

    for (i = first_peer(io); i && i < s->n; i += senders(io)) {
        take(wait_of(LINK_HERE + ahead(s, i)), LINK_HERE + ahead(s, i));
        if (i < s->n - LAST)
            unpack_of(k, io, s, row, i, 0, k->outer);
    }
    meet(io->ncore);
    span(k->outer, io->core, io->ncore, &from, &to);
    for (i = s->n > LAST ? s->n - LAST : 1; i < s->n; i++)
        unpack_of(k, io, s, row, i, from, to);
    sent();
}

/* Rows of a share. */
INTO struct rows own_rows(const struct exchange_dims *k, const struct io *io,
                          int bytes)
{
    const int32_t row = k->inner * bytes, n = k->n * row;

    return (struct rows){io->in[0], n, n, k->from * row, k->len * row};
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

/* What a core sends first. */
INTO void aim_own(const struct exchange_dims *k, const struct phases *way,
                  const struct io *io, const struct rows *r)
{
    struct window *w = window_of(io->core);
    const struct phase s = way->phase[way->n - 1];

    if (!s.step || !has_peer(io, &s))
        return;
    if (is_packed(k, way, io))
        aim_packed(w, io, &s, first_peer(io), k->outer * r->n);
    else
        aim_first(w, io, &s, r);
}

/* What has come goes on from the result, which is the room, when those that
 * send have what comes by a phase: in all phases behind the first. */
INTO void pass_rows(const struct exchange_dims *k, const struct phases *way,
                    const struct io *io, int bytes, uint32_t number,
                    enum turn turn)
{
    struct phase s = way->phase[way->n - 1];
    int i;

    for (i = 1; i < way->n; i++) {
        const struct phase then = way->phase[way->n - 1 - i];
        const struct rows r = rows_of(k, io, &then, bytes);
        struct window *w = window_at(io, i);

        aim_first(w, io, &then, &r);
        take_all(k, io, &s, false);
        meet_senders(io);
        number += (uint32_t)(k->outer * (s.n - 1));
        send_rows(w, k, io, &then, &r, number, turn);
        s = then;
    }
}

/* The room is the result, or scratch memory. */
INTO void open_gather(const struct exchange_dims *k, const struct phases *way,
                      const struct io *io)
{
    const bool packed = is_packed(k, way, io);

    if (packed)
        room = io->tmp;
    open(k, packed ? io->tmp : io->out[0], before[io->core]);
}

INTO void gather(const struct exchange_dims *k, const struct phases *way,
                 const struct io *io, int bytes, bool rests)
{
    const bool packed = is_packed(k, way, io);
    const enum turn turn = turn_of(k, way, io);
    const struct rows r = own_rows(k, io, bytes);
    const struct phase s = way->phase[way->n - 1], end = way->phase[0];
    struct window *w = window_of(io->core);
    const uint32_t number = before[io->core];

    if (rests && core_0_rests(io) && !packed && s.step &&
        __builtin_expect(!io->core, 0)) {
        count(k, way, io, turn);
        return;
    }
    aim_own(k, way, io, &r);
    if (packed)
        send_packed(w, io, &s, k->outer * r.n, number);
    else if (s.step)
        send_rows(w, k, io, &s, &r, number, turn);
    copy_own(k, io, k->inner * bytes);
    if (s.step)
        pass_rows(k, way, io, bytes, number, turn);
    else
        ring_gather(w, k, io, k->inner * bytes, number);
    count(k, way, io, turn);
    if (packed)
        take_packed(k, io, &s, k->inner * bytes);
    else if (s.step)
        take_all(k, io, &end, true);
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
    const struct phases *way = &phases[k->tag];
    const struct phase s = way->phase[0];
    const struct rows r = own_rows(k, io, bytes);
    const uint32_t number = before[io->core];
    struct window *w = window_of(io->core);

    if (io->in[1] && io->in[1] != io->out[0])
        bring_pieces(k, io, bytes);
    if (!io->core)
        open(k, io->out[0], number);
    aim_first(w, io, &s, &r);
    send_rows(w, k, io, &s, &r, number, IN_TURN);
    count(k, way, io, IN_TURN);
    copy_own(k, io, k->inner * bytes);
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
    while (next != before[0])
        ;
    aim(w, x, k->at * row);
    if (k->up)
        send(w, LINK_HERE - 1, k->up * row);
    aim(w, x + (k->n - k->down) * row, 0);
    if (k->down)
        send(w, LINK_HERE + 1, k->down * row);
    next = before[0] + (uint32_t)k->outer * (LINK_OF - 1);
}

/* What comes of the neighbours is there, what goes there has left. */
OWN void take_halo(const struct exchange_dims *k)
{
    if (k->from)
        take(wait_of(LINK_HERE - 1), LINK_HERE - 1);
    if (k->from + k->n < k->len)
        take(wait_of(LINK_HERE + 1), LINK_HERE + 1);
    sent();
}

/* Core 0 sends and takes, all copy; the room is the result.  outer: 1. */
void rt_team_halo(const struct exchange_dims *k, const struct io *io, int bytes)
{
    struct window *w = window_of(io->core);
    const int32_t row = k->inner * bytes, n = k->n * row;
    const char *x = io->in[0];
    int32_t from, to;

    if (!io->core) {
        w->tag = tag_of(k, before[0]);
        open(k, io->out[0], before[0]);
        send_halo(k, w, x, row);
    }
    count(k, &phases[k->tag], io, IN_TURN);
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

/* Row o of what the chip will have that is i behind, into its slot i - 1. */
INTO void aim_share(struct window *w, const struct exchange_dims *k,
                    const struct phase *s, const struct sums *p, int i,
                    int32_t o)
{
    const int away = behind(s, i), block = s->block + away;
    const int32_t n = shares_of(k, block, s->step);

    aim(w, shares_at(k, p, block) + o * p->row,
        4 * (p->at + ((i - 1) * k->outer + o) * n));
    w->to = (uint32_t)(LINK_HERE + away);
}

/* The first is aimed. */
INTO void send_shares(struct window *w, const struct exchange_dims *k,
                      const struct io *io, const struct phase *s,
                      const struct sums *p, uint32_t number, enum turn turn)
{
    const int first = first_peer(io);
    int32_t i = first, o;

    if (!has_peer(io, s))
        return;
    do {
        const int32_t n = shares_of(k, s->block + behind(s, i), s->step);

        for (o = 0; o < k->outer; o++) {
            if (o || i > first)
                aim_share(w, k, s, p, i, o);
            leave(number + (uint32_t)((i - 1) * k->outer + o), w, 4 * n, turn);
        }
    } while (!is_once(io, s) && (i += senders(io)) < s->n);
}

/* Slots that are added when all have come: the last two of each core, and one
 * to which those before have been added; or all, if there are not many more. */
INTO int32_t slots_left(int cores, const struct phase *s)
{
    return s->n - 1 < 3 * cores ? s->n - 1 : 2 * cores + 1;
}

INTO int32_t slots_first(int cores, const struct phase *s)
{
    return s->n - slots_left(cores, s);
}

/* What others give a core from peer i on up to `to`; where it goes on. */
INTO int32_t take_from(const struct exchange_dims *k, const struct io *io,
                       const struct phase *s, int32_t i, int32_t to, bool ends)
{
    int32_t o;

    for (; i < to; i += senders(io)) {
        const int from = LINK_HERE + ahead(s, i);
        const volatile uint32_t *at = wait_of(from);

        sent_before(io, s, i, ends);
        for (o = k->outer; o; o--)
            take(at, from);
    }
    return i;
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
    at += (s->n - 1 - slots_left(senders(io), s)) * k->outer * n;
    return (struct part){x + begin, row, at + begin, y + begin, end - begin};
}

/* The sum of x and of so many slots. */
INTO void add_part(const struct exchange_dims *k, const struct phase *s,
                   const struct part *p, int32_t slots)
{
    const int32_t n = shares_of(k, s->block, s->step);
    const int32_t *x = p->x;
    const uint32_t *from = room + p->at;
    int32_t *y = p->y, o;

    for (o = k->outer; o; o--, y += n, x += p->row, from += n)
        add(y, x, from, p->n, k->outer * n, slots);
}

/* A sum of what has come, in a function of its own, which `warm` brings; cores
 * meet before. */
typedef void adder(const struct exchange_dims *k, const struct part *p,
                   int32_t slots);

INTO void add_last(const struct exchange_dims *k, const struct phases *way,
                   const struct part *p, int32_t slots)
{
    const struct phase s = way->phase[way->n - 1];

    add_part(k, &s, p, slots);
}

/* Those that come before the last ones are added to the last of them. */
INTO struct part first_part(const struct exchange_dims *k, const struct io *io,
                            const struct phase *s, int32_t at)
{
    const int32_t n = shares_of(k, s->block, s->step), slot = k->outer * n;
    int32_t *x = (int32_t *)(uintptr_t)room + at, begin, end;

    span(n, io->core, io->ncore, &begin, &end);
    x += begin;
    return (struct part){x, n, at + slot + begin,
                         x + (slots_first(senders(io), s) - 1) * slot,
                         end - begin};
}

/* All that come in a phase are there, and added: to `is`, in rounds of the same
 * code.  sum: of the last phase; NULL: of another. */
INTO void add_slots(const struct exchange_dims *k, const struct io *io,
                    const struct phase *s, int32_t at, const struct part *is,
                    adder *sum, bool ends)
{
    const int32_t first = slots_first(senders(io), s);
    int32_t i = has_peer(io, s) ? first_peer(io) : s->n;
    int32_t to = first > 1 ? first + 1 : s->n;
    int32_t slots = first > 1 ? first - 1 : slots_left(senders(io), s);
    struct part p = *is;

    if (first > 1)
        p = first_part(k, io, s, at);
    for (;;) {
        i = take_from(k, io, s, i, to, ends);
        meet(io->ncore);
        if (sum)
            sum(k, &p, slots);
        else
            add_part(k, s, &p, slots);
        if (to == s->n)
            return;
        to = s->n;
        slots = slots_left(senders(io), s);
        p = *is;
    }
}

INTO struct sums all_sums(const struct exchange_dims *k, const void *x)
{
    return (struct sums){x, 0, k->len * k->inner, 0};
}

/* Code comes slowly: core 0, which has least to send, brings what adds into the
 * cache when all has been sent, by adding what is there to where it will be
 * added again; or it has been there, for the first slots. */
INTO void warm(const struct exchange_dims *k, const struct io *io,
               const struct phases *way, const struct sums *sums, adder *last)
{
    const struct phase s = way->phase[way->n - 1];
    const int32_t *x = shares_at(k, sums, LINK_HERE);
    const int32_t slots = slots_left(senders(io), &s);
    struct part p;

    if (io->core || slots < s.n - 1)
        return;
    p = part_of(k, io, &s, x, sums->row, sums->at, io->out[0]);
    last(k, &p, slots);
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
        take(wait_of(ring_before(1)), ring_before(1));
}

/* Each share goes round, and every chip adds its own; the last core sends. */
INTO void ring_sum(struct window *w, const struct exchange_dims *k,
                   const struct io *io, const struct sums *sums,
                   uint32_t number)
{
    const int32_t n = shares_of(k, LINK_HERE, 1), slot = k->outer * n;
    const int32_t *x = shares_at(k, sums, ring_before(1));
    int32_t i, row = sums->row;

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
        add_part(k, &alone, &p, 1);
        meet(io->ncore);
    }
}

/* What comes in a phase is added in the first of its slots, and sent on. */
INTO void pass_sums(struct window *w, const struct exchange_dims *k,
                    const struct io *io, const struct phase *s,
                    const struct phase *then, struct sums *p, uint32_t number,
                    enum turn turn)
{
    const int32_t n = shares_of(k, s->block, s->step);
    struct part is;

    is = part_of(k, io, s, shares_at(k, p, s->block), p->row, p->at, NULL);
    is.y = (int32_t *)(uintptr_t)(room + is.at);
    add_slots(k, io, s, p->at, &is, NULL, false);
    meet(io->ncore);
    p->x = (int32_t *)(uintptr_t)room + p->at +
           (s->n - 1 - slots_left(senders(io), s)) * k->outer * n;
    p->first = s->block;
    p->row = n;
    p->at += (s->n - 1) * k->outer * n;
    if (!has_peer(io, then))
        return;
    aim_share(w, k, then, p, first_peer(io), 0);
    send_shares(w, k, io, then, p, number, turn);
}

/* What comes in the last one goes into the result. */
INTO void end_sum(const struct exchange_dims *k, const struct io *io,
                  const struct phase *s, const struct sums *p,
                  adder *last)
{
    const struct part is = part_of(k, io, s, shares_at(k, p, s->block), p->row,
                                   p->at, io->out[0]);

    add_slots(k, io, s, p->at, &is, last, true);
}

/* The same, with a stack of its own. */
OWN void pass_any(const struct exchange_dims *k, const struct io *io,
                  const struct phase *s, const struct phase *then,
                  struct sums *p, uint32_t number)
{
    pass_sums(window_of(io->core), k, io, s, then, p, number,
              turn_of(k, &phases[k->tag], io));
}

/* All phases behind the first. */
INTO void pass_all(const struct exchange_dims *k, const struct phases *way,
                   const struct io *io, adder *last, uint32_t number,
                   bool known)
{
    const enum turn turn = turn_of(k, way, io);
    struct phase s = way->phase[0];
    struct sums p = all_sums(k, io->in[0]);
    int i;

    for (i = 1; s.step > 1; i++) {
        const struct phase then = way->phase[i];

        number += (uint32_t)(k->outer * (s.n - 1));
        if (known)
            pass_sums(window_of(io->core), k, io, &s, &then, &p, number, turn);
        else
            pass_any(k, io, &s, &then, &p, number);
        s = then;
    }
    count(k, way, io, turn);
    end_sum(k, io, &s, &p, last);
}

/* The room is scratch memory. */
INTO void open_sum(const struct exchange_dims *k, const struct io *io)
{
    room = io->tmp;
    open(k, io->tmp, before[io->core]);
}

INTO void begin_sum(const struct exchange_dims *k, const struct phases *way,
                    const struct io *io)
{
    const struct phase s = way->phase[0];
    const struct sums p = all_sums(k, io->in[0]);
    const uint32_t number = before[io->core];
    struct window *w = window_of(io->core);

    if (!s.step || !has_peer(io, &s))
        return;
    aim_share(w, k, &s, &p, first_peer(io), 0);
    send_shares(w, k, io, &s, &p, number, turn_of(k, way, io));
}

/* These in functions of their own, lest registers are saved for them before the
 * first message. */
INTO void finish_ring(const struct exchange_dims *k, const struct phases *way,
                      const struct io *io)
{
    const struct sums p = all_sums(k, io->in[0]);

    ring_sum(window_of(io->core), k, io, &p, before[io->core]);
    count(k, way, io, IN_TURN);
    sent();
}

INTO void finish_sum(const struct exchange_dims *k, const struct phases *way,
                     const struct io *io, adder *last, bool known)
{
    const struct sums p = all_sums(k, io->in[0]);

    warm(k, io, way, &p, last);
    pass_all(k, way, io, last, before[io->core], known);
}

#define LAST(i) \
    LOOP void add_##i(const struct exchange_dims *any, const struct part *p, \
                      int32_t slots)

LAST(any)
{
    add_last(any, &phases[any->tag], p, slots);
}

void rt_team_send(const struct exchange_dims *k, const struct io *io)
{
    const struct phases *way = &phases[k->tag];
    const struct phase s = way->phase[0];
    const struct sums p = all_sums(k, io->in[0]);
    const uint32_t number = before[io->core];
    struct window *w = window_of(io->core);

    if (!io->core)
        open(k, io->out[0], number);
    if (has_peer(io, &s)) {
        aim_share(w, k, &s, &p, first_peer(io), 0);
        send_shares(w, k, io, &s, &p, number, IN_TURN);
    }
    count(k, way, io, IN_TURN);
}

void rt_team_take(const struct exchange_dims *k, const struct io *io)
{
    const struct phase s = phases[k->tag].phase[0];
    const struct sums p = all_sums(k, io->in[0]);

    if (!io->core)
        room = (uint32_t *)(uintptr_t)io->in[1];
    end_sum(k, io, &s, &p, add_any);
}

/* --- kinds --- */

#define KIND(i, ...) \
    LAST(i) \
    { \
        EXCHANGE(any->tag, __VA_ARGS__) \
        (void)ncore; \
        add_last(&k, &way, p, slots); \
    } \
    OWN void finish_##i(const struct io *io) \
    { \
        EXCHANGE(0, __VA_ARGS__) \
        TOLD(io) \
        if (way.phase[0].step) \
            finish_sum(&k, &way, &me, add_##i, true); \
        else \
            finish_ring(&k, &way, &me); \
    } \
    void rt_exchange_##i(const void *of, const struct io *io); \
    MAIN void rt_exchange_##i(const void *of, const struct io *io) \
    { \
        EXCHANGE(((const struct exchange_dims *)of)->tag, __VA_ARGS__) \
        if (__builtin_expect(io->core == ncore - 1, 0)) { \
            TOLD(io) \
            if (k.sum) \
                open_sum(&k, &me); \
            else \
                open_gather(&k, &way, &me); \
        } \
        opened(); \
        TOLD(io) \
        if (k.sum) { \
            begin_sum(&k, &way, &me); \
            finish_##i(io); \
        } else { \
            gather(&k, &way, &me, bytes, true); \
        } \
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

void rt_team_gather(const struct exchange_dims *k, const struct io *io,
                    int bytes)
{
    const struct phases *way = &phases[k->tag];

    if (!io->core)
        open_gather(k, way, io);
    gather(k, way, io, bytes, false);
}

OWN void finish_any(const struct exchange_dims *k, const struct io *io)
{
    finish_sum(k, &phases[k->tag], io, add_any, false);
}

OWN void ring_any(const struct exchange_dims *k, const struct io *io)
{
    finish_ring(k, &phases[k->tag], io);
}

OWN void begin_any(const struct exchange_dims *k, const struct io *io)
{
    begin_sum(k, &phases[k->tag], io);
}

void rt_team_sum(const struct exchange_dims *k, const struct io *io)
{
    if (!io->core)
        open_sum(k, io);
    begin_any(k, io);
    if (phases[k->tag].phase[0].step)
        finish_any(k, io);
    else
        ring_any(k, io);
}

/* Kernels of one core. */
void rt_exchange(const struct exchange_dims *k, void *b, int bytes)
{
    (void)b;
    (void)bytes;
    under_way = k->tag;
    stop(LINK_ROOM, LINK_HERE);
}
