/* The nodes of a graph or function: each is imported by the function its row
 * in onnx.def names.  A node that is refused is remembered, with the reason,
 * and so are the names it would have made: what depends on them is passed over
 * in silence. */
#include "front/onnx/import.h"

#include <string.h>

static const char *what_else(Import *im, const OnnxNode *p)
{
    const char *near = row_nearest(p->op_type), *domain = p->domain;
    const Row *r = row_find(p->domain, p->op_type);

    if (r)
        return r->about;
    if (domain && *domain && row_find("", p->op_type))
        return arena_fmt(im->r.mem, "it is of domain %s, and ONNX's %s is "
                         "another", domain, p->op_type);
    if (near)
        return arena_fmt(im->r.mem, "nearest is %s", near);
    if (str_ends(p->op_type, "Grad"))
        return "it belongs to training; export the network for inference";
    if (domain && *domain)
        return arena_fmt(im->r.mem, "it is of domain %s; export with operators "
                         "of ONNX itself, or as a function in the model",
                         domain);
    return "`tilewright ops` lists what is supported";
}

static const Onnx__FunctionProto *function_of(const Import *im,
                                              const OnnxNode *p)
{
    size_t i;

    for (i = 0; i < im->model->n_functions; i++) {
        const Onnx__FunctionProto *f = im->model->functions[i];
        const char *a = f->domain ? f->domain : "";
        const char *b = p->domain ? p->domain : "";
        if (f->name && !strcmp(f->name, p->op_type) && !strcmp(a, b))
            return f;
    }
    return NULL;
}

/* Its row, unless it is one of those that are only known. */
static const Row *row_of(const OnnxNode *p)
{
    const Row *r = row_find(p->domain, p->op_type);

    return r && r->import == import_none ? NULL : r;
}

/* Operators nobody knows are told first, all of them. */
static void list_unknown(Import *im, size_t n, OnnxNode **node)
{
    size_t i;

    for (i = 0; i < n; i++) {
        OnnxNode *p = node[i];
        if (!p->op_type || !*p->op_type)
            err(ERR_MODEL, "node %zu has no operator", i);
        if (!row_of(p) && !function_of(im, p))
            problem(&im->r, name_of(im, p, i),
                    arena_fmt(im->r.mem, "node '%s' (%s): the operator is "
                              "not supported; %s", name_of(im, p, i),
                              p->op_type, what_else(im, p)));
    }
}

static void fill_args(Call *c)
{
    const OnnxNode *p = onnx(c)->p;
    Entry *e;
    int i;

    c->narg = (int)p->n_input;
    c->arg = NEWN(c->mem, Val *, (size_t)c->narg + 1);
    for (i = 0; i < c->narg; i++) {
        if (!*p->input[i])
            continue;
        e = scope_find(onnx(c)->scope, p->input[i]);
        if (!e)
            call_err(c, "its input '%s' is made by no node and is neither an "
                     "input nor an initializer of the graph", p->input[i]);
        c->arg[i] = entry_val(onnx(c)->im, e);
        c->bad |= !c->arg[i] && !e->absent;
    }
    while (c->narg && !*p->input[c->narg - 1])
        c->narg--;
}

/* Row's limits; and operators on real numbers get real numbers. */
static void check_args(Call *c)
{
    const Row *r = onnx(c)->row;
    int i;

    if (c->narg > r->max)
        call_err(c, "%d inputs; wanted at most %d", c->narg, r->max);
    for (i = 0; i < r->min; i++)
        if (!arg_at(c, i))
            call_err(c, "input %d is missing; wanted at least %d", i + 1,
                     r->min);
    for (i = 0; c->g->exact && r->meaning == FLOATS && i < c->narg; i++)
        c->arg[i] = floats(c, c->arg[i]);
}

/* Made for this call, by its importer or the nodes of its function? */
static bool is_own(const Call *c, const Val *v)
{
    int i;

    for (i = 0; i < c->narg; i++)
        if (c->arg[i] == v)
            return false;
    return v->def && str_starts(v->name, c->name) &&
        (v->def->origin == c->op || !onnx(c)->row);
}

