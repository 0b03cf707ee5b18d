/* Steps whose kernels get the same dims, and layers that are called alike. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* As run-time numbers are. */
static bool same_dims_now(const Step *a, const Step *b)
{
    const DimsInfo *d = dims_of(a->node->op);

    return d == dims_of(b->node->op) && step_is_float(a) == step_is_float(b) &&
           memcmp(&a->dims, &b->dims, (size_t)d->size) == 0;
}

bool step_same_dims(const Step *a, const Step *b)
{
    return same_dims_now(a, b) && (a == b || /* at another value they may differ */
           (!node_varies(a->node) &&
            (a->node == b->node || !node_varies(b->node))));
}

/* --- layers whose kernels are called alike, where there is no team --- */

enum { WORTH = 3 }; /* layers of a call, for it to be a function of its own */

typedef bool Alike(const Plan *p, const Step *a, const Step *b);

typedef struct Hashed {
    uint64_t hash;
    int layer;
} Hashed;

static int by_hash(const void *a, const void *b)
{
    const Hashed *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->layer - y->layer;
}

const Step *layer_step(const Plan *p, int layer)
{
    return &p->step[p->layer[layer].first];
}

static Hashed *hash_layers(Arena *mem, const Plan *p)
{
    Hashed *h = NEWN(mem, Hashed, (size_t)p->nlayer + 1);
    int i;

    for (i = 0; i < p->nlayer; i++) {
        const Step *s = layer_step(p, i);

        h[i].hash = hash_mem(&s->dims, (size_t)dims_of(s->node->op)->size);
        h[i].layer = i;
    }
    qsort(h, (size_t)p->nlayer, sizeof *h, by_hash);
    return h;
}

/* By layer: the first that is alike. */
static int *first_alike(Arena *mem, const Plan *p, Alike *alike)
{
    Hashed *h = hash_layers(mem, p);
    int *first = NEWN(mem, int, (size_t)p->nlayer + 1);
    int i, j, begin = 0;

    for (i = 0; i < p->nlayer; i++) {
        const Step *s = layer_step(p, h[i].layer);

        if (h[i].hash != h[begin].hash)
            begin = i;
        for (j = begin; j < i && (first[h[j].layer] != h[j].layer ||
                                  !alike(p, layer_step(p, h[j].layer), s)); j++)
            ;
        first[h[i].layer] = h[j].layer;
    }
    return first;
}

static bool same_shapes(const Node *a, const Node *b)
{
    int i;

    for (i = 0; i < a->narg; i++)
        if (!a->arg[i] != !b->arg[i] ||
            (a->arg[i] && !shape_same(a->arg[i]->shape, b->arg[i]->shape)))
            return false;
    return shape_same(a->res[0]->shape, b->res[0]->shape);
}

/* Do dims follow run-time numbers in the same way? */
static bool same_follow(const Step *a, const Step *b)
{
    int i;

    if (!node_varies(a->node) && !node_varies(b->node))
        return true;
    if (a->nfollow != b->nfollow || a->part != b->part ||
        a->node->narg != b->node->narg || !same_shapes(a->node, b->node))
        return false;
    for (i = 0; i < a->nfollow; i++)
        if (a->follow[i].at != b->follow[i].at ||
            !poly_same(&a->follow[i].is, &b->follow[i].is))
            return false;
    return true;
}

static bool dims_alike(const Plan *p, const Step *a, const Step *b)
{
    (void)p;
    return same_dims_now(a, b) && same_follow(a, b);
}

int step_operands(const Step *s)
{
    return s->nin + s->nout + 1;
}

Ref step_operand(const Step *s, int k)
{
    return k < s->nin ? s->in[k] : k < s->nin + s->nout ? s->out[k - s->nin] :
           s->tmp;
}

static int inst_of(const Plan *p, const Step *s)
{
    return p->program->inst.of[s - p->step];
}

static bool call_alike(const Plan *p, const Step *a, const Step *b)
{
    int k;

    if (inst_of(p, a) != inst_of(p, b) || a->nin != b->nin ||
        a->nout != b->nout || step_room(a) != step_room(b) ||
        a->stage_bytes || b->stage_bytes)
        return false;
    for (k = 0; k < step_operands(a); k++)
        if ((step_operand(a, k).buf < 0) != (step_operand(b, k).buf < 0))
            return false;
    return dims_alike(p, a, b);
}

int *layers_first_dims(Arena *mem, const Plan *p)
{
    return first_alike(mem, p, dims_alike);
}

int *layers_first_call(Arena *mem, const Plan *p)
{
    int *first = first_alike(mem, p, call_alike), i;
    int *count = NEWN(mem, int, (size_t)p->nlayer + 1);

    for (i = 0; i < p->nlayer; i++)
        count[first[i]]++;
    for (i = 0; i < p->nlayer; i++)
        if (count[first[i]] < WORTH)
            first[i] = i;
    return first;
}

double plan_calls(const Plan *p)
{
    static const double share = 0.25; /* of a call: to pass operands */
    Arena *mem = arena_new();
    int *first = layers_first_call(mem, p), i;
    double calls = 0;

    for (i = 0; i < p->nlayer; i++)
        calls += first[i] == i ? 1 : share;
    arena_end(mem);
    return calls;
}
