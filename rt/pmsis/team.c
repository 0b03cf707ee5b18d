/* A team by PMSIS.  A transfer's number is its request's bit. */
#include "team.h"

#include "bsp/ram.h"
#include "pmsis.h"

enum { REQUESTS = 16 };

struct pi_device *pmsis_ram;
uint32_t pmsis_ram_base;

static PI_L1 unsigned char page[2][RT_PAGE] __attribute__((aligned(16)));
static PI_L1 pi_cl_dma_cmd_t dma[REQUESTS];
static PI_L1 uint32_t dma_used; /* a bit each */
static PI_L1 struct {
    pi_cl_ram_req_t request;
    int in;
} io[REQUESTS];
static PI_L1 uint32_t io_used;

struct share {
    void (*work)(const void *arg, int core);
    const void *arg;
};

static void do_share(void *arg)
{
    const struct share *s = arg;

    s->work(s->arg, pi_core_id());
}

unsigned char *rt_page_buffer(int i)
{
    return page[i & 1];
}

void rt_team(void (*work)(const void *arg, int core), const void *arg,
             int cores)
{
    struct share s = {work, arg};

    pi_cl_team_fork(cores, do_share, &s);
}

/* The program never has more under way. */
static int take(uint32_t *used)
{
    int i = 0;

    while (*used >> i & 1)
        i++;
    *used |= 1u << i;
    return i;
}

uint32_t rt_dma_start(struct rt_move m, uint32_t with)
{
    const pi_cl_dma_dir_e dir = rt_move_in(&m) ? PI_CL_DMA_DIR_EXT2LOC
                                               : PI_CL_DMA_DIR_LOC2EXT;
    const int i = take(&dma_used);

    if (m.row)
        pi_cl_dma_cmd_2d(m.far, m.near, rt_move_bytes(&m), m.stride, m.row,
                         dir, &dma[i]);
    else
        pi_cl_dma_cmd(m.far, m.near, rt_move_bytes(&m), dir, &dma[i]);
    return with | 1u << i;
}

void rt_dma_wait(uint32_t ids)
{
    int i;

    for (i = 0; i < REQUESTS; i++)
        if (ids >> i & 1)
            pi_cl_dma_cmd_wait(&dma[i]);
    dma_used &= ~ids;
}

uint32_t rt_io_start(struct rt_move m)
{
    const int i = take(&io_used);
    const uint32_t far = pmsis_ram_base + (uint32_t)m.far;
    const uint32_t bytes = rt_move_bytes(&m);
    const uint32_t row = m.row ? m.row : bytes;
    const uint32_t stride = m.row ? m.stride : bytes;

    io[i].in = rt_move_in(&m);
    if (io[i].in)
        pi_cl_ram_read_2d(pmsis_ram, far, (void *)m.near, bytes, stride, row,
                          &io[i].request);
    else
        pi_cl_ram_write_2d(pmsis_ram, far, (void *)m.near, bytes, stride, row,
                           &io[i].request);
    return 1u << i;
}

static void wait_io(int i)
{
    if (io[i].in)
        pi_cl_ram_read_wait(&io[i].request);
    else
        pi_cl_ram_write_wait(&io[i].request);
}

void rt_io_wait(uint32_t ids)
{
    int i;

    for (i = 0; i < REQUESTS; i++)
        if (ids >> i & 1)
            wait_io(i);
    io_used &= ~ids;
}

void rt_far_read(const void *far, void *near, int32_t n)
{
    rt_io_wait(rt_io_start((struct rt_move){
        .near = (uintptr_t)near, .far = (uintptr_t)far,
        .command = RT_PLAIN_COMMAND(n, 1)}));
}
