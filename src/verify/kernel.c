/* A step of a kernel: what it is told, where it reads and writes.
 *
 * A step whose piece is the whole result reads all of the operands; any other
 * is a tile (part.c).  Beside what it computes: the head's conditions hold for
 * the part, the scratch is enough, and the result lies on an operand only where
 * the head allows. */
#include "verify/verify.h"

#include <string.h>

/* ---- the kernel ---- */

static bool lists_word(const char *list, const char *word, size_t n)
{
    const char *s = list ? list : "";

    while ((s = strstr(s, word))) {
        if ((s == list || s[-1] == ',') && (!s[n] || s[n] == ','))
            return true;
        s++;
    }
    return false;
}

static bool isa_ok(Check *c, const char *isa)
{
    const char *s = isa ? isa : "";
    char word[64];
    size_t n;

    if (!strcmp(s, "any"))
        return true;
    for (; *s; s += n + (s[n] == ',')) {
        n = strcspn(s, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, s);
        if (!lists_word(c->p->soc->isa, word, n) &&
            !lists_word(c->p->host_isa, word, n))
            return false;
    }
    return true;
}

/* The operand of step s that is number i: concat copies one. */
static const Val *operand(const Step *s, int i)
{
    return s->node->op == OP_concat ? s->node->arg[s->part] : s->node->arg[i];
}

static Val *shaped(Arena *mem, const Val *v, int64_t count)
{
    Val *u = NEW(mem, Val);

    *u = *v;
    u->shape = SHAPE(count);
    return u;
}

/* The node as its kernel's head sees it: with as many elements as it has. */
static Node *view_of(const Work *w)
{
    Arena *mem = w->c->mem;
    Node *n = NEW(mem, Node);
    int64_t count = 1;
    int i;

    *n = *w->n;
    n->narg = w->s->nin;
    n->arg = NEWN(mem, Val *, n->narg + 1);
    for (i = 0; i < n->narg; i++)
        if (operand(w->s, i))
            n->arg[i] = shaped(mem, operand(w->s, i), w->count[i]);
    for (i = 0; i < w->out.rank; i++)
        count *= w->out.axis[i].n;
    n->res[0] = shaped(mem, w->n->res[0], count);
    n->res[0]->def = n;
    return n;
}

static bool check_cores(Work *w)
{
    const Step *s = w->s;
    const Kern *k = s->kern;

    return (s->ncore == MAX(k->ncore, 1) &&
            (s->ncore == 1 || (k->split && *k->split &&
                               s->ncore == w->c->p->soc->ncore))) ||
           wrong(w->c, "node %s: kernel %s runs on %d cores", w->n->name,
                 k->name, s->ncore);
}

static bool check_head(Work *w)
{
    const Step *s = w->s;
    const Kern *k = s->kern;
    const Node *view = view_of(w);

    if (kern_takes(k, view) != s->sig)
        return wrong(w->c, "node %s: kernel %s takes other types", w->n->name,
                     k->name);
    if (!isa_ok(w->c, k->isa))
        return wrong(w->c, "node %s: kernel %s wants other instructions",
                     w->n->name, k->name);
    if (k->when && !kern_expr(k, k->when, view, &s->dims))
        return wrong(w->c, "node %s: kernel %s may not run here",
                     w->n->name, k->name);
    if (!check_cores(w))
        return false;
    if (k->scratch && (s->tmp_bytes / s->ncore <
                       kern_expr(k, k->scratch, view, &s->dims) ||
                       (s->ncore > 1 && s->tmp_bytes / s->ncore % 8)))
        return wrong(w->c, "node %s: kernel %s needs more scratch",
                     w->n->name, k->name);
    return true;
}

/* ---- places ---- */

static bool check_args(Work *w)
{
    const Step *s = w->s;
    const Node *n = s->node;
    bool concat = n->op == OP_concat;

    if (concat && (s->part < 0 || s->part >= n->narg))
        return wrong(w->c, "node %s has no argument %d", n->name, s->part);
    if (s->nin != (concat ? 1 : n->narg) || s->nout != n->nres)
        return wrong(w->c, "node %s: %d operands and %d results", n->name,
                     s->nin, s->nout);
    if (n->nres != 1 || !dims_of(n->op))
        return wrong(w->c, "node %s has no kernel of one result", n->name);
    if (!s->kern || !s->sig)
        return wrong(w->c, "node %s has no kernel", n->name);
    return true;
}

