/* A network on a team of cores: a program of records that core 0 works
 * through, and the loop that does it.
 *
 * The program comes in pages.  While one is worked on, the next is on its way
 * to the other of two small buffers in the nearest memory, so whatever is read
 * again and again - records, and what kernels are told of their operators -
 * costs no more than a cycle or two.  A record is a few words, the first of
 * which says what to do:
 *
 *   RUN     a kernel on all cores, or on one: kernel, what it is told, the
 *           memories of its operands, bytes of scratch per core, operands
 *           (RT_OPEN: core 0 goes on, and joins the others at FINISH)
 *   MOVE    begins a transfer between two memories under a slot, which
 *           several may share
 *   WAIT    for the transfers of a slot
 *   LAYER   a layer's kernels are done
 *   LOOP    what stands before NEXT is done so many times; records in it may
 *           have for each operand the distance by which it moves every time
 *   END     of the page
 *
 * Memories are numbered from 1; an operand in memory 0 is a constant's own
 * address, or NULL.  Defined before this is included: RT_FAR, whether there are
 * transfers to external memory; RT_SLOTS, how many slots, and RT_IO_SLOT, the
 * first of them for such transfers.  What differs from chip to chip is in its
 * team.h. */
#ifndef PROGRAM_H
#define PROGRAM_H

#ifndef MARK_WAIT
#define MARK_WAIT() ((void)0)
#define MARK_WAITED() ((void)0)
#define MARK_WORK() ((void)0)
#define MARK_WORKED() ((void)0)
#endif

typedef intptr_t rt_word;

struct rt_page {
    const void *at; /* records, then what kernels are told */
    int32_t bytes;
};

/* A place in the program: word 0 of the page behind the last is its end. */
struct rt_spot {
    int16_t page, word;
};

/* What to do: a bit each, in the order in which they are looked for.  A switch
 * would be a table in a memory that is slow to read. */
enum { RT_MOVE = 1, RT_WAIT = 2, RT_RUN = 4, RT_NEXT = 8, RT_LAYER = 16,
       RT_FINISH = 64, RT_LOOP = 128 };
/* Of kernels and transfers: operands move in loops; has scratch, is finished
 * later; is towards the cores, with external memory, of rows. */
enum { RT_STEPS = 1 << 3, RT_TMP = 1 << 4, RT_OPEN = 1 << 5,
       RT_IN = 1 << 5, RT_IO = 1 << 6, RT_ROWS = 1 << 7 };
enum { RT_HEAD = 5 };

/* The first words of records; n: words of the whole record. */
#define RUN(n, flags, cores, nin, nout) \
    ((n) << 24 | (flags) | (cores) << 16 | (nin) << 8 | (nout) << 12 | RT_RUN)
#define MOVE(n, flags, slot, near, far, bytes) \
    ((n) << 24 | (flags) | (slot) << 8 | (near) << 16 | (far) << 18 | \
     RT_MOVE), \
    RT_COMMAND(bytes, (flags) & RT_IN, (flags) & RT_ROWS, (flags) & RT_IO)
#define WAIT(slot) (1 << 24 | (slot) << 8 | RT_WAIT)
#define LOOP(times) RT_LOOP, (times)
#define NEXT RT_NEXT
#define FINISH (1 << 24 | RT_FINISH)
#define LAYER RT_LAYER
#define END 0
#define KERNEL(f) (rt_word)(f)
#define CONST(p) (rt_word)(p)

struct rt_state {
    rt_word *run;       /* the kernel at work: what all cores read */
    const unsigned char *page;
    rt_word *top;       /* the first record of the loop */
    uintptr_t turns;    /* that are left */
    uintptr_t base[4];  /* of memories 1 to 3; of 0 it is 0 */
    /* Transfers under way.  Volatile, lest it be cleared byte by byte. */
    volatile uint32_t slot[RT_SLOTS];
};

/* The base of the memory that the two lowest bits name. */
static inline uintptr_t rt_base(const struct rt_state *s, uint32_t bits)
{
    return s->base[bits & 3];
}

/* A core's part of a kernel. */
static void rt_kernel(const void *arg, int core)
{
    const struct rt_state *s = arg;
    const rt_word *w = s->run, *ref = w + RT_HEAD;
    const uint32_t head = (uint32_t)w[0];
    const rt_word *out = ref + (head >> 8 & 15), *end = out + (head >> 12 & 7);
    uint32_t memory = (uint32_t)w[3];
    struct io io;
    const void **in = io.in;
    void **to = io.out;

    for (; ref != out; ref++, memory >>= 2)
        *in++ = (const void *)(rt_base(s, memory) + (uintptr_t)*ref);
    for (; ref != end; ref++, memory >>= 2)
        *to++ = (void *)(rt_base(s, memory) + (uintptr_t)*ref);
    io.tmp = NULL;
    if (head & RT_TMP)
        io.tmp = (void *)(rt_base(s, memory) + (uintptr_t)*ref +
                          (uintptr_t)core * (uintptr_t)w[4]);
    io.core = core;
    io.ncore = head >> 16 & 255;
    MARK_WORK();
    ((void (*)(const void *, const struct io *))w[1])(s->page + w[2], &io);
    MARK_WORKED();
}

