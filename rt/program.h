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
 *           (RT_START: core 0 goes on, and joins the others at FINISH)
 *   MOVE    begins a transfer between two memories under a number, its slot
 *   WAIT    for the transfers of a slot
 *   LAYER   a layer's kernels are done
 *   LOOP    what stands before NEXT is done so many times; records in it may
 *           have for each operand the distance by which it moves every time
 *   END     of the page
 *
 * Memories are numbered from 1; an operand in memory 0 is a constant's own
 * address, or NULL.  RT_FAR, defined before this is included, says whether
 * there are transfers to external memory.  What differs from chip to chip is
 * in its team.h. */
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

/* What to do: one of four bits, for the usual; else a number above them.  A
 * switch would be a table in a memory that is slow to read. */
enum { RT_MOVE = 1, RT_WAIT = 2, RT_RUN = 4, RT_NEXT = 8, RT_LOOP = 0 << 4,
       RT_FINISH = 1 << 4, RT_LAYER = 2 << 4, RT_END = 3 << 4 };
/* Of kernels and transfers: operands move in loops; has scratch, or is begun
 * only; is towards the cores, with external memory, of rows. */
enum { RT_STEPS = 1 << 4, RT_TMP = 1 << 5, RT_START = 1 << 6,
       RT_IN = 1 << 5, RT_IO = 1 << 6, RT_ROWS = 1 << 7 };
enum { RT_HEAD = 5, RT_IO_SLOT = 16, RT_SLOTS = 32 };

/* The first words of records; n: words of the whole record. */
#define RUN(n, flags, cores, nin, nout) \
    ((n) << 24 | (flags) | (cores) << 16 | (nin) << 8 | (nout) << 12 | RT_RUN)
#define MOVE(n, flags, slot, near, far) \
    ((n) << 24 | (flags) | (slot) << 8 | (near) << 16 | (far) << 18 | RT_MOVE)
#define WAIT(slot) (1 << 24 | (slot) << 8 | RT_WAIT)
#define LOOP(times) (2 << 24 | RT_LOOP), (times)
#define NEXT (1 << 24 | RT_NEXT)
#define FINISH (1 << 24 | RT_FINISH)
#define LAYER (1 << 24 | RT_LAYER)
#define END (1 << 24 | RT_END)
#define KERNEL(f) (rt_word)(f)
#define CONST(p) (rt_word)(p)
/* A kernel at work: what all cores read. */
struct rt_job {
    const rt_word *at;
    const unsigned char *page;
    const uintptr_t *base; /* of memories 1 to 3 */
    uintptr_t turn;        /* of the loop */
};

struct rt_state {
    struct rt_job job;
    const rt_word *top; /* the first record of the loop */
    uintptr_t turns;
    int slot[RT_SLOTS]; /* number of the transfer; -1: none */
};

static inline uintptr_t rt_base(const struct rt_job *j, uint32_t memory)
{
    return j->base[memory & 3];
}

/* A core's part of a kernel.  `far` words behind each operand's is the
 * distance by which it moves. */
static void rt_kernel(const void *arg, int core)
{
    const struct rt_job *j = arg;
    const rt_word *w = j->at, *ref = w + RT_HEAD;
    const uint32_t head = (uint32_t)w[0];
    uint32_t memory = (uint32_t)w[3];
    const int nin = head >> 8 & 15, nout = head >> 12 & 7;
    const int far = head & RT_STEPS ? nin + nout + (head >> 5 & 1) : 0;
    const uintptr_t turn = far ? j->turn : 0;
    struct io io;
    int i;

    for (i = 0; i < nin; i++, ref++, memory >>= 2)
        io.in[i] = (const void *)(rt_base(j, memory) + (uintptr_t)ref[0] +
                                  turn * (uintptr_t)ref[far]);
    for (i = 0; i < nout; i++, ref++, memory >>= 2)
        io.out[i] = (void *)(rt_base(j, memory) + (uintptr_t)ref[0] +
                             turn * (uintptr_t)ref[far]);
    io.tmp = NULL;
    if (head & RT_TMP)
        io.tmp = (void *)(rt_base(j, memory) + (uintptr_t)ref[0] +
                          turn * (uintptr_t)ref[far] +
                          (uintptr_t)core * (uintptr_t)w[4]);
    io.core = core;
    io.ncore = head >> 16 & 255;
    MARK_WORK();
    ((void (*)(const void *, const struct io *))w[1])(j->page + w[2], &io);
    MARK_WORKED();
}

static inline int rt_cores(const rt_word *w)
{
    return (int)((uint32_t)w[0] >> 16 & 255);
}

