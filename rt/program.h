/* A network on a team of cores: a program of records, which every core works
 * through, and the loop that does it.
 *
 * The program comes in pages.  While one is worked on, the next is on its way
 * to the other of two small buffers in the nearest memory, so whatever is read
 * again and again - records, and what kernels are told of their operators -
 * costs no more than a cycle or two.  A record is a few words, the first of
 * which says what to do:
 *
 *   CALL    all cores meet; then a kernel on all of them, or on core 0: kernel,
 *           what it is told, the memories of its operands, bytes of scratch per
 *           core, operands (RT_DEFERRED: core 0 has its share at SHARE;
 *           RT_LAST: with it, a layer is done)
 *   BARRIER all cores meet: what comes now asks for the kernel's results
 *   MOVE    begins a transfer between two memories under a slot, which
 *           several may share
 *   START   begins a kernel of an accelerator, a job, under a slot; as CALL,
 *           but that core 0 alone calls the kernel, which begins the job.  The
 *           others look at its operands too: what they would wait for anyway
 *           brings the code into the cache that all share
 *   JOB     a START of a job that its registers tell whole: where the team
 *           writes them (RT_REGISTERS), places are in the order of registers
 *           and no kernel is called; elsewhere the kernel is
 *   JOB_REST behind JOB: the last rows, which are another job of that slot
 *   WAIT    for the transfers of a slot, or its job
 *   LAYER   a layer is done when all have met
 *   LOOP    what stands before NEXT is done so many times; records in it may
 *           have for each operand the distance by which it moves every time
 *   END     of the page: all cores meet
 *
 * Transfers are core 0's affair; where cores meet, the others see what it has
 * waited for, and it sees what they have done.  A core that is through with its
 * share of a kernel makes ready for the next one before it meets the others.
 *
 * Memories are numbered from 1; an operand in memory 0 is a constant's own
 * address, or NULL; in memory 3, where that is no other (RT_VALUES), a constant
 * on the page itself.  Defined before this is included: RT_CORES, how many
 * cores the team has; RT_VALUES; RT_FAR, whether there are transfers to
 * external memory; RT_SLOTS, how many slots, and RT_IO_SLOT, the first of them
 * for such transfers; RT_LARGEST, bytes of the longest transfer; RT_ALONE, if
 * the engine takes one transfer at a time; RT_JOB_SLOT, the first slot of jobs,
 * if there are any; and, where there are run-time numbers, RT_FOLLOW(net, page,
 * at), which changes a page that has come as they say.  What differs from chip
 * to chip is in its team.h. */
#ifndef PROGRAM_H
#define PROGRAM_H

#ifndef MARK_WAIT
#define MARK_WAIT() ((void)0)
#define MARK_WAITED() ((void)0)
#define MARK_WORK() ((void)0)
#define MARK_WORKED() ((void)0)
#endif

#ifndef RT_ALONE
#define RT_ALONE 0
#endif

/* What is seldom so has its code elsewhere: lines of the instruction cache
 * hold what comes next. */
#define RT_SELDOM(x) __builtin_expect(!!(x), 0)
#define RT_MOSTLY(x) __builtin_expect(!!(x), 1)
#define RT_NOINLINE __attribute__((noinline))
#define RT_INLINE inline __attribute__((always_inline))

typedef intptr_t rt_word;
typedef void rt_kernel(const void *k, const struct io *io);

struct rt_page {
    const void *at; /* records, then what kernels are told */
    int32_t bytes;
};

/* A place in the program: word 0 of the page behind the last is its end. */
struct rt_spot {
    int16_t page, word;
};

/* A kernel under the type of all: its code itself where the assembler has C's
 * names (RT_C_NAMES), lest each call take a jump more. */
#ifdef RT_C_NAMES
#define KERNEL(n, f) \
    void kern_##n(const void *k, const struct io *io) __asm__(#f);
#else
#define KERNEL(n, f) \
    static void kern_##n(const void *k, const struct io *io) { f(k, io); }