/* Operands of a loop that move: where they are the next time. */
static inline void rt_step(rt_word *ref, int n)
{
    int i;

    for (i = 0; i < n; i++)
        ref[i] += ref[n + i];
}

static inline void rt_start(struct rt_state *s, rt_word *w, uint32_t head)
{
    const int cores = head >> 16 & 255;

    s->run = w;
    if (cores > 1)
        rt_team_start(rt_kernel, s, cores);
}

static inline void rt_finish(struct rt_state *s)
{
    rt_word *w = s->run;
    const uint32_t head = (uint32_t)*w;
    const int cores = head >> 16 & 255;

    if (cores > 1)
        rt_team_finish(rt_kernel, s, cores);
    else
        rt_kernel(s, 0);
    if (head & RT_STEPS)
        rt_step(w + RT_HEAD, (head >> 8 & 15) + (head >> 12 & 7) +
                             (head & RT_TMP ? 1 : 0));
}

static inline void rt_wait(struct rt_state *s, uint32_t slot)
{
    const uint32_t what = s->slot[slot];

    s->slot[slot] = 0;
    MARK_WAIT();
    if (RT_FAR && slot >= RT_IO_SLOT)
        rt_io_wait(what);
    else
        rt_dma_wait(what);
    MARK_WAITED();
}

static inline rt_word *rt_move(struct rt_state *s, rt_word *w, uint32_t head)
{
    volatile uint32_t *slot = &s->slot[head >> 8 & 31];
    struct rt_move m = {.command = (uint32_t)w[1]};

    m.near = rt_base(s, head >> 16) + (uintptr_t)w[2];
    m.far = rt_base(s, head >> 18) + (uintptr_t)w[3];
    w += 4;
    if (head & RT_STEPS) {
        rt_step(w - 2, 2);
        w += 2;
    }
    if (head & RT_ROWS) {
        m.row = (uint32_t)w[0];
        m.stride = (uint32_t)w[1];
        w += 2;
    }
    if (RT_FAR && head & RT_IO)
        *slot = rt_io_start(m);
    else
        *slot |= rt_dma_start(m);
    return w;
}

/* What comes once in a loop or layer. */
static inline rt_word *rt_rarely(struct rt_state *s, rt_word *w, uint32_t head)
{
    if (head & RT_NEXT) {
        if (--s->turns)
            return s->top;
    } else if (head & RT_LAYER) {
        MARK_LAYER();
    } else {
        s->turns = (uintptr_t)*++w;
        s->top = w + 1;
    }
    return w + 1;
}

static inline void rt_page_run(struct rt_state *s, unsigned char *page,
                               int from)
{
    rt_word *w = (rt_word *)(void *)page + from;
    uint32_t head;

    s->page = page;
    while ((head = (uint32_t)*w)) {
        if (head & RT_MOVE) {
            w = rt_move(s, w, head);
        } else if (head & RT_WAIT) {
            rt_wait(s, head >> 8 & 31);
            w++;
        } else if (head & (RT_RUN | RT_FINISH)) {
            if (head & RT_RUN)
                rt_start(s, w, head);
            w += head >> 24;
            if (!(head & RT_OPEN))
                rt_finish(s);
        } else {
            w = rt_rarely(s, w, head);
        }
    }
}

static uint32_t rt_page_load(const struct rt_page *p, int i)
{
    return rt_dma_start((struct rt_move){
        .command = RT_COMMAND((uint32_t)p->bytes, 1, 0, 0),
        .near = (uintptr_t)rt_page_buffer(i), .far = (uintptr_t)p->at,
    });
}

static void rt_page_wait(uint32_t id)
{
    MARK_WAIT();
    rt_dma_wait(id);
    MARK_WAITED();
}

/* A call of its own, for the state to have an address that is in a register.
 * All transfers are over in the end. */
static NOINLINE void rt_pages(struct rt_state *s, const struct rt_page *page,
                              struct rt_spot from, struct rt_spot to)
{
    const int end = to.page + (to.word > 0);
    uint32_t id = rt_page_load(&page[from.page], from.page), i;

    for (; from.page < end; from.page++, from.word = 0) {
        unsigned char *buffer = rt_page_buffer(from.page);

        rt_page_wait(id);
        if (from.page + 1 < end)
            id = rt_page_load(&page[from.page + 1], from.page + 1);
        if (from.page == to.page)
            ((rt_word *)(void *)buffer)[to.word] = END;
        rt_page_run(s, buffer, from.word);
    }
    for (i = 0; i < RT_SLOTS; i++)
        if (s->slot[i])
            rt_wait(s, i);
}

/* The records from one place up to another. */
static void rt_program(const struct rt_page *page, struct rt_spot from,
                       struct rt_spot to, const uintptr_t *base)
{
    struct rt_state s;
    int i;

    if (from.page == to.page && from.word == to.word)
        return;
    for (i = 0; i < 4; i++)
        s.base[i] = base[i];
    for (i = 0; i < RT_SLOTS; i++)
        s.slot[i] = 0;
    rt_pages(&s, page, from, to);
}

#endif
