/* What the functions of NAME.c and its program have in common: shapes, dims,
 * places and comments of layers, as text in C. */
#include "gen/gen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void gen_shape(const Val *v, Str *out)
{
    str_fmt(out, "%s%s", type_info[v->type].name, shape_text(v->shape));
}

void gen_int(int32_t v, Str *out)
{
    if (v == INT32_MIN || v == INT32_MAX)
        str_put(out, v < 0 ? "INT32_MIN" : "INT32_MAX");
    else
        str_fmt(out, "%" PRId32, v);
}

static void put_float(float v, Str *out)
{
    char s[40];

    if (isnan(v) || isinf(v)) {
        str_put(out, isnan(v) ? "NAN" : v < 0 ? "-INFINITY" : "INFINITY");
        return;
    }
    snprintf(s, sizeof s, "%.9g", (double)v);
    str_fmt(out, s[strcspn(s, ".e")] ? "%sf" : "%s.0f", s);
}

static bool all_zero(const int32_t *v, int n)
{
    while (n && !v[n - 1])
        n--;
    return !n;
}

/* Behind another field: on a new line if that one's is long. */
static void put_comma(const char *indent, Str *out, size_t *line)
{
    if (out->n - *line > 52) {
        str_fmt(out, ",\n%s", indent);
        *line = out->n;
    } else {
        str_put(out, ", ");
    }
}

static void put_field(const Field *f, const void *p, Str *out)
{
    const int32_t *v = (const int32_t *)((const char *)p + f->offset);
    int i;

    str_fmt(out, ".%s = ", f->name);
    if (f->kind == 'F')
        put_float(*(const float *)v, out);
    else if (f->kind == 'I')
        gen_int(*v, out);
    for (i = 0; f->kind == 'A' && i < f->len; i++) {
        str_put(out, i ? ", " : "{");
        gen_int(v[i], out);
    }
    str_put(out, f->kind == 'A' ? "}" : "");
}

/* Members that are not named are 0. */
void gen_dims_list(const Step *s, const char *indent, Str *out)
{
    const DimsInfo *d = dims_of(s->node->op);
    size_t line = out->n, begin;
    int i;

    str_put(out, indent);
    begin = out->n;
    for (i = 0; i < d->nfield; i++) {
        const Field *f = &d->field[i];
        const char *at = (const char *)&s->dims + f->offset;

        if (all_zero((const int32_t *)at, f->kind == 'A' ? f->len : 1) ||
            (f->kind == 'F' && !step_is_float(s))) /* no kernel reads it */
            continue;
        if (out->n > begin)
            put_comma(indent, out, &line);
        put_field(f, &s->dims, out);
    }
    str_put(out, out->n == begin ? "0" : "");
}

/* Where a piece of a buffer is, as an expression; one that the cores cannot
 * address is nowhere. */
void gen_ref(Gen *g, Ref r, Str *out)
{
    const Buf *u = r.buf < 0 ? NULL : &g->p->buf[r.buf];

    if (!u || !g->p->soc->mems[u->mem].mapped)
        str_put(out, "NULL");
    else if (u->kind == BUF_const && r.off)
        str_fmt(out, "(const char *)%s + %" PRId64, g->weight[r.buf], r.off);
    else if (u->kind == BUF_const)
        str_put(out, g->weight[r.buf]);
    else if (u->addr + r.off)
        str_fmt(out, "net->%s + %" PRId64, gen_mem(g, u->mem),
                u->addr + r.off);
    else
        str_fmt(out, "net->%s", gen_mem(g, u->mem));
}

void gen_about(Gen *g, int layer, const char *indent, Str *out)
{
    const Layer *l = &g->p->layer[layer - 1];
    const Node *n = l->node;

    str_fmt(out, "%s/* Layer %d: %s, \"%s\": ", indent, layer,
            op_info[n->op].name, gen_comment(g, n->name));
    if (n->arg[0])
        gen_shape(n->arg[0], out);
    str_put(out, " -> ");
    gen_shape(n->res[0], out);
    str_fmt(out, ", %" PRId64 " MACs", node_macs(n));
    if (l->tile)
        str_fmt(out, ";\n%s * %d tiles: %s", indent, l->tiles,
                gen_comment(g, l->tile));
    str_put(out, ". */\n");
}