#endif

/* What to do: a bit each.  A switch would be a table in a memory that is slow
 * to read.  Those of RT_LEADS are for core 0 alone. */
enum { RT_MOVE = 1, RT_WAIT = 2, RT_CALL = 4, RT_NEXT = 8, RT_LAYER = 16,
       RT_SYNC = 32, RT_SHARE = 64, RT_LOOP = 128,
       RT_LEADS = RT_MOVE | RT_WAIT | RT_LAYER | RT_SHARE,
       RT_START = RT_CALL | RT_LOOP, RT_SKIP = RT_SHARE | RT_LOOP };
/* Of kernels and transfers: operands move in loops; has scratch, is finished
 * later, is a layer's last; is towards the cores, with external memory, of
 * rows.  Of a job: by registers alone. */
enum { RT_STEPS = 1 << 3, RT_TMP = 1 << 4, RT_DEFERRED = 1 << 5,
       RT_LAST = 1 << 6, RT_IN = 1 << 5, RT_IO = 1 << 6, RT_ROWS = 1 << 7,
       RT_DIRECT = RT_DEFERRED };
/* What is the same of transfers that are begun together. */
enum { RT_TOGETHER = 31 << 8 | RT_IO | RT_MOVE };
enum { RT_HEAD = 5, RT_PAGE_BASE = 3, RT_ALL_CORES = 255 << 16 };

/* Records; n: words of the whole record.  Behind CALL come the places of its
 * operands, results and scratch, then how far each moves on every turn. */
#define CALL(n, flags, cores, nin, nout, kernel, dims, scratch, memories) \
    ((n) << 24 | (flags) | (cores) << 16 | (nin) << 8 | (nout) << 12 | \
     RT_CALL), (rt_word)(kernel), (dims), (memories), (scratch)
#define START(n, flags, slot, nin, nout, kernel, dims, scratch, memories) \
    ((n) << 24 | (flags) | (slot) << 16 | (nin) << 8 | (nout) << 12 | \
     RT_START), (rt_word)(kernel), (dims), (memories), (scratch)
#ifdef RT_REGISTERS
/* Six registers say where weights are, counted from `behind`, the input, `back`
 * bytes before it, the output and scales; the dims are words of the others. */
#define JOB(n, flags, slot, kernel, dims, back, behind, mx, mw, mmul, madd, \
            my, x, w, mul, add, y) \
    ((n) << 24 | (flags) | RT_DIRECT | (slot) << 16 | 6 << 8 | RT_START), 0, \
    (dims), AT(0, mw) | AT(1, mx) | AT(2, my) | AT(3, mmul) | AT(5, madd), \
    0, (w) - (rt_word)(behind), (x) - (back), (y), (mul), 0, (add)
#define JOB_BY(x, w, mul, add, y) (w), (x), (y), (mul), 0, (add)
/* The last rows; their words are the next. */
#define JOB_REST(n, flags, slot, kernel, dims, ...) \
    JOB(n, flags, slot, kernel, (dims) + (rt_word)sizeof(rt_job_dims), \
        __VA_ARGS__)
#define JOB_DIMS(registers, dims) {{RT_LIST registers}}
typedef struct {
    int32_t word[RT_DIRECT_WORDS];
} rt_job_dims;
typedef struct {
    int32_t word[2 * RT_DIRECT_WORDS];
} rt_rest_dims;
#else
#define JOB(n, flags, slot, kernel, dims, back, behind, mx, mw, mmul, madd, \
            my, x, w, mul, add, y) \
    START(n, flags, slot, 5, 1, kernel, dims, 0, AT(0, mx) | AT(1, mw) | \
          AT(3, mmul) | AT(4, madd) | AT(5, my)), (x), (w), 0, (mul), (add), (y)