/* The value made last for a result is known by the user's names from here. */
static void name_result(Call *c, int i, bool *named)
{
    Val *v = c->res[i];
    const char *name = onnx(c)->p->output[i];

    if (!is_own(c, v))
        return;
    if (scope_call(onnx(c)->scope))
        name = arena_fmt(c->mem, "%s/%s", scope_call(onnx(c)->scope)->name,
                         name);
    val_rename(c->g, v, name);
    if (!*named && onnx(c)->row)
        node_rename(c->g, v->def, c->name);
    *named = true;
}

static void take_results(Call *c)
{
    bool named = false;
    Entry *e;
    int i;

    for (i = 0; i < c->nres; i++) {
        if (!*onnx(c)->p->output[i])
            continue;
        if (!c->res[i])
            call_err(c, "its result %d ('%s') is not supported", i + 1,
                     onnx(c)->p->output[i]);
        e = scope_find(onnx(c)->scope, onnx(c)->p->output[i]);
        e->val = c->res[i];
        name_result(c, i, &named);
    }
}

static void call_function(Call *c, const Onnx__FunctionProto *f)
{
    Import *im = onnx(c)->im;
    Scope *s = scope_new(im->r.mem, NULL, f->n_input + 4 * f->n_node);
    size_t i;
    Entry *e;

    if (++im->depth > DEEP)
        call_err(c, "functions call one another more than %d deep", DEEP);
    if (onnx(c)->p->n_input > f->n_input)
        call_err(c, "%zu inputs; the function has %zu", onnx(c)->p->n_input,
                 f->n_input);
    for (i = 0; i < f->n_input; i++) {
        e = scope_claim(s, f->input[i], "input");
        e->val = arg_at(c, (int)i);
        e->absent = !e->val;
    }
    scope_caller(s, c);
    c->bad |= !body_import(im, s, f->n_node, f->node);
    for (i = 0; i < f->n_output && !c->bad; i++) {
        e = scope_find(s, f->output[i]);
        if (!e)
            call_err(c, "its function never makes its output '%s'",
                     f->output[i]);
        give(c, (int)i, entry_val(im, e));
    }
    im->depth--;
}

static void import_node(Call *c)
{
    const Onnx__FunctionProto *f = function_of(onnx(c)->im, onnx(c)->p);

    fill_args(c);
    if (c->bad)
        return;
    if (f) {
        call_function(c, f);
    } else {
        check_args(c);
        schema_check(c);
        onnx(c)->row->import(c);
    }
    if (!c->bad)
        take_results(c);
}

static void mark_bad(const Call *c)
{
    Entry *e;
    size_t i;

    for (i = 0; i < onnx(c)->p->n_output; i++) {
        e = scope_find(onnx(c)->scope, onnx(c)->p->output[i]);
        if (e)
            e->bad = true;
    }
}

static bool import_one(Import *im, Scope *s, const OnnxNode *p, size_t i)
{
    OnnxCall *n = NEW(im->r.mem, OnnxCall);
    Call *c = &n->c;
    int depth = im->depth;

    c->model = &im->r;
    c->g = im->r.g;
    c->mem = im->r.mem;
    c->op = arena_str(c->g->mem, p->op_type);
    c->name = name_of(im, p, i);
    if (scope_call(s))
        c->name = arena_fmt(c->mem, "%s/%s", scope_call(s)->name, c->name);
    c->nres = (int)p->n_output;
    c->res = NEWN(c->mem, Val *, (size_t)c->nres + 1);
    n->im = im;
    n->p = p;
    n->row = row_of(p);
    n->scope = s;
    n->opset = im->opset;
    c->bad = !n->row && !function_of(im, p);
    if (!c->bad)
        attempt(c, import_node);
    im->depth = depth;
    if (c->bad)
        mark_bad(c);
    return !c->bad;
}

static void claim_results(Scope *s, size_t n, OnnxNode **node)
{
    size_t i, j;
    Entry *e;

    for (i = 0; i < n; i++)
        for (j = 0; j < node[i]->n_output; j++) {
            if (!*node[i]->output[j])
                continue;
            e = scope_claim(s, node[i]->output[j], "output of a node");
            e->maker = (int)i + 1;
            e->home = s;
        }
}

bool body_import(Import *im, Scope *s, size_t n, OnnxNode **node)
{
    size_t *order, i;
    bool good = true;

    list_unknown(im, n, node);
    claim_results(s, n, node);
    order = order_of(im, s, n, node);
    for (i = 0; i < n; i++)
        good &= import_one(im, s, node[order[i]], order[i]);
    return good;
}
