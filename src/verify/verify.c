/* Proves a plan by running it on symbols.
 *
 * Memory is a list of ranges, each of which holds some bytes of some value.
 * Every step must find in its operands' places the very bytes of the values
 * its node names, written by steps that have been waited for; then its
 * results' places hold the results.  At the end the outputs' places must hold
 * the outputs.  Bytes that are only moved keep their names: the result of a
 * reshape, of a slice that is one run and of a concat of whole runs is made
 * of the bytes of its operands, whether they were copied or left in place.
 *
 * Beside that: every place lies in its buffer, every buffer in its memory,
 * aligned, and no two that live together overlap; kernels may run as their
 * heads say, with results on operands only where the head allows. */
#include "verify/verify.h"

#include <string.h>

enum { SPACES = 32 }; /* memories as buffers, then memories as constants */

typedef struct Span {
    int space;
    int64_t at, n;
} Span;

/* A started step that has not been waited for. */
typedef struct Going {
    int token;
    Span *read, *write;
    int nread, nwrite;
} Going;

typedef struct Check {
    Arena *mem;
    const Plan *p;
    Parts *of;           /* by Val.id */
    unsigned char **done;  /* by Node.id: parts that were started */
    Space space[SPACES];
    Going *going;
    int ngoing;
    const char *bad;     /* what is wrong; NULL: nothing yet */
} Check;

