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
 *   START   the same, but core 0 goes on and joins the others at FINISH
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

enum { RT_RUN, RT_MOVE, RT_WAIT, RT_NEXT, RT_LOOP, RT_START, RT_FINISH,
       RT_LAYER, RT_END, RT_OP = 15 };
enum { RT_STEPS = 1 << 4, RT_TMP = 1 << 5, RT_IN = 1 << 5, RT_IO = 1 << 6,
       RT_ROWS = 1 << 7, RT_HEAD = 5, RT_SLOTS = 16 };

/* The first words of records; n: words of the whole record. */
#define RUN(n, flags, cores, nin, nout) \
    ((n) << 24 | (flags) | (cores) << 16 | (nin) << 8 | (nout) << 12 | RT_RUN)
#define START(n, flags, cores, nin, nout) \
    (RUN(n, flags, cores, nin, nout) | RT_START)
#define MOVE(n, flags, slot, near, far) \
    ((n) << 24 | (flags) | (slot) << 12 | (near) << 16 | (far) << 18 | RT_MOVE)
#define WAIT(slot) (1 << 24 | (slot) << 12 | RT_WAIT)
#define WAIT_IO(slot) (WAIT(slot) | RT_IO)
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
    int slot[2][RT_SLOTS]; /* number of the transfer; -1: none. DMA, I/O */
};

/* Where an operand is.  `ref` points to its word; the distance by which it
 * moves is `far` words on. */
static inline uintptr_t rt_place(const struct rt_job *j, const rt_word *ref,
                                 int far, uintptr_t turn, uint32_t memory)
{
    return j->base[memory & 3] + (uintptr_t)ref[0] +
           turn * (uintptr_t)ref[far];
}

/* A core's part of a kernel. */
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
        io.in[i] = (const void *)rt_place(j, ref, far, turn, memory);
    for (i = 0; i < nout; i++, ref++, memory >>= 2)
        io.out[i] = (void *)rt_place(j, ref, far, turn, memory);
    io.tmp = NULL;
    if (head & RT_TMP)
        io.tmp = (void *)(rt_place(j, ref, far, turn, memory) +
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
    if (rt_cores(s->job.at) > 1)
        rt_team_finish(rt_kernel, &s->job, rt_cores(s->job.at));
    else
        rt_kernel(&s->job, 0);
}

static inline void rt_wait(struct rt_state *s, uint32_t head)
{
    int *slot = &s->slot[head >> 6 & 1][head >> 12 & 15];

    if (*slot < 0)
        return;
    MARK_WAIT();
    if (RT_FAR && head & RT_IO)
        rt_io_wait(*slot);
    else
        rt_dma_wait(*slot);
    MARK_WAITED();
    *slot = -1;
}

static inline void rt_move(struct rt_state *s, const rt_word *w)
{
    const uint32_t head = (uint32_t)w[0];
    const int far = head & RT_STEPS ? head & RT_ROWS ? 5 : 3 : 0;
    const uintptr_t turn = far ? s->job.turn : 0;
    struct rt_move m;

    m.near = rt_place(&s->job, w + 1, far, turn, head >> 16);
    m.far = rt_place(&s->job, w + 2, far, turn, head >> 18);
    m.bytes = (uint32_t)w[3];
    m.row = head & RT_ROWS ? (uint32_t)w[4] : 0;
    m.stride = head & RT_ROWS ? (uint32_t)w[5] : 0;
    m.in = (head & RT_IN) != 0;
    s->slot[head >> 6 & 1][head >> 12 & 15] =
        RT_FAR && head & RT_IO ? rt_io_start(&m) : rt_dma_start(&m);
}

static void rt_page_run(struct rt_state *s, const unsigned char *page)
{
    const rt_word *w = (const rt_word *)(const void *)page;

    s->job.page = page;
    for (;;) {
        const uint32_t head = (uint32_t)*w, op = head & RT_OP;

        if (op == RT_MOVE) {
            rt_move(s, w);
        } else if (op == RT_WAIT) {
            rt_wait(s, head);
        } else if (op == RT_RUN) {
            rt_begin(s, w);
            rt_finish(s);
        } else if (op == RT_NEXT) {
            if (++s->job.turn < s->turns) {
                w = s->top;
                continue;
            }
            s->job.turn = 0;
        } else if (op == RT_LAYER) {
            MARK_LAYER();
        } else if (op == RT_LOOP) {
            s->turns = (uintptr_t)w[1];
            s->top = w + 2;
        } else if (op == RT_START) {
            rt_begin(s, w);
        } else if (op == RT_FINISH) {
            rt_finish(s);
        } else {
            return;
        }
        w += head >> 24;
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
        s.slot[0][i] = s.slot[1][i] = -1;
    for (i = from; i < to; i++) {
        rt_page_wait(id);
        if (i + 1 < to)
            id = rt_page_load(&page[i + 1], i + 1);
        rt_page_run(&s, rt_page_buffer(i));
    }
    for (i = 0; i < RT_SLOTS; i++) {
        rt_wait(&s, (uint32_t)WAIT(i));
        rt_wait(&s, (uint32_t)WAIT_IO(i));
    }
}

#endif