#define JOB_BY(x, w, mul, add, y) (x), (w), 0, (mul), (add), (y)
/* The kernel of the job before begins it. */
#define JOB_REST(n, ...) ((n) << 24 | RT_SKIP), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define JOB_DIMS(registers, dims) {RT_LIST dims}
typedef struct pconv_dims rt_job_dims, rt_rest_dims;
#endif
#define RT_LIST(...) __VA_ARGS__
#define AT(operand, memory) ((memory) << (2 * (operand) + 2))
#define MOVE(n, flags, slot, near, far, bytes) \
    ((n) << 24 | (flags) | (slot) << 8 | (near) << 16 | (far) << 18 | \
     RT_MOVE), \
    RT_COMMAND(bytes, (flags) & RT_IN, (flags) & RT_ROWS, (flags) & RT_IO)
#define WAIT(slot) (1 << 24 | (slot) << 8 | RT_WAIT)
#define LOOP(times) RT_LOOP, (times)
#define NEXT RT_NEXT
#define SHARE (1 << 24 | RT_SHARE)
#define LAYER (1 << 24 | RT_LAYER)
#define BARRIER RT_SYNC
#define END 0
#define CONST(p) (rt_word)(p)

/* What all cores read, and core 0 writes. */
struct rt_state {
    uintptr_t base[4];  /* of memories 1 to 3, or the page; of 0 it is 0 */
    const struct rt_page *page;
    const unsigned char *first; /* the buffer of the first page, */
    const rt_word *begin;       /* and its first record */
    int at, last;       /* the first and the last page */
    struct rt_spot to;
    uint32_t next;      /* the transfer of the next page */
#ifdef RT_FOLLOW
    const void *net;
#endif
    /* Transfers under way.  Volatile, lest memset() clear them. */
    volatile uint32_t slot[RT_SLOTS];
};

/* Where a core is.  Nothing but inline functions gets its address, so that the
 * loop has it in registers. */
struct rt_core {
    struct rt_state *s;
    const rt_word *w;   /* the next record */
    const rt_word *run; /* the kernel that is ready, and its first word; */
    uint32_t head;      /* 0: none is */
    uint32_t wait;      /* transfers that must be over when all meet */
    const rt_word *top; /* the first record of the loop */
    uintptr_t turn, turns; /* of it: done, all */
    const unsigned char *page;
    int at, last;       /* the page's number; of the last */
    int fresh;          /* when all have met, the next one is asked for */
    int layer;          /* as many are done when all have met, times RT_LAST */
    int alone;          /* core 0 has waited for a job since its last kernel */
    int lead;           /* it is core 0 */
};

/* An operand in the memory that bits 2 and 3 name, which are a distance. */
static inline uintptr_t rt_place(const struct rt_state *s, uint32_t memory,
                                 rt_word off)
{
    const char *base = (const char *)s->base;

    memory = (memory & 12) * (uint32_t)(sizeof *s->base / 4);
    return *(const uintptr_t *)(const void *)(base + memory) + (uintptr_t)off;
}

/* Operands in a loop: so far have they moved. */
static inline void rt_step(uintptr_t turn, struct io *io, const rt_word *by,
                           int nin, int nout)
{
    int i;

    for (i = 0; i < nin; i++)
        io->in[i] = (const void *)((uintptr_t)io->in[i] +
                                   turn * (uintptr_t)*by++);
    for (i = 0; i < nout; i++)
        io->out[i] = (void *)((uintptr_t)io->out[i] +
                              turn * (uintptr_t)*by++);
    if (io->tmp)
        io->tmp = (void *)((uintptr_t)io->tmp + turn * (uintptr_t)*by);
}

#ifndef RT_PLACES

/* n places at `to`, of distances at *ref in the memories that two bits each of
 * `memory` name, from bit 2 on; what is left of those. */
static inline uint32_t rt_places(const uintptr_t *base, uint32_t memory,
                                 const rt_word **ref, uintptr_t *to, uint32_t n)
{
    for (; n; n--, memory >>= 2)
        *to++ = base[memory >> 2 & 3] + (uintptr_t)*(*ref)++;
    return memory;
}