/* A value's place, which cores can address. */
static bool check_ref(Work *w, Ref r, int64_t bytes, Type t, const Val *v)
{
    Check *c = w->c;

    if (!check_place(c, w->x, v->name, r, bytes))
        return false;
    if (t != v->type)
        return wrong(c, "node %s: %s is not of type %s", w->n->name, v->name,
                     t < NTYPE ? type_info[t].name : "?");
    if (addr_of(c->p, r) % type_info[t].bytes)
        return wrong(c, "node %s: %s is not aligned to its elements",
                     w->n->name, v->name);
    if (!c->p->soc->mems[c->p->buf[r.buf].mem].mapped &&
        !(node_is_far(w->n) && v == w->n->arg[0]))
        return wrong(c, "node %s: no core can address %s", w->n->name,
                     v->name);
    return true;
}

static bool check_refs(Work *w)
{
    const Step *s = w->s;
    int i;

    for (i = 0; i < s->nin; i++) {
        const Val *v = operand(s, i);

        if (!v != (s->in[i].buf < 0))
            return wrong(w->c, "node %s: operand %d is absent, or is not",
                         s->node->name, i);
        if (v && !check_ref(w, s->in[i], s->in_bytes[i], s->in_type[i], v))
            return false;
    }
    if (!check_ref(w, s->out[0], s->out_bytes[0], s->out_type[0],
                   s->node->res[0]))
        return false;
    if (w->c->p->buf[s->out[0].buf].kind == BUF_const)
        return wrong(w->c, "node %s writes a constant", s->node->name);
    return true;
}

/* Memory that a kernel writes beside its result: "scratch", or "a copy". */
static bool check_own(Work *w, const char *what, Ref at, int64_t bytes)
{
    const Check *c = w->c;
    const Buf *b;

    if (!check_place(w->c, w->x, what, at, bytes))
        return false;
    b = &c->p->buf[at.buf];
    if (b->kind == BUF_const || !c->p->soc->mems[b->mem].mapped ||
        addr_of(c->p, at) % 8)
        return wrong(w->c, "node %s: %s is no such place", w->s->node->name,
                     what);
    return true;
}

static bool check_tmp(Work *w)
{
    const Step *s = w->s;

    if (s->tmp.buf < 0)
        return s->tmp_bytes <= 0 ||
               wrong(w->c, "node %s has no scratch", s->node->name);
    return check_own(w, "scratch", s->tmp, s->tmp_bytes);
}

/* A constant that is copied before the kernel reads it. */
static bool check_stage(Work *w)
{
    const Step *s = w->s;

    if (!s->stage_bytes)
        return true;
    if (s->ncore != 1 || s->nin < 2 || s->in[1].buf < 0 ||
        w->c->p->buf[s->in[1].buf].kind != BUF_const ||
        s->stage_bytes < s->in_bytes[1])
        return wrong(w->c, "node %s: what is copied is no whole constant",
                     s->node->name);
    return check_own(w, "a copy", s->stage, s->stage_bytes);
}

/* ---- what a whole node computes ---- */

static Loops all_of(const Val *v)
{
    int eb = type_info[v->type].bytes;

    return (Loops){.v = v, .rank = 1, .axis = {{val_count(v), eb, eb}}};
}

/* A concat's copy writes one argument's part of every row. */
static Loops concat_part(const Node *n, int part)
{
    Loops l = all_of(n->res[0]);
    int64_t rows = concat_rows(n), eb = l.axis[0].here;
    int64_t row = val_bytes(n->res[0]) / rows;
    int j;

    for (j = 0; j < part; j++)
        l.off += val_bytes(n->arg[j]) / rows;
    l.shift = l.off;
    l.rank = 2;
    l.axis[0] = (Axis){rows, row, row};
    l.axis[1] = (Axis){val_count(n->arg[part]) / rows, eb, eb};
    return l;
}

