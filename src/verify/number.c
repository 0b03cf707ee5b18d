/* Run-time numbers: the plan is right at every value.
 *
 * What was proved is the program at the greatest value, at which every value of
 * the graph is largest.  At another one each lies at the same place and takes
 * the first bytes of what it takes there: so nothing meets that did not meet
 * there, and whoever reads finds what was written, if
 *
 * - sizes only grow with the numbers;
 * - at every value each kernel is told what its node at that value is, may run
 *   there, and has the scratch it needs (all values are gone through);
 * - a result that lies on an operand begins with it and is never longer;
 * - what has no step of its own, a view, is one run of elements at the same
 *   distance whatever the numbers are (by polynomials). */
#include "verify/verify.h"

#include <string.h>

static bool grows(Check *c, const Val *v)
{
    int i;

    for (i = 0; i < v->shape.rank; i++)
        if (v->shape.vary[i].num && v->shape.vary[i].by < 0)
            return wrong(c, "%s is larger at lesser values of %s", v->name,
                         v->shape.vary[i].num->name);
    return true;
}

static bool all_grow(Check *c)
{
    const Val *v;

    for (v = c->p->g->vals; v; v = v->next)
        if (!grows(c, v))
            return false;
    return true;
}

/* ---- kernels ---- */

static Dims told(const Step *s, const int64_t *value)
{
    Dims d = s->dims;
    int32_t w;
    int i;

    for (i = 0; i < s->nfollow; i++) {
        w = (int32_t)poly_at(&s->follow[i].is, value);
        memcpy((char *)&d + 4 * s->follow[i].at, &w, sizeof w);
    }
    return d;
}

/* The copy of a concat's argument is a node of one operand to its kernel. */
static Node *seen(Arena *mem, const Step *s, const Node *n)
{
    Node *m = NEW(mem, Node);

    *m = *n;
    if (n->op != OP_concat)
        return m;
    m->narg = 1;
    m->arg = NEWN(mem, Val *, 1);
    m->arg[0] = n->arg[s->part];
    return m;
}

static bool step_at(Check *c, Arena *mem, const Step *s, const int64_t *value)
{
    const Node *n = node_at(mem, s->node, value), *m = seen(mem, s, n);
    const Kern *k = s->kern;
    Dims want, got = told(s, value);
    int i;

    if (!val_count(m->res[0]) || (n->op == OP_concat && !val_count(m->arg[0])))
        return true; /* it is not called */
    dims_fill_part(n, s->part, &want);
    if (memcmp(&want, &got, (size_t)dims_of(n->op)->size))
        return wrong(c, "node %s: kernel %s is told wrong dimensions at some "
                     "value of a run-time number", n->name, k->name);
    if (k->when && !kern_expr(k, k->when, m, &got))
        return wrong(c, "node %s: kernel %s may not run at some value of a "
                     "run-time number", n->name, k->name);
    if (k->scratch && s->tmp_bytes / s->ncore <
                      kern_expr(k, k->scratch, m, &got))
        return wrong(c, "node %s: kernel %s needs more scratch at some value "
                     "of a run-time number", n->name, k->name);
    for (i = 0; i < m->narg; i++)
        if (m->arg[i] && s->in[i].buf == s->out[0].buf &&
            s->in[i].off == s->out[0].off &&
            val_bytes(m->res[0]) > val_bytes(m->arg[i]) &&
            n->op != OP_concat)
            return wrong(c, "node %s: its result outgrows the operand it lies "
                         "on", n->name);
    return true;
}

/* A result may overlap an operand only where both begin. */
static bool starts_agree(Check *c, const Step *s)
{
    int i;

    for (i = 0; i < s->nin; i++) {
        int64_t a = s->in[i].off, b = s->out[0].off;

        if (s->in[i].buf == s->out[0].buf && a != b &&
            a < b + s->out_bytes[0] && b < a + s->in_bytes[i] &&
            s->node->op != OP_concat)
            return wrong(c, "node %s: its result lies on an operand that "
                         "begins elsewhere, and follows a run-time number",
                         s->node->name);
    }
    return true;
}

/* A constant that is fetched while the layer runs is the same at every value. */
static bool fetches_constant(const Check *c, const Step *s)
{
    int from = s->move.from.buf;

    return step_moves(c->p, s) && from >= 0 && from < c->p->nbuf &&
           c->p->buf[from].kind == BUF_const;
}