#endif

/* Operands, results and scratch of the record at w. */
static inline void rt_operands(const struct rt_state *s, const rt_word *w,
                               uintptr_t turn, struct io *io, uint32_t head)
{
    const rt_word *ref = w + RT_HEAD;
    uint32_t memory = (uint32_t)w[3];

    memory = rt_places(s->base, memory, &ref, (uintptr_t *)(void *)io->in,
                       head >> 8 & 15);
    memory = rt_places(s->base, memory, &ref, (uintptr_t *)(void *)io->out,
                       head >> 12 & 7);
    io->tmp = NULL;
    if (RT_SELDOM(head & RT_TMP))
        io->tmp = (void *)(rt_place(s, memory, *ref++) +
                           (uintptr_t)io->core * (uintptr_t)w[4]);
    io->ncore = head >> 16 & 255;
    if (RT_SELDOM(head & RT_STEPS))
        rt_step(turn, io, ref, head >> 8 & 15, head >> 12 & 7);
}

/* A core's share of the kernel that is ready. */
static inline void rt_share(struct rt_core *c, const struct io *io)
{
    const rt_word *w = c->run;

    if (io->core >= io->ncore)
        return;
    MARK_WORK();
    ((rt_kernel *)w[1])(c->page + w[2], io);
    MARK_WORKED();
}

#ifdef RT_JOB_SLOT
#ifndef RT_JOBS

/* Where the team has nothing else: a job is over when its kernel returns.  nk,
 * nio: readable bytes of *k and *io; who wants them later copies them. */
static inline uint32_t rt_job_start(uint32_t slot, rt_kernel *kernel,
                                    const void *k, uint32_t nk, struct io *io,
                                    uint32_t nio)
{
    (void)slot;
    (void)nk;
    (void)nio;
    io->more.unit = 0;
    kernel(k, io);
    return 1;
}

static inline void rt_job_wait(uint32_t slot, uint32_t job)
{
    (void)slot;
    (void)job;
}

#endif

#endif

/* Core 0 makes ready for a kernel before it waits for transfers of the L1. */
static inline void rt_wait(struct rt_core *c, uint32_t slot)
{
    const uint32_t what = c->s->slot[slot];

    c->s->slot[slot] = 0;
    if (!what) /* it was begun and has ended in an earlier run of layers */
        return;
#ifdef RT_JOB_SLOT
    if (slot >= RT_JOB_SLOT) {
        MARK_WAIT();
        rt_job_wait(slot, what);
        MARK_WAITED();
        c->alone = 1;
        return;
    }
#endif
    if (RT_FAR && slot >= RT_IO_SLOT) {
        MARK_WAIT();
        rt_io_wait(what);
        MARK_WAITED();
    } else {
        c->wait |= what;
    }
}

static inline void rt_wait_now(struct rt_core *c)
{
    if (!c->wait)
        return;
    MARK_WAIT();
    rt_dma_wait(c->wait);
    MARK_WAITED();
    c->wait = 0;
}

#ifdef RT_JOB_SLOT

#ifdef RT_REGISTERS

/* Begins a job by its registers alone. */
static inline void rt_direct(struct rt_core *c, uint32_t head)
{
    const rt_word *w = c->w, *ref = w + RT_HEAD;
    const uint32_t slot = head >> 16 & 255;
    uintptr_t *const where = rt_job_registers(slot);
    uint32_t job;
    int i;

    rt_wait_now(c);
    job = rt_job_acquire(slot);
    (void)rt_places(c->s->base, (uint32_t)w[3], &ref, where, RT_DIRECT_PLACES);
    if (RT_SELDOM(head & RT_STEPS))
        for (i = 0; i < RT_DIRECT_PLACES; i++)
            where[i] += c->turn * (uintptr_t)ref[i];
    rt_job_tell(slot, (const rt_word *)(const void *)(c->page + w[2]));
    c->s->slot[slot] = job;
}

