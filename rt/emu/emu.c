/* The emulated team. */
#include "team.h"

#include "../rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS = 16, EXTERNAL = 64 << 20 };

#ifndef DMA_QUEUE
#define DMA_QUEUE 16
#endif

struct pending {
    struct rt_move m;
    int busy;
};

static struct pending dma[IDS], io[IDS];
static unsigned char external[EXTERNAL];
static unsigned char page[2][RT_PAGE] __attribute__((aligned(16)));
static uint32_t noise = 1;

static void stop(const char *why)
{
    fprintf(stderr, "emulation: %s\n", why);
    abort();
}

unsigned char *rt_page_buffer(int i)
{
    return page[i & 1];
}

/* Core 0 first, which begins transfers too early if it does not meet the
 * others; they come in either order, in turns: no core's share depends on
 * another's. */
void rt_team(void (*work)(const void *arg, int core), const void *arg,
             int cores)
{
    static int turn;
    int i;

    turn ^= 1;
    for (i = 0; i < cores; i++)
        work(arg, turn ? i : (cores - i) % cores);
}

static void scribble(unsigned char *p, uint32_t n)
{
    while (n--) {
        noise = noise * 1664525u + 1013904223u;
        *p++ = (unsigned char)(noise >> 24);
    }
}

static uint32_t row_of(const struct rt_move *m)
{
    return m->row ? m->row : rt_move_bytes(m);
}

static void destroy(const struct rt_move *m)
{
    int in = rt_move_in(m);
    unsigned char *to = (unsigned char *)(in ? m->near : m->far);
    uint32_t row = row_of(m), done;

    for (done = 0; done < rt_move_bytes(m); done += row)
        scribble(to + (in ? done : done / row * m->stride), row);
}

static void deliver(const struct rt_move *m)
{
    unsigned char *near = (unsigned char *)m->near;
    unsigned char *far = (unsigned char *)m->far;
    uint32_t row = row_of(m), done;
    int in = rt_move_in(m);

    for (done = 0; done < rt_move_bytes(m); done += row) {
        memmove(in ? near : far, in ? far : near, row);
        near += row;
        far += m->stride;
    }
}

/* The bit of its id; the engine takes so many at a time. */
static uint32_t begin(struct pending *p, const struct rt_move *m, int queue)
{
    int i, busy = 0;

    if (!rt_move_bytes(m) || rt_move_bytes(m) % row_of(m))
        stop("a transfer of no bytes, or no whole rows");
    for (i = 0; i < IDS; i++)
        busy += p[i].busy;
    if (busy >= queue || busy == IDS)
        stop("too many transfers under way");
    for (i = 0; p[i].busy; i++)
        ;
    p[i].m = *m;
    p[i].busy = 1;
    destroy(&p[i].m);
    return 1u << i;
}

static void end(struct pending *p, uint32_t ids)
{
    int i;

    for (i = 0; i < IDS; i++) {
        if (!(ids >> i & 1))
            continue;
        if (!p[i].busy)
            stop("a wait for no transfer");
        deliver(&p[i].m);
        p[i].busy = 0;
    }
}

uint32_t rt_dma_start(struct rt_move m, uint32_t with)
{
    return with | begin(dma, &m, DMA_QUEUE);
}

void rt_dma_wait(uint32_t ids)
{
    end(dma, ids);
}

/* The far side of external memory is a distance from its start. */
uint32_t rt_io_start(struct rt_move m)
{
    const uint32_t row = row_of(&m), rows = rt_move_bytes(&m) / row;

    if (m.far + (uint64_t)(rows - 1) * m.stride + row > EXTERNAL)
        stop("a transfer beyond external memory");
    m.far += (uintptr_t)external;
    return begin(io, &m, IDS);
}

void rt_io_wait(uint32_t ids)
{
    end(io, ids);
}

void rt_far_read(const void *far, void *near, int32_t n)
{
    rt_io_wait(rt_io_start((struct rt_move){
        .near = (uintptr_t)near, .far = (uintptr_t)far,
        .command = RT_PLAIN_COMMAND(n, 1)}));
}

static struct job {
    void (*kernel)(const void *k, const struct io *io); /* NULL: it is free */
    union {
        unsigned char byte[RT_PAGE];
        long long aligned;
    } told, given;
} jobs[IDS];

uint32_t rt_job_start(uint32_t slot,
                      void (*kernel)(const void *k, const struct io *io),
                      const void *k, uint32_t nk, struct io *io, uint32_t nio)
{
    int i;

    (void)slot;
    for (i = 0; i < IDS && jobs[i].kernel; i++)
        ;
    if (i == IDS || nk > RT_PAGE || nio > RT_PAGE)
        stop("too many jobs under way, or a large one");
    jobs[i].kernel = kernel;
    memcpy(&jobs[i].told, k, nk);
    memcpy(&jobs[i].given, io, nio);
    return (uint32_t)i + 1;
}

void rt_job_wait(uint32_t slot, uint32_t job)
{
    struct job *j = &jobs[(job - 1) % IDS];

    (void)slot;
    if (!job || !j->kernel)
        stop("a wait for no job");
    j->kernel(&j->told, (const struct io *)(const void *)&j->given);
    j->kernel = NULL;
}

/* As of rt/pulp/ext.h. */
int pulp_ext_load_file(const char *path, uint32_t ext, uint32_t n, void *room,
                       uint32_t size);
int pulp_ext_load_file(const char *path, uint32_t ext, uint32_t n, void *room,
                       uint32_t size)
{
    int f = rt_open(path, 0), got;

    (void)room;
    (void)size;
    if (f < 0 || (uint64_t)ext + n > EXTERNAL)
        return 1;
    got = rt_read(f, external + ext, (int)n);
    rt_close(f);
    return got != (int)n;
}