static inline void rt_begin(struct rt_state *s, const rt_word *w)
{
    s->job.at = w;
    if (rt_cores(w) > 1)
        rt_team_start(rt_kernel, &s->job, rt_cores(w));
}

static inline void rt_finish(struct rt_state *s)
{
    const int cores = rt_cores(s->job.at);

    if (cores > 1)
        rt_team_finish(rt_kernel, &s->job, cores);
    else
        rt_kernel(&s->job, 0);
}

static inline void rt_wait(struct rt_state *s, uint32_t slot)
{
    const int id = s->slot[slot];

    if (id < 0)
        return;
    s->slot[slot] = -1;
    MARK_WAIT();
    if (RT_FAR && slot >= RT_IO_SLOT)
        rt_io_wait(id);
    else
        rt_dma_wait(id);
    MARK_WAITED();
}

static inline void rt_move(struct rt_state *s, const rt_word *w,
                           uint32_t head)
{
    struct rt_move m = {0, 0, 0, 0, 0, 0};

    m.near = rt_base(&s->job, head >> 16) + (uintptr_t)w[1];
    m.far = rt_base(&s->job, head >> 18) + (uintptr_t)w[2];
    m.bytes = (uint32_t)w[3];
    m.in = head >> 5 & 1;
    w += 4;
    if (head & RT_ROWS) {
        m.row = (uint32_t)w[0];
        m.stride = (uint32_t)w[1];
        w += 2;
    }
    if (head & RT_STEPS) {
        m.near += s->job.turn * (uintptr_t)w[0];
        m.far += s->job.turn * (uintptr_t)w[1];
    }
    s->slot[head >> 8 & 31] =
        RT_FAR && head & RT_IO ? rt_io_start(&m) : rt_dma_start(&m);
}

static inline const rt_word *rt_run(struct rt_state *s, const rt_word *w,
                                    uint32_t head)
{
    rt_begin(s, w);
    if (!(head & RT_START))
        rt_finish(s);
    return w + (head >> 24);
}

static inline const rt_word *rt_next(struct rt_state *s, const rt_word *w)
{
    if (++s->job.turn < s->turns)
        return s->top;
    s->job.turn = 0;
    return w + 1;
}

/* What comes once in a loop or layer; NULL: the page ends. */
static inline const rt_word *rt_rarely(struct rt_state *s, const rt_word *w,
                                       uint32_t head)
{
    const uint32_t what = head & 255;

    if (what == RT_END)
        return NULL;
    if (what == RT_LAYER) {
        MARK_LAYER();
    } else if (what == RT_LOOP) {
        s->turns = (uintptr_t)w[1];
        s->top = w + 2;
    } else {
        rt_finish(s);
    }
    return w + (head >> 24);
}

static void rt_page_run(struct rt_state *s, const unsigned char *page)
{
    const rt_word *w = (const rt_word *)(const void *)page;

    s->job.page = page;
    while (w) {
        const uint32_t head = (uint32_t)*w;

        if (head & RT_MOVE) {
            rt_move(s, w, head);
            w += head >> 24;
        } else if (head & RT_WAIT) {
            rt_wait(s, head >> 8 & 31);
            w++;
        } else if (head & RT_RUN) {
            w = rt_run(s, w, head);
        } else if (head & RT_NEXT) {
            w = rt_next(s, w);
        } else {
            w = rt_rarely(s, w, head);
        }
    }
}

static int rt_page_load(const struct rt_page *p, int i)
{
    struct rt_move m = {(uintptr_t)rt_page_buffer(i), 0, 0, 0, 0, 1};

    m.far = (uintptr_t)p->at;
    m.bytes = (uint32_t)p->bytes;
    return rt_dma_start(&m);
}

static void rt_page_wait(int id)
{
    MARK_WAIT();
    rt_dma_wait(id);
    MARK_WAITED();
}

/* Pages [from, to).  All transfers are over in the end. */
static void rt_program(const struct rt_page *page, int from, int to,
                       const uintptr_t *base)
{
    struct rt_state s;
    int i, id;

    if (from >= to)
        return;
    id = rt_page_load(&page[from], from);
    s.job.base = base;
    s.job.turn = 0;
    for (i = 0; i < RT_SLOTS; i++)
        s.slot[i] = -1;
    for (i = from; i < to; i++) {
        rt_page_wait(id);
        if (i + 1 < to)
            id = rt_page_load(&page[i + 1], i + 1);
        rt_page_run(&s, rt_page_buffer(i));
    }
    for (i = 0; i < RT_SLOTS; i++)
        rt_wait(&s, (uint32_t)i);
}

#endif
