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

/* Bytes of the pages' records and of what kernels are told. */
static int64_t least_program(const Tiler *t)
{
    int64_t sum = 0, dims = PAGE_BYTES / 2, pages;
    int i;

    for (i = 0; i < t->nlayer; i++) {
        const Node *n = t->layer[i].node;

        dims = MIN(dims, (int64_t)dims_of(n->op)->size);
        if (n->op != OP_concat)
            sum += WORD * (CALL_WORDS + n->nres +
                           MAX(MIN(n->narg, NARG),
                               choose_least_args(t->chooser, n)));
    }
    pages = sum / (PAGE_BYTES - WORD - dims);
    return sum + pages * (WORD + dims + ENTRY);
}

/* Is it somewhere near between all layers of its life? */
static bool stays(const Tiler *t, int alloc)
{
    const Alloc *v = &t->s->alloc[alloc];

    return !v->konst && t->last[alloc] >= 0 &&
           (v->in || v->out ||
            t->last[alloc] - t->first[alloc] >= MOST_FUSED) &&
           (t->l3 < 0 || !t->io || !spill_pays(t, alloc));
}

/* Bytes that live between two layers. */
static int64_t least_live(const Tiler *t)
{
    int64_t most = 0, *live = NEWN(t->mem, int64_t, t->nlayer + 3);
    int i;

    for (i = 0; i < t->s->nalloc; i++)
        if (stays(t, i)) {
            live[t->first[i] + 1] += t->s->alloc[i].size;
            live[t->last[i] + 1] -= t->s->alloc[i].size;
        }
    for (i = 0; i <= t->nlayer; i++) {
        most = MAX(most, live[i]);
        live[i + 1] += live[i];
    }
    return most;
}

void refuse_many(Tiler *t, const PlanOpts *o)
{
    int64_t program, need, left;
    Str says = {.mem = t->p->mem};

    if (t->nlayer < MANY_LAYERS)
        return;
    program = least_program(t);
    need = least_live(t) - l1_room_of(t, o);
    left = l2_all(t) - program;
    if (need <= left)
        return;
    str_fmt(&says, "; %s needs at least %lld bytes for the program of %d "
            "layers and %lld for buffers, has %lld: %lld bytes are missing",
            t->p->soc->mems[t->l2].name, (long long)program, t->nlayer,
            (long long)MAX(0, need), (long long)l2_all(t),
            (long long)(program + MAX(0, need) - l2_all(t)));
    plan_missing[t->l2] = program + MAX(0, need) - l2_all(t);
    no_room(t->p, says.s);
}
