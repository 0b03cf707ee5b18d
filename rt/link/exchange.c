/* What kernels of exchanges call: the link of this project's chip (here.h),
 * begun with the first of them.  A fault ends the program with a message. */
#include "../../kern/kern.h"
#include "../rt.h"
#include "here.h"
#include "link.h"

void rt_exchange(const struct exchange_dims *k, void *b, int bytes);

static const char *const layer[] = {LINK_LAYERS};
static uint32_t rooms[2][LINK_ROOM_BYTES / 4];
static struct link here = {
    .chip = LINK_HERE, .chips = LINK_OF, .way = LINK_WAY, .ms = LINK_MS,
    .model = LINK_MODEL_HASH, .in = (uint8_t *)rooms[0],
    .out = (uint8_t *)rooms[1], .room = LINK_ROOM_BYTES,
};

static void stop(int tag)
{
    const struct link_fault f = {here.chip, here.error, here.peer, here.tag};
    char text[256];

    link_say(&f, tag < 0 ? 0 : layer[tag], text, sizeof text);
    rt_print(text);
    rt_print("\n");
    rt_exit(5);
}

void rt_exchange(const struct exchange_dims *k, void *b, int bytes)
{
    struct link_value v = {b, bytes, k->outer, k->len, k->inner, k->parts};
    struct link_halo h = {k->from, k->n, k->up, k->down};
    uint32_t tag = (uint32_t)k->tag;

    rt_link_begin();
    if (!k->parts ? k->sum ? link_sum(&here, tag, b, k->len)
                           : link_halo(&here, tag, &v, &h)
        : k->sum ? link_share(&here, tag, &v) : link_gather(&here, tag, &v))
        stop(k->tag);
}

void rt_link_begin(void)
{
    if (!here.wire.send && (link_open(&here) || link_begin(&here)))
        stop(-1);
}
