/* What kernels of exchanges call: the link of this project's chip (here.h),
 * begun with the first of them.  A fault ends the program with a message. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../../kern/kern.h"
#include "../rt.h"
#include "here.h"
#include "link.h"

#include <stdlib.h>

void rt_exchange(const struct exchange_dims *k, void *b, int bytes);
void rt_ready(void);

static const char *const layer[] = {LINK_LAYERS};
static uint8_t rooms[2][LINK_ROOM_BYTES];
static struct link here = {
    .chip = LINK_HERE, .chips = LINK_OF, .way = LINK_WAY, .ms = LINK_MS,
    .model = LINK_MODEL_HASH, .in = rooms[0], .out = rooms[1],
    .room = LINK_ROOM_BYTES,
};

static void stop(int tag)
{
    char text[256];

    link_say(&here, tag < 0 ? 0 : layer[tag], text, sizeof text);
    rt_print(text);
    rt_print("\n");
    rt_exit(5);
}

/* TILEWRIGHT_LINK: the folder of the sockets; TILEWRIGHT_LINK_MS: how long a
 * chip waits for another. */
static void begin(void)
{
    static struct link_unix wire;
    const char *folder = getenv("TILEWRIGHT_LINK");
    const char *ms = getenv("TILEWRIGHT_LINK_MS");

    if (ms && atoi(ms) > 0)
        here.ms = atoi(ms);
    if (link_unix_open(&wire, &here, folder ? folder : "../link") ||
        link_begin(&here))
        stop(-1);
}

void rt_exchange(const struct exchange_dims *k, void *b, int bytes)
{
    struct link_value v = {b, bytes, k->outer, k->len, k->inner, k->parts};
    uint32_t tag = (uint32_t)k->tag;

    if (!here.wire.self)
        begin();
    if (!k->parts ? link_sum(&here, tag, b, k->len)
        : k->sum ? link_share(&here, tag, &v) : link_gather(&here, tag, &v))
        stop(k->tag);
}

void rt_ready(void)
{
    if (!here.wire.self)
        begin();
}
