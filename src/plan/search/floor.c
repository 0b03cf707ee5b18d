/* Networks of so many layers that no plan of them fits, known before any is
 * tried.
 *
 * Every layer begins a kernel of its own at least once, for no loop of the
 * program spans two: a record.  Each page has what one kernel is told, at
 * least.  Beside the program lies what lives between two layers, but for what
 * may be spilled and what a fused group may make within. */
#include "plan/search/search.h"
#include "plan/solve/solve.h"

enum { WORD = 4, ENTRY = 10, CALL_WORDS = 5 };
enum { ENOUGH = 10000, LEAST_TRIED = 2 }; /* layers of all attempts; attempts */

/* Bytes of the pages' records and of what kernels are told. */
static int64_t least_program(const Tiler *t)
{
    int64_t sum = 0, dims = PAGE_BYTES / 2, pages;
    int i;

    for (i = 0; i < t->q->nlayer; i++) {
        const Node *n = t->layer[i].node;

        dims = MIN(dims, n->op == OP_pconv ? WORD * JOB_WORDS
                                           : (int64_t)dims_of(n->op)->size);
        if (n->op != OP_concat)
            sum += WORD * (CALL_WORDS + n->nres +
                           MAX(MIN(n->narg, NARG),
                               choose_least_args(t->q->chooser, n)));
    }
    pages = sum / (PAGE_BYTES - WORD - dims);
    return sum + pages * (WORD + dims + ENTRY);
}

/* Is it somewhere near between all layers of its life? */
static bool stays(const Tiler *t, int alloc)
{
    const Alloc *v = &t->q->s->alloc[alloc];

    return !v->konst && t->q->last[alloc] >= 0 &&
           (v->in || v->out ||
            t->q->last[alloc] - t->q->first[alloc] >= MOST_FUSED) &&
           (t->q->l3 < 0 || !t->q->io || !spill_pays(t, alloc));
}

/* Bytes that live between two layers. */
static int64_t least_live(const Tiler *t)
{
    int64_t most = 0, *live = NEWN(t->mem, int64_t, t->q->nlayer + 3);
    int i;

    for (i = 0; i < t->q->s->nalloc; i++)
        if (stays(t, i)) {
            live[t->q->first[i] + 1] += t->q->s->alloc[i].size;
            live[t->q->last[i] + 1] -= t->q->s->alloc[i].size;
        }
    for (i = 0; i <= t->q->nlayer; i++) {
        most = MAX(most, live[i]);
        live[i + 1] += live[i];
    }
    return most;
}

/* "at least": or as the last attempt has it. */
static void say_many(const Tiler *t, const char *at_least, int64_t program,
                     int64_t buffers)
{
    int64_t missing = program + buffers - l2_all(t);
    Str says = {.mem = t->p->mem};

    str_fmt(&says, "; %s needs %s%lld bytes for the program of %d layers and "
            "%lld for buffers, has %lld: %lld bytes are missing",
            t->p->soc->mems[t->q->l2].name, at_least, (long long)program,
            t->q->nlayer, (long long)buffers, (long long)l2_all(t),
            (long long)missing);
    plan_missing[t->q->l2] = missing;
    no_room(t->p, says.s);
}

void refuse_many(Tiler *t, const PlanOpts *o)
{
    int64_t program, need;

    if (t->q->nlayer < MANY_LAYERS)
        return;
    program = least_program(t);
    need = least_live(t) - l1_room_of(t, o);
    if (need > l2_all(t) - program)
        say_many(t, "at least ", program, MAX(0, need));
}

bool tried_enough(const Tiler *t)
{
    return t->q->nlayer >= MANY_LAYERS && t->k.lacked > 0 &&
           t->p->tried >= MAX(LEAST_TRIED, ENOUGH / t->q->nlayer);
}

void refuse_tried(const Tiler *t)
{
    if (tried_enough(t) && t->k.lacked + t->k.lacked_code > l2_all(t))
        say_many(t, "", t->k.lacked_code, t->k.lacked);
}