#endif

/* Begins a job; its operands are there. */
static inline void rt_job(struct rt_core *c, struct io *io, uint32_t head)
{
    const rt_word *w = c->w;

    io->more.room = io->core = 0;
    io->ncore = 1;
    rt_wait_now(c);
    c->s->slot[head >> 16 & 255] =
        rt_job_start(head >> 16 & 255, (rt_kernel *)w[1], c->page + w[2],
                     (uint32_t)(RT_PAGE - w[2]), io, sizeof *io);
}

#endif

/* What a record says of a transfer beside its first words. */
static inline void rt_moved(const struct rt_core *c, const rt_word *w,
                            uint32_t head, struct rt_move *m)
{
    if (head & RT_STEPS) {
        m->near += c->turn * (uintptr_t)w[0];
        m->far += c->turn * (uintptr_t)w[1];
        w += 2;
    }
    if (head & RT_ROWS) {
        m->row = (uint32_t)w[0];
        m->stride = (uint32_t)w[1];
    }
}

/* Begins transfers; those of a slot that follow one another are begun
 * together. */
static inline void rt_moves(struct rt_core *c, uint32_t head)
{
    uint32_t next, together = 0;

    rt_wait_now(c);
    do {
        const rt_word *w = c->w;
        struct rt_move m = {.command = (uint32_t)w[1]};

        m.near = rt_place(c->s, head >> 14, w[2]);
        m.far = rt_place(c->s, head >> 16, w[3]);
        if (RT_SELDOM(head & (RT_STEPS | RT_ROWS)))
            rt_moved(c, w + 4, head, &m);
        c->w += head >> 24;
        next = (uint32_t)*c->w;
        if (RT_FAR && head & RT_IO) {
            c->s->slot[head >> 8 & 31] = rt_io_start(m);
        } else {
            together = rt_dma_start(m, together);
            if ((head ^ next) & RT_TOGETHER) {
                c->s->slot[head >> 8 & 31] |= together;
                together = 0;
            }
        }
        head = next;
    } while (head & RT_MOVE);
}

/* A layer whose last kernel was a job is over at once. */
static inline void rt_layer(struct rt_core *c)
{
#ifdef RT_JOB_SLOT
    if (c->alone && !c->layer && (c->w[1] || c->at != c->last)) {
        MARK_LAYER();
        return;
    }
    c->layer += RT_LAST;
#else
    c->layer = RT_LAST;
#endif
}

/* What core 0 does alone. */
static inline void rt_lead(struct rt_core *c, const struct io *io,
                           uint32_t head)
{
    if (head & RT_MOVE) {
        rt_moves(c, head);
        return;
    }
    if (head & RT_WAIT)
        rt_wait(c, head >> 8 & 31);
    else if (head & RT_LAYER)
        rt_layer(c);
    else
        rt_share(c, io);
    c->w++;
}

/* As one transfer, or where the engine takes less as several, of which one is
 * under way at a time; none is when this returns if the engine takes one. */
static inline void rt_page_load(struct rt_state *s, int i)
{
    const uint32_t bytes = (uint32_t)s->page[i].bytes;
    const int parts = (int)RT_LARGEST < (int)RT_PAGE;
    uint32_t at = 0, n = bytes;

    s->next = 0;
    do {
        if (parts)
            n = bytes - at < RT_LARGEST ? bytes - at : (uint32_t)RT_LARGEST;
        s->next = rt_dma_start((struct rt_move){
            .command = RT_COMMAND(n, 1, 0, 0),
            .near = (uintptr_t)rt_page_buffer(i) + at,
            .far = (uintptr_t)s->page[i].at + at,
        }, s->next);
        at += n;
        if (RT_ALONE || (parts && at < bytes)) {
            rt_dma_wait(s->next);
            s->next = 0;
        }
    } while (parts && at < bytes);
}

