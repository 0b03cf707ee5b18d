/* Constants in memory that only a DMA reaches: a file, from which a program
 * fills that memory before anything else. */
#include "gen/gen.h"

#include <string.h>

/* Has the network anything there? */
static bool is_far(const Gen *g, const Buf *u)
{
    return !g->p->soc->mems[u->mem].mapped;
}

bool gen_in_image(const Gen *g, const Buf *u)
{
    return u->kind == BUF_const && is_far(g, u);
}

bool gen_far(const Gen *g)
{
    int i;

    for (i = 0; i < g->p->nbuf; i++)
        if (is_far(g, &g->p->buf[i]))
            return true;
    return false;
}

int64_t gen_image_bytes(const Gen *g)
{
    int64_t n = 0;
    int i;

    for (i = 0; i < g->p->soc->nmem; i++)
        if (!g->p->soc->mems[i].mapped)
            n += g->p->consts[i];
    return n;
}

bool gen_far_values(const Gen *g)
{
    int i;

    for (i = 0; i < g->p->soc->nmem; i++)
        if (!g->p->soc->mems[i].mapped && g->p->used[i])
            return true;
    return false;
}

int64_t gen_far_bytes(const Gen *g)
{
    int64_t n = 0;
    int i;

    for (i = 0; i < g->p->soc->nmem; i++)
        if (!g->p->soc->mems[i].mapped)
            n += (g->p->consts[i] + 15) / 16 * 16 + g->p->used[i];
    return n;
}

static const char *image_name(const Gen *g)
{
    return arena_fmt(g->mem, "%s_l3.bin", g->name);
}

/* Zeros between constants, which lie at their addresses. */
static void fill(char *image, const Gen *g)
{
    int i;

    for (i = 0; i < g->p->nbuf; i++) {
        const Buf *u = &g->p->buf[i];

        if (gen_in_image(g, u))
            memcpy(image + u->addr, u->val->data, (size_t)u->size);
    }
}

void gen_image(Gen *g)
{
    size_t n = (size_t)gen_image_bytes(g);
    Str b = {.mem = g->mem, .s = arena_get(g->mem, n + 1, 1), .n = n};

    if (!n)
        return;
    fill(b.s, g);
    gen_file(g, image_name(g), &b);
}

/* What main() and the harness do first; `l2` is there by gen_storage(). */
void gen_load(Gen *g, const char *dir, Str *out)
{
    const Engine *d = soc_hop(g->p->soc, 1);
    const char *room = d ? gen_mem(g, d->near) : "";

    if (!d || !plan_uses(g->p, d->near))
        die("constants in memory that nothing moves");
    str_put(out, "pulp_ext_load_file(");
    gen_quote(arena_fmt(g->mem, "%s%s", dir, image_name(g)), out);
    str_fmt(out, ",\n        0, %s_L3_BYTES, %s, sizeof %s)", g->caps, room,
            room);
}
