/* What an importer asks of its operator: operands in either form, options; and
 * how it gives results. */
#include "front/tflite/import.h"

#include <string.h>

enum { OP_code = 0, CODE_old = 0, CODE_custom = 1, CODE_new = 3 };

int lite_code(const Model *m, Table op, const char **custom)
{
    int64_t i = flat_int(op, OP_code, 4, 0), old, now;
    Table t;

    if (i < 0 || i >= m->codes.n)
        err(ERR_MODEL, "an operator has code %lld of %u", (long long)i,
            m->codes.n);
    t = flat_table_at(m->codes, (uint32_t)i);
    old = flat_int(t, CODE_old, 1, 0);
    now = flat_int(t, CODE_new, 4, 0);
    *custom = flat_text(m->r.mem, t, CODE_custom);
    return (int)MAX(old, now);
}

/* --- operands --- */

Tensor *in(const Call *c, int i)
{
    return i < c->narg ? lite(c)->in[i] : NULL;
}

Tensor *need(const Call *c, int i)
{
    if (!in(c, i))
        call_err(c, "input %d is missing", i + 1);
    return in(c, i);
}

Tensor *out(const Call *c, int i)
{
    if (i >= c->nres)
        call_err(c, "output %d is missing", i + 1);
    return lite(c)->out[i];
}

static void last_to_first(int64_t *perm, int rank)
{
    int i;

    for (i = 0; i < rank; i++)
        perm[i] = i < 2 ? i * (rank - 1) : i - 1;
}

/* One channel or one place: the elements keep their order. */
static bool turns_free(Shape s, bool is_image)
{
    int c = is_image ? 1 : s.rank - 1;

    return s.dim[c] == 1 || s.dim[c] * s.dim[0] == shape_count(s);
}

Val *to_image(Call *c, Val *v)
{
    Shape s = v->shape;
    int64_t order[RANK];
    int i;

    last_to_first(order, s.rank);
    if (!turns_free(s, false))
        return perm(c, v, order);
    for (i = 0; i < s.rank; i++)
        s.dim[i] = v->shape.dim[order[i]];
    return to_shape(c, v, s);
}

Val *to_plain(Call *c, Val *v)
{
    Shape s = v->shape;
    int64_t order[RANK];
    int i;

    for (i = 0; i < s.rank; i++)
        order[i] = i == 0 ? 0 : i == s.rank - 1 ? 1 : i + 1;
    if (!turns_free(s, true))
        return perm(c, v, order);
    for (i = 0; i < s.rank; i++)
        s.dim[i] = v->shape.dim[order[i]];
    return to_shape(c, v, s);
}

Val *tensor_plain(const Call *c, Tensor *t)
{
    Call *w = (Call *)c;

    if (!t->plain && t->data)
        t->plain = tensor_const(c, t);
    if (!t->plain && t->variable)
        t->plain = variable_now(w, t);
    if (!t->plain && t->image)
        t->plain = to_plain(w, t->image);
    if (!t->plain)
        call_err(c, "it reads '%s' before any operator makes it", t->name);
    return t->plain;
}

Val *plain(const Call *c, int i)
{
    return in(c, i) ? tensor_plain(c, in(c, i)) : NULL;
}

bool has_image(const Call *c, int i)
{
    const Tensor *t = in(c, i);

    return t && t->image;
}

Val *image(const Call *c, int i)
{
    Tensor *t = need(c, i);
    Val *v = t->image ? t->image : tensor_plain(c, t);

    if (v->shape.rank != 4)
        call_err(c, "input %d ('%s') has %d dimensions; wanted 4", i + 1,
                 t->name, v->shape.rank);
    if (!t->image)
        t->image = to_image((Call *)c, v);
    return t->image;
}

const Val *known(const Call *c, int i)
{
    const Val *v;

    need(c, i);
    v = plain(c, i);
    if (!v->data)
        call_err(c, "input %d ('%s') must be a constant", i + 1, v->name);
    return v;
}

int64_t list_at(const Call *c, int i, int max, int64_t *list)
{
    const Val *v = known(c, i);
    int64_t j, n = val_count(v);

    if (n > max || !val_is_int(v))
        call_err(c, "input %d ('%s') has %lld numbers; wanted at most %d "
                 "integers", i + 1, v->name, (long long)n, max);
    for (j = 0; j < n; j++)
        list[j] = val_int(v, j);
    return n;
}

int64_t option8(const Call *c, int field, int64_t none)
{
    return flat_int(lite(c)->options, field, 1, none);
}

int64_t option32(const Call *c, int field, int64_t none)
{
    return flat_int(lite(c)->options, field, 4, none);
}

double option_f32(const Call *c, int field, double none)
{
    return flat_f32(lite(c)->options, field, none);
}

/* --- results --- */

/* The value made last for a result is known by the user's name from here. */
static void name_result(Call *c, Tensor *t, Val *v)
{
    if (!v->def || v->def->origin != c->op)
        return;
    val_rename(c->g, v, t->name);
    node_rename(c->g, v->def, c->name);
    if (val_is_int(v) && is_quantized(t)) {
        v->scale = scale_at(t, 0);
        v->zero = zero_of(t);
    }
}

static Val *as_declared(Call *c, const Tensor *t, Val *v)
{
    if (!t->has_shape || shape_same(v->shape, t->shape))
        return v;
    if (val_count(v) != shape_count(t->shape))
        call_err(c, "its result '%s' has shape %s; the file declares %s",
                 t->name, shape_str(c->mem, v->shape),
                 shape_str(c->mem, t->shape));
    return to_shape(c, v, t->shape);
}

void give_plain(Call *c, int i, Val *v)
{
    Tensor *t = out(c, i);

    t->plain = as_declared(c, t, v);
    t->image = NULL;
    name_result(c, t, t->plain);
}

void give_image(Call *c, int i, Val *v)
{
    Tensor *t = out(c, i);
    Shape s = v->shape;

    s.dim[1] = v->shape.dim[2];
    s.dim[2] = v->shape.dim[3];
    s.dim[3] = v->shape.dim[1];
    if (t->has_shape && !shape_same(s, t->shape)) {
        give_plain(c, i, to_plain(c, v));
        return;
    }
    t->image = v;
    t->plain = NULL;
    name_result(c, t, v);
}