static bool check_whole(Work *w)
{
    const Step *s = w->s;
    int i;

    if (memcmp(&w->all, &s->dims, (size_t)dims_of(s->node->op)->size))
        return wrong(w->c, "node %s: kernel %s is told wrong dimensions",
                     w->n->name, s->kern->name);
    if (s->out_bytes[0] != val_bytes(s->node->res[0]))
        return wrong(w->c, "node %s: a result of %lld bytes", w->n->name,
                     (long long)s->out_bytes[0]);
    for (i = 0; i < s->nin; i++) {
        const Val *v = operand(s, i);

        if (v && s->in_bytes[i] != val_bytes(v))
            return wrong(w->c, "node %s: %s is not %lld bytes", w->n->name,
                         v->name, (long long)s->in_bytes[i]);
        if (v && val_count(v) &&
            !loops_is(w, v->name, s->in[i], s->in_bytes[i], all_of(v),
                      &w->read[i]))
            return false;
        w->count[i] = v ? val_count(v) : 0;
    }
    w->out = s->node->op == OP_concat ? concat_part(s->node, s->part)
                                      : all_of(s->node->res[0]);
    return true;
}

/* Does the step compute the whole node, of values without gaps? */
static bool is_whole(const Work *w)
{
    const Val *y = w->s->node->res[0];
    Piece p = w->s->out_piece[0];

    return p.off == 0 && p.row > 0 && p.rows > 0 &&
           p.row * p.rows == val_bytes(y) &&
           (p.rows == 1 || p.stride == p.row);
}

/* ---- results ---- */

/* Does the result a lie on operand b as one that goes through both in order
 * may: both begin together, or the result is larger and both end together? */
static bool in_order(Region b, Region a)
{
    return a.rows == 1 && b.rows == 1 &&
           (a.row <= b.row ? a.at == b.at : a.at + a.row == b.at + b.row);
}

/* May a result lie on operand i?  The head names those that allow it, element
 * by element; for elements of one size, or where the shorter are single bytes,
 * which C lets alias anything; but cores side by side write at their own pace,
 * so each must write what it alone reads. */
static bool may_lie_on(const Work *w, Region out, int i)
{
    const Step *s = w->s;
    const char *list = s->kern->inplace ? s->kern->inplace : "", *at = list;
    const char *name = s->sig->arg[i].operand;
    size_t len = strlen(name);
    int x = type_info[s->in_type[i]].bytes, y = type_info[s->out_type[0]].bytes;
    int64_t in = w->read[i].row;

    if (!in_order(w->read[i], out) || (s->ncore > 1 && in != out.row) ||
        (x != y && x != 1 && y != 1) ||
        (s->node->op != OP_conv && in / x != out.row / y))
        return false;
    for (; (at = strstr(at, name)); at += len)
        if ((!at[len] || at[len] == ' ') && (at == list || at[-1] == ' '))
            return true;
    return false;
}

/* Does the result begin as far ahead of the first operand as the head wants it
 * to?  It is in order where a core alone computes the whole node. */
static bool is_ahead(const Work *w, Region out, int i)
{
    const Step *s = w->s;
    int64_t bytes;

    if (i || s->ncore > 1 || !s->kern->ahead || !is_whole(w) ||
        w->read[0].rows != 1 || out.rows != 1)
        return false;
    bytes = kern_expr(s->kern, s->kern->ahead, s->node, &s->dims);
    return bytes >= 0 && w->read[0].at - out.at >= bytes;
}

static bool check_inplace(Work *w, Region out)
{
    int i;

    for (i = 0; i < w->s->nin; i++)
        if (regions_meet(w->read[i], out) && !may_lie_on(w, out, i) &&
            !is_ahead(w, out, i))
            return wrong(w->c, "node %s writes over its operand %s",
                         w->n->name, operand(w->s, i)->name);
    return true;
}

static void add_region(Check *c, Region **v, int *n, Region r)
{
    GROW(c->mem, *v, (size_t)*n);
    (*v)[(*n)++] = r;
}

/* What a kernel writes beside its result lies apart from that and from what it
 * reads. */
static bool use_memory(Work *w, Going *now, const char *what, Ref at,
                       int64_t bytes)
{
    const Step *s = w->s;
    Region r = {space_of(w->c->p, at.buf), addr_of(w->c->p, at), bytes, 1,
                bytes};
    int i;

    for (i = 0; i < s->nin; i++)
        if (regions_meet(w->read[i], r))
            return wrong(w->c, "node %s: %s lies on operand %s", w->n->name,
                         what, operand(s, i)->name);
    for (i = 0; i < now->nwrite; i++)
        if (regions_meet(now->write[i], r))
            return wrong(w->c, "node %s: %s lies on the result%s",
                         w->n->name, what, i ? " or scratch" : "");
    add_region(w->c, &now->write, &now->nwrite, r);
    space_forget(&w->c->space[r.space], r.at, r.row);
    return true;
}