static bool check_step(Check *c, const Step *s)
{
    unsigned set = node_numbers(s->node);
    int64_t value[MOST_NUMBERS];
    bool ok = true;

    if (s->kind != STEP_start || !set || fetches_constant(c, s))
        return true;
    if (step_moves(c->p, s) || s->tile != s->node)
        return wrong(c, "node %s is cut, and follows a run-time number",
                     s->node->name);
    if (!starts_agree(c, s))
        return false;
    values_first(c->p->g, set, value);
    do {
        Arena *own = arena_new();

        ok = step_at(c, own, s, value);
        arena_end(own);
    } while (ok && values_next(c->p->g, set, value));
    return ok;
}

/* ---- views ---- */

static bool has_step(const Plan *p, const Node *n, int part)
{
    int i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start && p->step[i].node == n &&
            p->step[i].part == part)
            return true;
    return false;
}

/* What a copy would be told: polynomials of its words, or constants. */
static Poly word_of(const Follow *f, int count, const Dims *d, size_t at,
                    Monomial *room)
{
    int32_t w;
    int i;

    for (i = 0; i < count; i++)
        if (f[i].at == (int)at / 4)
            return f[i].is;
    memcpy(&w, (const char *)d + at, sizeof w);
    *room = (Monomial){.coef = w};
    return (Poly){w != 0, room};
}

static bool same_poly(const Poly *a, const Poly *b)
{
    int i;

    for (i = 0; i < a->n && i < b->n; i++)
        if (a->term[i].coef != b->term[i].coef ||
            memcmp(a->term[i].power, b->term[i].power,
                   sizeof a->term[i].power))
            return false;
    return a->n == b->n;
}

#define WORD(field) word_of(f, count, &d, offsetof(struct copy_dims, field), \
                            &room[k++])

/* One run from a fixed element on: strides are the same on both sides, where
 * there is more than one. */
static bool is_run(Check *c, const Node *n, int part, int64_t off)
{
    int count, i, k = 0;
    Follow *f = dims_follow(c->mem, c->p->g, n, part, &count);
    Monomial room[32];
    Poly x, y, len, one;
    Monomial unit = {.coef = 1};
    int eb = type_info[n->res[0]->type].bytes;
    Dims d;

    one = (Poly){1, &unit};
    dims_fill_part(n, part, &d);
    for (i = 0; i < 8; i++) {
        x = WORD(xs[i]);
        y = WORD(ys[i]);
        len = WORD(n[i]);
        if (!same_poly(&x, &y) && !same_poly(&len, &one))
            return false;
    }
    x = WORD(xo);
    y = WORD(yo);
    return poly_const(&x) && poly_const(&y) &&
           (n->op == OP_concat ? d.copy.yo : d.copy.xo) * (int64_t)eb == off;
}

static bool check_view(Check *c, const Node *n, int part)
{
    const Plan *p = c->p;
    const Val *x = n->op == OP_concat ? n->arg[part] : n->arg[0];
    Ref a = p->place[x->id], b = p->place[n->res[0]->id];
    int64_t off = n->op == OP_concat ? a.off - b.off : b.off - a.off;

    if (b.buf < 0 || a.buf < 0 || has_step(p, n, part))
        return true;
    if (a.buf != b.buf || (n->op == OP_reshape ? off != 0
                                               : !is_run(c, n, part, off)))
        return wrong(c, "node %s is not computed, and its result is not its "
                     "operand's bytes at every value of a run-time number",
                     n->name);
    return true;
}

/* A page follows the numbers as the step says whose dims it has: those of the
 * very call, and of no other. */
static bool check_pages(Check *c)
{
    const Program *q = c->p->program;
    int i, k;

    for (i = 0; i < q->npage; i++)
        for (k = q->page[i].from; k < q->page[i].to; k++) {
            const Rec *r = &q->item[k];
            const Step *told;

            if (!rec_is_kernel(r))
                continue;
            told = q->page[i].dims[r->dims].step;
            if (told != r->step && (told->nfollow || r->step->nfollow))
                return wrong(c, "node %s: its kernel is told of another, "
                             "which follows a run-time number",
                             r->step->node->name);
            if (r->each && r->step->nfollow)
                return wrong(c, "node %s: in a loop, and follows a run-time "
                             "number", r->step->node->name);
        }
    return true;
}

bool numbers_check(Check *c)
{
    const Node *n;
    int i;

    if (!c->p->g->nnum)
        return true;
    if (!all_grow(c) || !check_pages(c))
        return false;
    for (i = 0; i < c->p->nstep; i++)
        if (!check_step(c, &c->p->step[i]))
            return false;
    for (n = c->p->g->first; n; n = n->next)
        for (i = 0; i < (n->op == OP_concat ? n->narg : 1); i++)
            if (keeps_bytes(n) && node_varies(n) && !check_view(c, n, i))
                return false;
    return true;
}
