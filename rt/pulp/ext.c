/* The queue of the I/O DMA.
 *
 * A register of the channel costs a cluster core 23 cycles, a transfer five
 * of them, and the channel takes one at a time; so the fabric controller,
 * which has nothing else to do, looks after it.  A request is three or five
 * words in the L1, where core 0 writes in a cycle what the controller reads
 * in 15, while the transfer before still moves.  There is no event from the
 * channel: its status register is asked. */
#include "../move.h"
#include "ext.h"
#include "pulp.h"

enum { /* registers of the channel */
    RX_ADDRESS, RX_SIZE, RX_CONFIG, TX_ADDRESS, TX_SIZE, TX_CONFIG, COMMAND,
    EXTERNAL, STATUS = 9, TX_ROWS = 10, RX_ROWS = 13,
};
enum { GATES = 0x1a102000 }; /* of the clocks of all channels */
enum { START = 1 << 4 | 2 << 1, WRITE = 1, READ = 5 };

#define COUNT (PULP_EXT_ROWS - 1)

/* Of the linker script: the channel, and what configures it. */
extern volatile uint32_t rt_hyper[], rt_hyper_config[];

struct request {
    uint32_t l2, ext, n; /* with PULP_EXT_IN, PULP_EXT_ROWS */
    uint32_t row, stride;
};

static struct {
    volatile uint32_t asked, taken, done; /* how many */
    volatile struct request at[PULP_EXT_QUEUE];
    struct request now, next; /* the controller's; row 0: none */
    int ready;
} queue;

static int is_fabric(void)
{
    return pulp_hart() >> 5 == 31;
}

/* Request number i, for which there is room. */
static inline uint32_t put(uint32_t i, uint32_t l2, uint32_t ext, uint32_t n,
                           uint32_t row, uint32_t stride)
{
    volatile struct request *r = &queue.at[i % PULP_EXT_QUEUE];

    r->l2 = l2;
    r->ext = ext;
    r->n = n;
    if (n & PULP_EXT_ROWS) {
        r->row = row;
        r->stride = stride;
    }
    __asm__ volatile("" ::: "memory"); /* what is sent is written before */
    queue.asked = i + 1;
    return i + 1;
}

/* A call of its own, so that what it keeps in registers is not saved each
 * time. */
__attribute__((noinline))
static uint32_t ask_later(uint32_t l2, uint32_t ext, uint32_t n, uint32_t row,
                          uint32_t stride)
{
    while (queue.asked - queue.taken == PULP_EXT_QUEUE)
        pulp_ext_poll();
    return put(queue.asked, l2, ext, n, row, stride);
}

uint32_t pulp_ext_ask(uint32_t l2, uint32_t ext, uint32_t n, uint32_t row,
                      uint32_t stride)
{
    const uint32_t i = queue.asked;

    if (i - queue.taken == PULP_EXT_QUEUE)
        return ask_later(l2, ext, n, row, stride);
    return put(i, l2, ext, n, row, stride);
}

int pulp_ext_done(uint32_t token)
{
    return (int32_t)(queue.done - token) >= 0;
}

/* ---- the controller's side ---- */

static void configure(void)
{
    PULP_REG(GATES) = ~0u;
    rt_hyper_config[1] = 6;
    rt_hyper_config[2] = 1;
    rt_hyper_config[0] = 4;
    rt_hyper_config[8] = 0;
    rt_hyper[TX_ROWS] = 0;
    rt_hyper[RX_ROWS] = 0;
    queue.ready = 1;
}

static void take(struct request *r, uint32_t i)
{
    volatile struct request *q = &queue.at[i % PULP_EXT_QUEUE];

    r->l2 = q->l2;
    r->ext = q->ext;
    r->n = q->n;
    r->row = r->stride = PULP_EXT_LONGEST;
    if (r->n & PULP_EXT_ROWS) {
        r->row = q->row;
        r->stride = q->stride;
    }
}

/* The next row, or piece, of r to the channel. */
static void command(struct request *r)
{
    uint32_t left = r->n & COUNT, n = left < r->row ? left : r->row;
    int in = r->n >> 31;

    rt_hyper[in ? RX_ADDRESS : TX_ADDRESS] = r->l2;
    rt_hyper[in ? RX_SIZE : TX_SIZE] = n;
    rt_hyper[COMMAND] = in ? READ : WRITE;
    rt_hyper[EXTERNAL] = r->ext;
    rt_hyper[in ? RX_CONFIG : TX_CONFIG] = START;
    r->l2 += n;
    r->ext += r->stride;
    r->n -= n;
}

/* Keeps the channel busy until `until` requests are done, or if once, as far
 * as can be without waiting.  Everything is in registers meanwhile, for the
 * stack is in the L1, and the next goes off before the last is reported. */
static void serve(uint32_t until, int once)
{
    struct request now = queue.now, next = queue.next;
    uint32_t taken = queue.taken, done = queue.done;

    if (!queue.ready)
        configure();
    do {
        uint32_t over = 0, took = 0;

        if (!next.row && queue.asked != taken) {
            take(&next, taken);
            took = ++taken;
        } else if (!now.row && !next.row) {
            continue;
        } else {
            /* the next one waits */
        }
        if (!now.row || !(rt_hyper[STATUS] & 1)) {
            if (!(now.n & COUNT)) {
                over = now.row;
                now = next;
                next.row = next.n = 0;
            }
            if (now.row)
                command(&now);
        }
        if (over)
            queue.done = ++done;
        if (took)
            queue.taken = taken;
    } while (!once && (int32_t)(done - until) < 0);
    queue.now = now;
    queue.next = next;
}

void pulp_ext_serve(void)
{
    for (;;)
        serve(queue.done + INT32_MAX, 0);
}

void pulp_ext_poll(void)
{
    if (is_fabric())
        serve(0, 1);
}

void pulp_ext_wait(uint32_t token)
{
    while (!pulp_ext_done(token))
        if (is_fabric())
            serve(token, 0);
    __asm__ volatile("" ::: "memory"); /* what came is read behind */
}

void rt_far_read(const void *far, void *near, int32_t n)
{
    pulp_ext_wait(pulp_ext_ask((uint32_t)(uintptr_t)near,
                               (uint32_t)(uintptr_t)far,
                               (uint32_t)n | PULP_EXT_IN, 0, 0));
}

int pulp_ext_load(uint32_t ext, uint32_t n, void *room, uint32_t size,
                  int (*read)(void *arg, void *p, int k), void *arg)
{
    uint32_t half = size / 2 & ~3u, token[2] = {0, 0}, done = 0, k;
    int i;

    for (i = 0; done < n; done += k, i ^= 1) {
        uint8_t *p = (uint8_t *)room + (i ? half : 0);

        k = n - done < half ? n - done : half;
        if (token[i])
            pulp_ext_wait(token[i]);
        if (!k || read(arg, p, (int)k) != (int)k)
            return 1;
        token[i] = pulp_ext_start((uint32_t)(uintptr_t)p, ext + done, k, 0);
    }
    if (n)
        pulp_ext_wait(token[i ^ 1]);
    return 0;
}
