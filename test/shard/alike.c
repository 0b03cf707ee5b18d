/* alike CHIPS TARGET MODEL...: every chip's plan, made as that of chip 0 was
 * found, is sound, and takes at most 2 % longer than its own search finds, with
 * fewer attempts.  Sums are sent beside work; a plan that moves them meanwhile, or
 * writes there, is not sound. */
#include "front/front.h"
#include "pass/pass.h"
#include "plan/plan.h"
#include "quant/quant.h"
#include "shard/shard.h"
#include "verify/verify.h"

#include <stdlib.h>

static const char *target;
static int64_t tried[2]; /* attempts: of own searches, alike */

static int guarded; /* plans with such sums */

/* Does verify object when operand `operand` of record `of` lies elsewhere? */
static void must_object(Arena *a, Plan *p, Rec *of, int operand, Place at)
{
    Place was = of->place[operand];

    of->place[operand] = at;
    if (!verify_plan(a, p))
        die("%s: what is sent meanwhile may be moved", p->g->name);
    of->place[operand] = was;
}

/* The record of a kernel of op, from item i on. */
static Rec *find_call(const Plan *p, int i, OpCode op)
{
    for (; i < p->program->nitem; i++) {
        Rec *c = &p->program->item[i];

        if (c->kind == REC_call && c->step->node->op == op)
            return c;
    }
    return NULL;
}

static void guard(Arena *a, Plan *p)
{
    Rec *send = find_call(p, 0, OP_partsend), *take, *next;
    Place other;

    if (!send)
        return;
    take = find_call(p, 0, OP_parttake);
    next = find_call(p, (int)(send - p->program->item), OP_matmul);
    other = take->place[1];
    other.off += 64;
    must_object(a, p, take, 1, other);
    must_object(a, p, take, 0, take->place[1]);
    if (next && next < take)
        must_object(a, p, next, next->nin, send->place[0]);
    guarded++;
}

static Plan *plan_of(Arena *a, Graph *g, const Plan *like)
{
    Soc *soc = soc_read(a, target);
    PlanOpts o = {.like = like};
    const char *wrong;
    Plan *p;
    int i;

    for (i = 0; i < (int)LEN(o.limit); i++)
        o.limit[i] = -1;
    p = plan_make(a, g, soc, &o);
    wrong = verify_plan(a, p);
    if (wrong)
        die("%s", wrong);
    guard(a, p);
    return p;
}

static Shard *share(Arena *a, const char *model, int chips)
{
    static const char *const off[] = {"siblings", "attend", "prompt", "few",
                                     NULL};
    Graph *g = front_read(a, model, &(FrontOpts){0});
    Shard *s;
    int i;

    quant_lower(g);
    pass_all(g, off, NULL);
    graph_number(g);
    s = shard_make(a, g, &(ShardOpts){.chips = chips, .room = 1 << 17,
                                      .images = IMAGES_channels,
                                      .beside = true, .mac_rate = 1e-4,
                                      .sum_columns = 1, .link_rate = 1e-4});
    for (i = 0; i < chips; i++) {
        pass_one(s->g[i], "cse");
        pass_one(s->g[i], "widen");
        graph_number(s->g[i]);
    }
    return s;
}

static bool same(const char *model, int chips)
{
    Arena *a = arena_new();
    Shard *s = share(a, model, chips), *again = share(a, model, chips);
    const Plan *first = NULL;
    bool ok = true;
    int i;

    for (i = 0; i < chips; i++) {
        const Plan *own = plan_of(a, again->g[i], NULL);
        const Plan *p = plan_of(a, s->g[i], first);

        ok &= p->cost <= own->cost + own->cost / 50;
        tried[0] += own->tried;
        tried[1] += p->tried;
        first = first ? first : p;
    }
    if (!ok)
        printf("%s: slower plans\n", model);
    arena_end(a);
    return ok;
}

int main(int argc, char **argv)
{
    int i, wrong = 0;

    if (argc < 4)
        return 2;
    target = argv[2];
    for (i = 3; i < argc; i++)
        wrong += !same(argv[i], atoi(argv[1]));
    printf("%lld attempts, %lld alike, %d with sums beside work\n",
           (long long)tried[0], (long long)tried[1], guarded);
    return wrong || !guarded || tried[1] >= tried[0];
}
