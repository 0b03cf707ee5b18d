/* The queue of the I/O DMA with the fabric controller as its user: more
 * requests than the queue holds, rows, and a question whether one is done. */
#define pulp_ext_serve nobody_serves
#include "../../rt/pulp/ext.c"
#undef pulp_ext_serve
#include "rt.h"

enum { PARTS = 3 * PULP_EXT_QUEUE, PART = 300, ALL = PARTS * PART };

void pulp_ext_serve(void);

static uint8_t there[ALL] __attribute__((section(".bss.buf.L2")));
static uint8_t back[ALL] __attribute__((section(".bss.buf.L2")));
static volatile uint32_t wrong, over;

static uint32_t at(const void *p)
{
    return (uint32_t)(uintptr_t)p;
}

static void move_parts(uint8_t *p, int in)
{
    uint32_t i, token = 0;

    for (i = 0; i < PARTS; i++)
        token = pulp_ext_start(at(p) + i * PART, 7 + i * PART, PART, in);
    wrong += (uint32_t)pulp_ext_done(token);
    pulp_ext_wait(token);
    wrong += !pulp_ext_done(token - 1);
}

/* Every other PART, asked for now and then. */
static void move_rows(void)
{
    uint32_t token = pulp_ext_start_2d(at(back), 7, ALL / 2, PART, 2 * PART, 1);

    while (!pulp_ext_done(token))
        pulp_ext_poll();
}

/* What the controller does instead of serving the cluster. */
void pulp_ext_serve(void)
{
    uint32_t i;

    for (i = 0; i < ALL; i++)
        there[i] = (uint8_t)(i * 7 + (i >> 8));
    move_parts(there, 0);
    move_parts(back, 1);
    for (i = 0; i < ALL; i++)
        wrong += back[i] != there[i];
    move_rows();
    for (i = 0; i < ALL / 2; i++)
        wrong += back[i] != there[i / PART * 2 * PART + i % PART];
    over = 1;
    for (;;)
        ;
}

int main(void)
{
    while (!over)
        ;
    rt_print_hex("wrong ", wrong);
    rt_print("\n");
    return wrong != 0;
}