static bool wrong(Check *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes what is wrong first; false, so that callers can return it. */
static bool wrong(Check *c, const char *fmt, ...)
{
    Str s = {.mem = c->mem};
    char text[1024];
    va_list ap;

    if (c->bad)
        return false;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    str_put(&s, text);
    c->bad = s.s;
    return false;
}

/* ---- buffers ---- */

static int space_of(const Plan *p, int buf)
{
    const Buf *b = &p->buf[buf];

    return b->mem + (b->kind == BUF_const ? SPACES / 2 : 0);
}

static bool check_buf(Check *c, const Buf *b)
{
    const Plan *p = c->p;
    const Mem *m;
    bool konst = b->kind == BUF_const;

    if (b->mem < 0 || b->mem >= p->soc->nmem)
        return wrong(c, "buffer %s is in no memory", b->name);
    m = &p->soc->mems[b->mem];
    if (!(m->holds & (konst ? HOLDS_weights : HOLDS_buffers)))
        return wrong(c, "%s may not be in memory %s", b->name, m->name);
    if (b->size < 0 || b->addr < 0 || b->addr > INT64_MAX / 2 - b->size ||
        b->addr + b->size > (konst ? p->consts : p->used)[b->mem])
        return wrong(c, "buffer %s leaves its part of memory %s", b->name,
                     m->name);
    if (b->align < m->align || b->addr % b->align)
        return wrong(c, "buffer %s at %lld is not aligned to %d", b->name,
                     (long long)b->addr, MAX(b->align, m->align));
    if (b->from > b->to || b->from < -1 || b->to > p->nstep)
        return wrong(c, "buffer %s lives from %d to %d", b->name, b->from,
                     b->to);
    return true;
}

static bool apart(const Plan *p, int i, int j)
{
    const Buf *a = &p->buf[i], *b = &p->buf[j];

    return !a->size || !b->size || space_of(p, i) != space_of(p, j) ||
           a->addr + a->size <= b->addr || b->addr + b->size <= a->addr ||
           a->to <= b->from || b->to <= a->from;
}

static bool check_bufs(Check *c)
{
    const Plan *p = c->p;
    int i, j;

    for (i = 0; i < p->soc->nmem; i++)
        if (p->used[i] > p->room[i])
            return wrong(c, "memory %s: %lld bytes used of %lld",
                         p->soc->mems[i].name, (long long)p->used[i],
                         (long long)p->room[i]);
    for (i = 0; i < p->nbuf; i++) {
        if (!check_buf(c, &p->buf[i]))
            return false;
        for (j = 0; j < i; j++)
            if (!apart(p, i, j))
                return wrong(c, "buffers %s and %s overlap in memory and "
                             "time", p->buf[i].name, p->buf[j].name);
    }
    return true;
}

/* ---- steps ---- */

/* The place of a value: within its buffer, aligned to its elements. */
static bool check_ref(Check *c, const Node *n, Ref r, int64_t bytes, Type t,
                      const Val *v)
{
    const Plan *p = c->p;

    if (r.buf < 0 || r.buf >= p->nbuf)
        return wrong(c, "node %s: %s has no buffer", n->name, v->name);
    if (bytes != val_bytes(v) || t != v->type)
        return wrong(c, "node %s: %s is not %lld bytes of %s", n->name,
                     v->name, (long long)bytes,
                     t < NTYPE ? type_info[t].name : "?");
    if (r.off < 0 || r.off > p->buf[r.buf].size - bytes)
        return wrong(c, "node %s: %s leaves its buffer", n->name, v->name);
    if ((p->buf[r.buf].addr + r.off) % type_info[t].bytes)
        return wrong(c, "node %s: %s is not aligned to its elements",
                     n->name, v->name);
    return true;
}

static int64_t addr_of(const Plan *p, Ref r)
{
    return p->buf[r.buf].addr + r.off;
}

/* A buffer must live from the start of a step until it has been waited for. */
static bool check_live(Check *c, const Node *n, int buf, int step, int wait)
{
    const Buf *b = &c->p->buf[buf];

    if (b->kind != BUF_const && (b->from > step || b->to <= wait))
        return wrong(c, "node %s uses buffer %s outside its life", n->name,
                     b->name);
    return true;
}

static int wait_of(Check *c, int step)
{
    const Plan *p = c->p;
    int i;

    for (i = step + 1; i < p->nstep; i++)
        if (p->step[i].kind == STEP_wait &&
            p->step[i].token == p->step[step].token)
            return i;
    wrong(c, "node %s is never waited for", p->step[step].node->name);
    return -1;
}

/* The operand of step s that is number i: concat copies one. */
static const Val *operand(const Step *s, int i)
{
    return s->node->op == OP_concat ? s->node->arg[s->part] : s->node->arg[i];
}

static bool check_reads(Check *c, const Step *s, int step, int wait)
{
    const Plan *p = c->p;
    const Seg *found;
    int i;

    for (i = 0; i < s->nin; i++) {
        const Val *v = operand(s, i);

        if (!v) {
            if (s->in[i].buf >= 0)
                return wrong(c, "node %s has no operand %d", s->node->name, i);
            continue;
        }
        if (!check_ref(c, s->node, s->in[i], s->in_bytes[i], s->in_type[i], v)
            || !check_live(c, s->node, s->in[i].buf, step, wait))
            return false;
        if (!space_has(&c->space[space_of(p, s->in[i].buf)],
                       addr_of(p, s->in[i]), &c->of[v->id], &found))
            return wrong(c, "node %s reads %s, but finds %s%s", s->node->name,
                         v->name, found ? found->is.val ?
                         found->is.val->name : "scratch" : "nothing",
                         found && found->token >= 0 ?
                         " that was not waited for" : "");
    }
    return true;
}

/* Bytes [off, off + n) of v at address `at`, as ranges. */
static void add_segs(Check *c, Segs *l, int64_t at, const Val *v, int64_t off,
                     int64_t n, int token)
{
    Parts parts = {0};
    int i;

    parts_of(c->mem, c->of, &parts, v, off, n);
    for (i = 0; i < parts.n; i++) {
        GROW(c->mem, l->v, (size_t)l->n);
        l->v[l->n++] = (Seg){at, parts.v[i], token};
        at += parts.v[i].n;
    }
}

/* What step s writes for its result i: ranges in order of address. */
static Segs written(Check *c, const Step *s, int i)
{
    const Node *n = s->node;
    const Val *y = n->res[i];
    int64_t at = addr_of(c->p, s->out[i]), row, rows, len, off = 0, k;
    Segs l = {0};
    int j;

    if (n->op != OP_concat) {
        add_segs(c, &l, at, y, 0, val_bytes(y), s->token);
        return l;
    }
    rows = concat_rows(n);
    row = val_bytes(y) / rows;
    len = val_bytes(n->arg[s->part]) / rows;
    for (j = 0; j < s->part; j++)
        off += val_bytes(n->arg[j]) / rows;
    for (k = 0; k < rows && len; k++)
        add_segs(c, &l, at + k * row + off, y, k * row + off, len, s->token);
    return l;
}

static bool meet(Span a, Span b)
{
    return a.space == b.space && a.at < b.at + b.n && b.at < a.at + a.n;
}

/* Does the result a lie on operand b as one that goes through both in order
 * may: both begin together, or the result is larger and both end together? */
static bool in_order(Span b, Span a)
{
    return a.space == b.space && (a.n <= b.n ? a.at == b.at
                                             : a.at + a.n == b.at + b.n);
}

static Span span_of(const Plan *p, Ref r, int64_t bytes)
{
    return (Span){space_of(p, r.buf), addr_of(p, r), bytes};
}

/* May a result lie on operand i?  The head names those that allow it, element
 * by element; for elements of one size, or where the shorter are single bytes,
 * which C lets alias anything; but cores side by side write at their own pace,
 * so each must write what it alone reads. */
static bool may_lie_on(const Step *s, int i)
{
    const char *w = s->kern->inplace ? s->kern->inplace : "";
    const char *name = s->sig->arg[i].operand;
    size_t len = strlen(name);
    int x = type_info[s->in_type[i]].bytes, y = type_info[s->out_type[0]].bytes;

    if (s->ncore > 1 && s->in_bytes[i] != s->out_bytes[0])
        return false;
    if ((x != y && x != 1 && y != 1) ||
        (s->node->op != OP_conv &&
         s->in_bytes[i] / x != s->out_bytes[0] / y))
        return false;
    while ((w = strstr(w, name))) {
        if ((!w[len] || w[len] == ' ') &&
            (w == s->kern->inplace || w[-1] == ' '))
            return true;
        w += len;
    }
    return false;
}

static bool meets_any(Span r, const Span *v, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (meet(r, v[i]))
            return true;
    return false;
}

/* Span w, which step s writes, may not meet what it or steps under way read
 * or write. */
static bool check_write(Check *c, const Step *s, const Going *now, Span w,
                        bool result)
{
    int i;

    for (i = 0; i < c->ngoing; i++)
        if (meets_any(w, c->going[i].read, c->going[i].nread) ||
            meets_any(w, c->going[i].write, c->going[i].nwrite))
            return wrong(c, "node %s writes where step %d, not waited for, "
                         "works", s->node->name, c->going[i].token);
    for (i = 0; i < s->nin; i++) {
        Span r;

        if (s->in[i].buf < 0)
            continue;
        r = span_of(c->p, s->in[i], s->in_bytes[i]);
        if (meet(r, w) && !(result && in_order(r, w) && s->nout == 1 &&
                            may_lie_on(s, i)))
            return wrong(c, "node %s writes over its operand %s",
                         s->node->name, operand(s, i)->name);
    }
    if (meets_any(w, now->write, now->nwrite))
        return wrong(c, "node %s writes a place twice", s->node->name);
    return true;
}

static void add_span(Check *c, Span **v, int *n, Span r)
{
    GROW(c->mem, *v, (size_t)*n);
    (*v)[(*n)++] = r;
}

static bool write_tmp(Check *c, const Step *s, Going *now, int step, int wait)
{
    const Buf *b;
    Seg junk;
    Span w;

    if (s->tmp.buf < 0)
        return s->tmp_bytes <= 0 ||
               wrong(c, "node %s has no scratch", s->node->name);
    if (s->tmp.buf >= c->p->nbuf)
        return wrong(c, "node %s: scratch has no buffer", s->node->name);
    b = &c->p->buf[s->tmp.buf];
    if (s->tmp.off < 0 || s->tmp_bytes > b->size - s->tmp.off ||
        (b->addr + s->tmp.off) % 8)
        return wrong(c, "node %s: scratch leaves its buffer or is not "
                     "aligned", s->node->name);
    if (b->kind == BUF_const)
        return wrong(c, "node %s writes a constant", s->node->name);
    w = span_of(c->p, s->tmp, s->tmp_bytes);
    if (!check_live(c, s->node, s->tmp.buf, step, wait) ||
        !check_write(c, s, now, w, false))
        return false;
    add_span(c, &now->write, &now->nwrite, w);
    junk = (Seg){w.at, {NULL, w.at, w.n}, s->token};
    space_put(c->mem, &c->space[w.space], &junk, 1);
    return true;
}

/* A concat's copy writes only the rows of one argument. */
static bool write_rows(Check *c, const Step *s, Going *now, const Segs *l)
{
    int i, space = space_of(c->p, s->out[0].buf);

    for (i = 0; i < l->n; i++)
        if (!check_write(c, s, now,
                         (Span){space, l->v[i].at, l->v[i].is.n}, true))
            return false;
    for (i = 0; i < l->n; i++)
        add_span(c, &now->write, &now->nwrite,
                 (Span){space, l->v[i].at, l->v[i].is.n});
    return true;
}

static bool write_result(Check *c, const Step *s, Going *now, int i, int step,
                         int wait)
{
    const Plan *p = c->p;
    Segs l;
    Span w;

    if (!check_ref(c, s->node, s->out[i], s->out_bytes[i], s->out_type[i],
                   s->node->res[i]) ||
        !check_live(c, s->node, s->out[i].buf, step, wait))
        return false;
    if (p->buf[s->out[i].buf].kind == BUF_const)
        return wrong(c, "node %s writes a constant", s->node->name);
    l = written(c, s, i);
    if (s->node->op != OP_concat) {
        w = span_of(p, s->out[i], s->out_bytes[i]);
        if (!check_write(c, s, now, w, true))
            return false;
        add_span(c, &now->write, &now->nwrite, w);
    } else if (!write_rows(c, s, now, &l)) {
        return false;
    }
    space_put(c->mem, &c->space[space_of(p, s->out[i].buf)], l.v, l.n);
    return true;
}

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

/* The kernel takes the node, as its head says, and is told the truth. */
static bool check_kern(Check *c, const Step *s)
{
    const Node *n = s->node;
    const Kern *k = s->kern;
    Node view = *n;
    Dims d;

    if (!k || !s->sig)
        return wrong(c, "node %s has no kernel", n->name);
    memset(&d, 0, sizeof d);
    if (n->op == OP_concat) {
        dims_fill_concat(n, s->part, &d);
        view.narg = 1;
    } else {
        dims_fill(n, &d);
    }
    if (memcmp(&d, &s->dims, (size_t)dims_of(n->op)->size))
        return wrong(c, "node %s: kernel %s is told wrong dimensions",
                     n->name, k->name);
    if (kern_takes(k, &view) != s->sig)
        return wrong(c, "node %s: kernel %s takes other types", n->name,
                     k->name);
    if (!isa_ok(c, k->isa))
        return wrong(c, "node %s: kernel %s wants other instructions",
                     n->name, k->name);
    if (k->when && !kern_expr(k, k->when, &view, &d))
        return wrong(c, "node %s: kernel %s may not run here", n->name,
                     k->name);
    if (s->ncore != 1 && (!k->split || !*k->split ||
                          s->ncore != c->p->soc->ncore))
        return wrong(c, "node %s: kernel %s runs on %d cores", n->name,
                     k->name, s->ncore);
    if (k->scratch && (s->tmp_bytes / s->ncore <
                       kern_expr(k, k->scratch, &view, &d) ||
                       (s->ncore > 1 && s->tmp_bytes / s->ncore % 8)))
        return wrong(c, "node %s: kernel %s needs more scratch", n->name,
                     k->name);
    return true;
}

static bool check_args(Check *c, const Step *s)
{
    const Node *n = s->node;
    int part = n->op == OP_concat ? s->part : 0;
    int args = n->op == OP_concat ? 1 : n->narg;

    if (part < 0 || part >= MAX(1, n->narg))
        return wrong(c, "node %s has no argument %d", n->name, part);
    if (s->nin != args || s->nout != n->nres)
        return wrong(c, "node %s: %d operands and %d results", n->name,
                     s->nin, s->nout);
    if (c->done[n->id][part]++)
        return wrong(c, "node %s is computed twice", n->name);
    return true;
}

static bool start(Check *c, int step)
{
    const Step *s = &c->p->step[step];
    Going now = {.token = s->token};
    int i, wait;

    for (i = 0; i < c->ngoing; i++)
        if (c->going[i].token == s->token)
            return wrong(c, "token %d is given twice", s->token);
    if (s->token < 0 || !check_args(c, s) || !check_kern(c, s))
        return wrong(c, "node %s has no token", s->node->name);
    wait = wait_of(c, step);
    if (wait < 0 || !check_reads(c, s, step, wait) ||
        !write_tmp(c, s, &now, step, wait))
        return false;
    for (i = 0; i < s->nout; i++)
        if (!write_result(c, s, &now, i, step, wait))
            return false;
    for (i = 0; i < s->nin; i++)
        if (s->in[i].buf >= 0)
            add_span(c, &now.read, &now.nread,
                      span_of(c->p, s->in[i], s->in_bytes[i]));
    GROW(c->mem, c->going, (size_t)c->ngoing);
    c->going[c->ngoing++] = now;
    return true;
}

static bool finish(Check *c, int token)
{
    int i;

    for (i = 0; i < c->ngoing && c->going[i].token != token; i++)
        ;
    if (i == c->ngoing)
        return wrong(c, "a wait for token %d, which nothing gave", token);
    c->going[i] = c->going[--c->ngoing];
    for (i = 0; i < SPACES; i++)
        space_arrive(&c->space[i], token);
    return true;
}

/* ---- the whole ---- */

/* Inputs and constants are there before the first step. */
static bool put_given(Check *c)
{
    const Plan *p = c->p;
    const Val *v;
    int i;

    for (v = p->g->vals; v; v = v->next) {
        Ref r = p->place[v->id];
        const Buf *b;
        Segs l = {0};

        if (v->def || r.buf < 0)
            continue;
        b = r.buf < p->nbuf ? &p->buf[r.buf] : NULL;
        if (!b || r.off < 0 || r.off + val_bytes(v) > b->size)
            return wrong(c, "%s leaves its buffer", v->name);
        if (!v->data != (b->kind != BUF_const))
            return wrong(c, "%s: constant in a buffer, or not in one",
                         v->name);
        if (b->from > -1)
            return wrong(c, "%s must be there from the start", v->name);
        add_segs(c, &l, addr_of(p, r), v, 0, val_bytes(v), -1);
        space_put(c->mem, &c->space[space_of(p, r.buf)], l.v, l.n);
    }
    for (i = 0; i < p->g->nin; i++)
        if (p->place[p->g->in[i]->id].buf < 0)
            return wrong(c, "input %s has no place", p->g->in[i]->name);
    return true;
}

static bool check_outputs(Check *c)
{
    const Plan *p = c->p;
    const Seg *found;
    int i;

    for (i = 0; i < p->g->nout; i++) {
        const Val *v = p->g->out[i];
        Ref r = p->place[v->id];

        if (r.buf < 0 || r.buf >= p->nbuf || r.off < 0 ||
            r.off + val_bytes(v) > p->buf[r.buf].size)
            return wrong(c, "output %s has no place", v->name);
        if (p->buf[r.buf].to < p->nstep || p->buf[r.buf].kind == BUF_const)
            return wrong(c, "output %s does not live to the end", v->name);
        if (!space_has(&c->space[space_of(p, r.buf)], addr_of(p, r),
                       &c->of[v->id], &found))
            return wrong(c, "output %s is not in its place at the end",
                         v->name);
    }
    return true;
}

const char *verify_plan(Arena *mem, const Plan *p)
{
    Check c = {.mem = mem, .p = p};
    const Node *n;
    int i, count = 0;

    for (n = p->g->first; n; n = n->next)
        count++;
    c.done = NEWN(mem, unsigned char *, count + 1);
    for (n = p->g->first; n; n = n->next)
        c.done[n->id] = NEWN(mem, unsigned char, n->narg + 1);
    c.of = parts_all(mem, p->g);
    if (!check_bufs(&c) || !put_given(&c))
        return c.bad;
    for (i = 0; i < p->nstep; i++)
        if (!(p->step[i].kind == STEP_start ? start(&c, i)
                                           : finish(&c, p->step[i].token)))
            return c.bad;
    if (c.ngoing)
        return "a step is not waited for";
    return check_outputs(&c) ? NULL : c.bad;
}
