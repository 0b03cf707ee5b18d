/* Layers that are alike share what is known of their grids.
 *
 * An unrolled network has thousands of layers of a few kinds.  What a grid
 * knows follows from all that is compared here; candidates do not, for they
 * depend on where operands lie too. */
#include "plan/tile/tile.h"

#include <string.h>

enum { BUCKETS = 1024 };

struct GridTable {
    Grids *bucket[BUCKETS];
};

typedef struct Traits {
    Arena *mem;
    int64_t *v;
    int n;
} Traits;

static void put_word(Traits *k, int64_t word)
{
    GROW(k->mem, k->v, (size_t)k->n);
    k->v[k->n++] = word;
}

static void put_vary(Traits *k, Vary v)
{
    put_word(k, (intptr_t)v.num);
    put_word(k, v.by);
}

static void put_val(Traits *k, const Val *v)
{
    int i;

    put_word(k, v ? (int64_t)v->type : -1);
    if (!v)
        return;
    put_word(k, v->data != NULL);
    put_word(k, v->lo);
    put_word(k, v->hi);
    put_word(k, v->shape.rank);
    for (i = 0; i < v->shape.rank; i++) {
        put_word(k, v->shape.dim[i]);
        put_vary(k, v->shape.vary[i]);
    }
}

static void put_attr(Traits *k, const Attr *a)
{
    int64_t f;
    int i;

    memcpy(&f, &a->f, sizeof f);
    put_word(k, a->code);
    put_word(k, a->i);
    put_word(k, f);
    put_word(k, a->n);
    put_word(k, a->vary != NULL);
    for (i = 0; i < a->n; i++) {
        put_word(k, a->list[i]);
        if (a->vary)
            put_vary(k, a->vary[i]);
    }
}

static void put_node(Traits *k, const Node *n)
{
    const Attr *a;
    int i;

    put_word(k, n->op);
    put_word(k, n->narg);
    put_word(k, n->nres);
    for (i = 0; i < n->narg; i++)
        put_val(k, n->arg[i]);
    for (i = 0; i < n->nres; i++)
        put_val(k, n->res[i]);
    put_word(k, n->acc.lo);
    put_word(k, n->acc.hi);
    put_word(k, n->scaled.lo);
    put_word(k, n->scaled.hi);
    for (a = n->attr; a; a = a->next)
        put_attr(k, a);
}

static void put_choice(Traits *k, const Choice *c)
{
    put_word(k, (intptr_t)c->kern);
    put_word(k, (intptr_t)c->sig);
    put_word(k, c->inplace);
    put_word(k, c->scratch);
    put_word(k, c->stack);
    put_word(k, c->cycles);
    put_word(k, c->denied);
    put_word(k, c->ncore);
}

static Traits traits_of(Arena *mem, const Tiler *t, const LayerInst *w)
{
    Traits k = {.mem = mem};
    int i;

    put_word(&k, t->opt.effort);
    put_word(&k, t->opt.min_memory);
    put_node(&k, w->node);
    put_word(&k, w->part);
    put_word(&k, w->shared);
    put_choice(&k, w->choice);
    put_word(&k, w->nalloc);
    for (i = 0; i < w->noper; i++) {
        put_word(&k, w->oper[i].bit);
        put_word(&k, w->oper[i].konst);
    }
    return k;
}

bool grids_hold(const Grids *g, int64_t l1)
{
    return !g || (g->wanted <= l1 && l1 < g->denied);
}

/* A copy of a concat is asked about with all of its operands. */
static bool may_share(const LayerInst *w)
{
    return w->node->op != OP_concat;
}

Grids *tiler_grids(Tiler *t, const LayerInst *w)
{
    Arena *mem = arena_new();
    Traits k = may_share(w) ? traits_of(mem, t, w) : (Traits){0};
    size_t bytes = (size_t)k.n * sizeof *k.v;
    Grids *g = NULL, **bucket;

    if (!t->p->grids)
        t->p->grids = NEW(t->k.mem, GridTable);
    bucket = &t->p->grids->bucket[hash_mem(k.v, bytes) % BUCKETS];
    if (may_share(w))
        for (g = *bucket; g; g = g->next)
            if (g->nkey == k.n && !memcmp(g->key, k.v, bytes) &&
                grids_hold(g, t->a.room))
                break;
    if (!g) {
        g = NEW(t->k.mem, Grids);
        *g = (Grids){.denied = INT64_MAX, .nkey = k.n, .next = *bucket,
                     .key = NEWN(t->k.mem, int64_t, k.n + 1)};
        if (bytes)
            memcpy(g->key, k.v, bytes);
        *bucket = may_share(w) ? g : *bucket;
    }
    arena_end(mem);
    return g;
}