static bool use_tmp(Work *w, Going *now)
{
    const Step *s = w->s;

    return (s->tmp.buf < 0 || s->tmp_bytes <= 0 ||
            use_memory(w, now, "scratch", s->tmp, s->tmp_bytes)) &&
           (!s->stage_bytes ||
            use_memory(w, now, "a copy", s->stage, s->stage_bytes));
}

typedef struct Writer {
    Space *space;
    int64_t at;
    bool once; /* the value has a home: no byte of it is computed twice */
    Name is;
    unsigned char *made;
} Writer;

static bool write_row(void *arg, int64_t here, int64_t there, int64_t n)
{
    Writer *t = arg;
    bool twice = t->once && memchr(t->made + there, 1, (size_t)n);

    memset(t->made + there, 1, (size_t)n);
    space_put(t->space, t->at + here, t->is, there, n);
    return twice;
}

/* The result's bytes are those of the value, each computed now. */
static bool write_result(Work *w)
{
    Check *c = w->c;
    const Val *y = w->n->res[0];
    Ref r = w->s->out[0];
    Region all;
    Writer t = {&c->space[space_of(c->p, r.buf)], addr_of(c->p, r),
                c->p->place[y->id].buf >= 0, c->name[y->id], NULL};

    if (!c->made[y->id])
        c->made[y->id] = NEWN(c->mem, unsigned char, val_bytes(y) + 1);
    t.made = c->made[y->id];
    if (loops_rows(&w->out, write_row, &t))
        return wrong(c, "node %s: part of %s is computed twice", w->n->name,
                     y->name);
    return loops_is(w, y->name, r, w->s->out_bytes[0], w->out, &all);
}

/* The part it says it is: the piece of its result. */
static bool check_piece(Work *w)
{
    Piece p = w->s->out_piece[0];
    int64_t bytes = w->eb, last = w->out.off + w->eb;
    int i;

    for (i = 0; i < w->out.rank; i++) {
        bytes *= w->out.axis[i].n;
        last += (w->out.axis[i].n - 1) * w->out.axis[i].there;
    }
    return (w->n->op == OP_concat && is_whole(w)) ||
           (p.off == w->out.off && p.row * p.rows == bytes &&
            p.off + (p.rows - 1) * p.stride + p.row == last) ||
           wrong(w->c, "node %s computes another part than its piece of %s",
                 w->n->name, w->n->res[0]->name);
}

/* The result must lie within its place before anything is put there. */
static bool check_part(Work *w)
{
    if (!(is_whole(w) ? check_whole(w) : part_check(w)))
        return false;
    if (!loops_inside(&w->out, w->s->out_bytes[0]))
        return wrong(w->c, "node %s writes beyond its result", w->n->name);
    return check_piece(w) && check_head(w);
}

static bool is_empty(const Step *s)
{
    return !val_count(s->node->res[0]) ||
           (s->node->op == OP_concat && !val_count(s->node->arg[s->part]));
}

bool start_kernel(Check *c, const Exec *x, Going *now)
{
    const Step *s = &x->s;
    Work w = {.c = c, .x = x, .s = s, .n = s->node};
    Region out;
    int i;

    if (!check_args(&w) || !check_refs(&w) || !check_tmp(&w) ||
        !check_stage(&w))
        return false;
    if (is_empty(s))
        return true;
    w.eb = type_info[s->node->res[0]->type].bytes;
    if (s->node->op == OP_concat)
        dims_fill_concat(s->node, s->part, &w.all);
    else
        dims_fill(s->node, &w.all);
    if (!check_part(&w))
        return false;
    out = loops_region(c->p, s->out[0], w.out);
    if (!check_inplace(&w, out))
        return false;
    add_region(c, &now->write, &now->nwrite, out);
    for (i = 0; i < s->nin; i++)
        if (w.read[i].rows)
            add_region(c, &now->read, &now->nread, w.read[i]);
    return use_tmp(&w, now) && check_free(c, x, now) && write_result(&w);
}
