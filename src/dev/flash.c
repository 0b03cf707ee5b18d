/* Flash of a target, by packets of the server's: blocks are erased, written and
 * ended with vFlashErase, vFlashWrite and vFlashDone.  Only where the memory
 * map has flash is any of them sent: servers without may crash on them. */
#include "dev/gdb.h"

#include <inttypes.h>
#include <string.h>

enum { PATIENCE = 10, HEAD = 40 }; /* times what other answers may take */

const GdbArea *gdb_flash_at(const Gdb *g, uint64_t at)
{
    int i;

    for (i = 0; i < g->narea; i++)
        if (!strcmp(g->area[i].type, "flash") && at >= g->area[i].start &&
            at - g->area[i].start < g->area[i].bytes)
            return &g->area[i];
    return NULL;
}

static bool refused(Gdb *g, const char *what, uint64_t at, uint64_t n)
{
    return gdb_fail(g, "the server refuses to %s %" PRIu64 " bytes of flash at "
        "0x%08" PRIx64 " (%.20s): it is protected, or the server does not know "
        "this chip's flash", what, n, at,
        *g->answer ? g->answer : "not supported");
}

static bool is_touched(uint64_t at, uint64_t n, const GdbData *d, int count)
{
    int i;

    for (i = 0; i < count; i++)
        if (d[i].n && d[i].at < at + n && at < d[i].at + d[i].n)
            return true;
    return false;
}

/* The blocks of an area that any of the data lie in, runs of them at once. */
static bool erase(Gdb *g, const GdbArea *a, const GdbData *d, int count)
{
    uint64_t block = a->block ? a->block : a->bytes, from = 0, n = 0, at;

    for (at = 0; at <= a->bytes; at += block) {
        if (at < a->bytes && is_touched(a->start + at, block, d, count)) {
            from = n ? from : a->start + at;
            n += block;
            continue;
        }
        if (n && (!gdb_ask(g, "vFlashErase:%" PRIx64 ",%" PRIx64, from, n) ||
                  !gdb_is_ok(g)))
            return g->lost ? false : refused(g, "erase", from, n);
        n = 0;
    }
    return true;
}

static bool put(Gdb *g, const GdbData *d)
{
    static char text[GDB_MOST];
    const char *from = d->p;
    size_t n = d->n, h, k, used;
    uint64_t at = d->at;

    for (; n; n -= k, from += k, at += k) {
        h = (size_t)snprintf(text, HEAD, "vFlashWrite:%" PRIx64 ":", at);
        k = gdb_put_binary(text + h, MIN(g->packet, sizeof text) - h - 4, from,
                           n, &used);
        if (!gdb_ask_bytes(g, text, h + used) || !gdb_is_ok(g))
            return g->lost ? false : refused(g, "write", at, k);
    }
    return true;
}

static bool flash_all(Gdb *g, const GdbData *d, int count)
{
    int i;

    for (i = 0; i < g->narea; i++)
        if (!strcmp(g->area[i].type, "flash") &&
            !erase(g, &g->area[i], d, count))
            return false;
    for (i = 0; i < count; i++)
        if (!put(g, &d[i]))
            return false;
    if (!gdb_ask(g, "vFlashDone"))
        return false;
    return gdb_is_ok(g) || refused(g, "end the writing of", d->at, d->n);
}

bool gdb_flash(Gdb *g, const GdbData *d, int count)
{
    int patience = g->timeout, tries = g->tries, i;
    bool ok;

    for (i = 0; i < count; i++)
        if (!gdb_flash_at(g, d[i].at) ||
            !gdb_flash_at(g, d[i].at + d[i].n - 1))
            return gdb_fail(g, "there is no flash for %zu bytes at 0x%08"
                            PRIx64, d[i].n, d[i].at);
    g->timeout = PATIENCE * patience;
    g->tries = 1; /* what was written is not written again */
    ok = !count || flash_all(g, d, count);
    g->timeout = patience;
    g->tries = tries;
    for (i = 0; ok && i < count; i++)
        ok = gdb_compare(g, d[i].at, d[i].p, d[i].n);
    return ok;
}
