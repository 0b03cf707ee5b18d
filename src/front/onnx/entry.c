/* Names of a graph or function, and the values they stand for. */
#include "front/onnx/import.h"

const char *name_of(Import *im, const OnnxNode *p, size_t i)
{
    if (p->name && *p->name)
        return p->name;
    return arena_fmt(im->r.mem, "%s_%zu", p->op_type ? p->op_type : "node", i);
}

Entry *scope_claim(Scope *s, const char *name, const char *what)
{
    Entry *e = scope_add(s, name);

    if (!e)
        err(ERR_MODEL, "%s '%s': the name is taken already; every name must "
            "be given once", what, name);
    return e;
}

void body_tensors(Import *im, Scope *s, const OnnxGraph *p)
{
    const char *name;
    Entry *e;
    size_t i;

    (void)im;
    for (i = 0; i < p->n_initializer; i++) {
        name = p->initializer[i]->name;
        if (!name || !*name)
            err(ERR_MODEL, "an initializer has no name");
        scope_claim(s, name, "initializer")->tensor = p->initializer[i];
    }
    for (i = 0; i < p->n_sparse_initializer; i++) {
        const Onnx__SparseTensorProto *t = p->sparse_initializer[i];
        if (!t->values || !t->values->name || !*t->values->name)
            err(ERR_MODEL, "a sparse initializer has no name");
        e = scope_claim(s, t->values->name, "initializer");
        e->sparse = t;
    }
}

Val *entry_val(Import *im, Entry *e)
{
    if (e->bad)
        return NULL;
    if (!e->val && e->tensor)
        e->val = tensor_val(im, e->tensor, e->name);
    if (!e->val && e->sparse)
        e->val = tensor_sparse(im, e->sparse, e->name);
    return e->val;
}