/* The page has come, before the others see it; `to`, and on, is not wanted. */
static inline void rt_page_wait(struct rt_state *s, int i, struct rt_spot to)
{
    if (!RT_ALONE) {
        MARK_WAIT();
        rt_dma_wait(s->next);
        MARK_WAITED();
    }
#ifdef RT_FOLLOW
    RT_FOLLOW(s->net, i, (void *)rt_page_buffer(i));
#endif
    if (RT_VALUES)
        s->base[3] = (uintptr_t)rt_page_buffer(i);
    if (i == to.page)
        ((rt_word *)(void *)rt_page_buffer(i))[to.word] = END;
}

/* What was begun under the first n slots is over. */
static inline void rt_end(struct rt_state *s, uint32_t n)
{
    uint32_t i, what;

    for (i = 0; i < n; i++) {
        what = s->slot[i];
        s->slot[i] = 0;
        if (!what)
            continue;
#ifdef RT_JOB_SLOT
        if (i >= RT_JOB_SLOT) {
            rt_job_wait(i, what);
            continue;
        }
#endif
        if (RT_FAR && i >= RT_IO_SLOT)
            rt_io_wait(what);
        else
            rt_dma_wait(what);
    }
}

/* To the next page; 0: there is none. */
static inline int rt_turn(struct rt_core *c)
{
    if (c->at == c->last)
        return 0;
    c->at++;
    c->fresh = c->at != c->last;
    if (c->lead)
        rt_page_wait(c->s, c->at, c->s->to);
    c->page = rt_page_buffer(c->at);
    c->w = (const rt_word *)(const void *)c->page;
    return 1;
}

/* What core 0 does first when all have met. */
static inline void rt_met(struct rt_core *c, uint32_t kernel)
{
#ifdef RT_JOB_SLOT
    c->alone &= !kernel;
#endif
    for (; RT_SELDOM(c->layer); c->layer -= RT_LAST)
        MARK_LAYER();
    c->layer = kernel & RT_LAST;
    if (RT_MOSTLY(!c->fresh))
        return;
    if (RT_ALONE) {
        rt_end(c->s, RT_IO_SLOT);
        rt_wait_now(c);
    }
    rt_page_load(c->s, c->at + 1);
}

/* Makes ready for a kernel, or begins a job; 1: a kernel. */
static inline int rt_call(struct rt_core *c, struct io *io, uint32_t head)
{
#ifdef RT_JOB_SLOT
#ifdef RT_REGISTERS
    if ((head & (RT_START | RT_DIRECT)) == (RT_START | RT_DIRECT)) {
        if (c->lead)
            rt_direct(c, head);
        c->w += head >> 24;
        return 0;
    }
#endif
    struct io job; /* beside that of a kernel of which core 0 has its share
                    * later; what is read of it is set: a copy of zeros takes
                    * 390 cycles */
    const int begin = (head & RT_START) == RT_START;

    job.core = 0;
    rt_operands(c->s, c->w, c->turn, begin ? &job : io, head);
    if (begin) {
        if (c->lead)
            rt_job(c, &job, head);
        c->w += head >> 24;
        return 0;
    }
#else
    rt_operands(c->s, c->w, c->turn, io, head);
#endif
    c->run = c->w;
    c->head = head;
    c->w += head >> 24;
    return 1;
}

/* Up to where all meet; 0: the end. */
static inline int rt_walk(struct rt_core *c, struct io *io)
{
    uint32_t head;

    while ((head = (uint32_t)*c->w)) {
#ifndef RT_REGISTERS
        if ((head & 255) == RT_SKIP) {
            c->w += head >> 24;
            continue;
        }
#endif
        if (head & RT_CALL) {
            if (rt_call(c, io, head))
                return 1;
            continue;
        }
        if (head & RT_LEADS) {
            if (c->lead)
                rt_lead(c, io, head);
            else
                c->w += head >> 24;
        } else if (head & RT_NEXT) {
            c->w = ++c->turn < c->turns ? c->top : c->w + 1;
        } else if (head & RT_LOOP) {
            c->turn = 0;
            c->turns = (uintptr_t)c->w[1];
            c->top = c->w += 2;
        } else {
            c->w++;
            return 1;
        }
    }
    return rt_turn(c);
}

