/* What `quantize --merge` chooses: weights of q and k of attention are one
 * matrix a head, or apart, whichever is fewer products, or takes less of what
 * is asked for on the chip that is named.  For that both forms are quantized
 * from one example, roughly, and planned: what integers are decides neither. */
#include "cli/quantized.h"

static bool is_quantized(const Graph *g)
{
    const Node *n;
    bool floats = false;

    for (n = g->first; n; n = n->next) {
        floats |= n->res[0]->type == T_f32;
        if (n->op == OP_quantize)
            return true;
    }
    return !floats;
}

static Graph *read_again(const Quantize *z)
{
    Graph *g = front_read(z->o.mem, z->o.model, &z->o.front);

    quant_lower(g);
    return g;
}

/* Constants folded, factors in weights: as far as passes go on floats without
 * leaving the front form. */
static void simplify(Graph *g)
{
    static const char *const pass[] = {"fold", "identity", "cse", "affine",
                                       "identity"};
    size_t i;

    for (i = 0; i < LEN(pass); i++)
        pass_one(g, pass[i]);
}

Graph *form_read(const Quantize *z, Form form, PtqOpts *p)
{
    Graph *g = read_again(z);
    bool ints = is_quantized(g);
    int merged = 0;

    if (ints && form == FORM_apart && z->o.merge)
        err(ERR_MODEL, "--merge: on %s the network takes no more as it is: "
            "compile that", z->o.target);
    if (ints && form == FORM_apart)
        err(ERR_MODEL, "the network is quantized already: compile it as it "
            "is");
    simplify(g);
    if (form != FORM_apart)
        merged = merge_weights(g, form == FORM_merged);
    pass_one(g, "cse");
    if (!ints)
        return g;
    if (!merged)
        err(ERR_MODEL, "--merge: no attention of integers whose weights of q "
            "and k would be fewer products as one matrix");
    p->given = read_again(z);
    p->as_is = true;
    return g;
}

/* --- by plans --- */

/* Its integers, as they would be but for their values. */
static Graph *rough(const Quantize *z, Form form)
{
    PtqOpts p = {.by = BY_MINMAX, .drop = -1, .as_is = true, .nearest = true,
                 .keep_bias = true, .mix = {.all_four = z->o.lm.bits == 4,
                                            .all_wide = z->o.wide}};
    Samples one = {.n = 1, .in = z->s.in};
    PtqReport r = {0};

    if (form == FORM_apart && is_quantized(z->g))
        return read_again(z);
    return ptq_quantize(z->o.mem, form_read(z, form, &p), &one, &one, &p, &r);
}

static Tried planned(const Quantize *z, Form form)
{
    Job *j = NEW(z->o.mem, Job);
    Trial t = {0};

    j->o = z->o;
    j->o.name = "network";
    j->soc = soc_read(z->o.mem, z->o.target);
    j->g = rough(z, form);
    j->r = (Report){.verb = "quantize", .model = z->o.model, .soc = j->soc,
                    .g = j->g, .target = z->o.target};
    job_pass(j);
    trials_run(j, &t, 1);
    return t.got;
}

/* What is to be least of a plan. */
static int64_t cost(const Tried *t, Objective aim)
{
    return t->status ? INT64_MAX : aim == AIM_memory ? t->ram
           : aim == AIM_flash ? t->weights : t->cycles;
}

Form form_choose(Quantize *z)
{
    const Opts *o = &z->o;

    z->form = !o->merge ? FORM_apart : o->target ? FORM_merged : FORM_fewer;
    z->compared = z->form == FORM_merged;
    if (!z->compared)
        return z->form;
    z->apart = planned(z, FORM_apart);
    z->merged = planned(z, FORM_merged);
    if (cost(&z->merged, o->objective) >= cost(&z->apart, o->objective))
        z->form = FORM_apart;
    return z->form;
}