/* A core's work until all meet again; 0: that was all. */
static inline int rt_work(struct rt_core *c, struct io *io)
{
    const uint32_t kernel = c->head;
    int more;

    c->head = 0;
    if (c->lead)
        rt_met(c, kernel);
    c->fresh = 0;
    if (kernel && !(c->lead && kernel & RT_DEFERRED))
        rt_share(c, io);
    more = rt_walk(c, io);
    if (c->lead)
        rt_wait_now(c);
    return more;
}

static inline void rt_enter(struct rt_core *c, struct io *io,
                            struct rt_state *s, int core)
{
    c->s = s;
    c->lead = !core;
    c->at = s->at;
    c->last = s->last;
    c->w = s->begin;
    c->page = s->first;
    c->fresh = s->at != s->last;
    c->layer = c->alone = 0;
    c->head = c->wait = 0;
    c->run = c->top = c->w;
    c->turn = c->turns = 0;
    io->core = core;
    io->more.room = 0;
}

#ifdef RT_BARRIER

/* Every core goes its way, and meets the others on it. */
static RT_NOINLINE void rt_core_run(const void *arg, int core)
{
    struct rt_core c;
    struct io io;

    rt_enter(&c, &io, *(struct rt_state *const *)arg, core);
    do
        RT_BARRIER();
    while (rt_work(&c, &io));
}

/* The others make ready while core 0 completes the state. */
static inline void rt_begin(struct rt_state *const *s)
{
    rt_team_begin(rt_core_run, s);
}

static inline void rt_run(struct rt_state *const *s)
{
    rt_core_run(s, 0);
    rt_team_end();
}

#else

struct rt_one {
    struct rt_core core;
    struct io io;
    int more;
};

/* Every core is called for each stretch between two meetings. */
static void rt_stretch(const void *arg, int core)
{
    struct rt_one *c = *(struct rt_one *const *)arg + core;

    c->more = rt_work(&c->core, &c->io);
}

static inline void rt_begin(struct rt_state *const *s)
{
    (void)s;
}

static inline void rt_run(struct rt_state *const *s)
{
    struct rt_one core[RT_CORES], *first = core;
    int i;

    for (i = 0; i < RT_CORES; i++)
        rt_enter(&core[i].core, &core[i].io, *s, i);
    do
        rt_team(rt_stretch, &first, RT_CORES);
    while (first->more);
}

#endif

/* The records from one place up to another; part: what they begin may be waited
 * for by later ones; net: for RT_FOLLOW.  Inline: where the places are known
 * little is left to do. */
static RT_INLINE void rt_program(const struct rt_page *page,
                                 struct rt_spot from, struct rt_spot to,
                                 int part, const uintptr_t *base,
                                 const void *net)
{
    struct rt_state s; /* memset() would take longer than all of this */
    struct rt_state *const state = &s;
    int i;

    (void)net;
    if (from.page == to.page && from.word == to.word)
        return;
    s.at = from.page;
    s.last = to.page - !to.word;
    s.first = rt_page_buffer(from.page);
    s.begin = (const rt_word *)(const void *)s.first + from.word;
    rt_begin(&state);
#ifdef RT_FOLLOW
    s.net = net;
#endif
    s.page = page;
    s.to = to;
    rt_page_load(&s, from.page);
    s.base[0] = base[0];
    s.base[1] = base[1];
    s.base[2] = base[2];
    s.base[3] = base[3];
    for (i = 0; i < RT_SLOTS; i++)
        s.slot[i] = 0;
    rt_page_wait(&s, from.page, to);
    rt_run(&state);
    if (part)
        rt_end(&s, RT_SLOTS);
    MARK_LAYER();
}

#endif
