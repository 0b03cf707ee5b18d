/* Dims that are rows of a table: the function that makes a struct of a row, and
 * the rows. */
#include "gen/gen.h"

/* The member that is a word of the struct: "nb[1]". */
static void put_member(const DimsInfo *d, int word, Str *out)
{
    int i;

    for (i = 0; i < d->nfield; i++) {
        const Field *f = &d->field[i];
        const int at = word - f->offset / 4;

        if (at < 0 || at >= (f->kind == 'A' ? f->len : 1))
            continue;
        str_fmt(out, "k->%s", f->name);
        if (f->kind == 'A')
            str_fmt(out, "[%d]", at);
        return;
    }
}

static void put_number(const DimsRows *r, int word, Str *out)
{
    const DimsNumber *n = &r->number[word];

    str_put(out, "    ");
    put_member(r->info, word, out);
    str_put(out, " = ");
    if (n->from == NUMBER_constant) {
        gen_int(n->value, out);
    } else if (n->from == NUMBER_cell) {
        str_fmt(out, r->cell != T_s32 ? "(int32_t)row[%d]" : "row[%d]", n->a);
    } else {
        put_member(r->info, n->a, out);
        if (n->from == NUMBER_product) {
            str_put(out, " * ");
            put_member(r->info, n->b, out);
        }
    }
    str_put(out, ";\n");
}

void gen_rows(const Gen *g, Str *out)
{
    const DimsRows *r;
    int i;

    for (r = g->p->rows; r; r = r->next) {
        str_fmt(out, "\n/* The dims of %s layers: what differs between them is"
                " a row each, and\n * what is the same or a product in all"
                " follows. */\n"
                "static NOINLINE void %s_dims_of(struct %s_dims *k,"
                " const %s *row)\n{\n", r->info->name, r->info->name, r->info->name,
                type_info[r->cell].ctype);
        for (i = 0; i < r->norder; i++)
            put_number(r, r->order[i], out);
        if (!r->ncell)
            str_put(out, "    (void)row;\n");
        str_put(out, "}\n");
    }
}

void gen_row(const DimsRows *r, int layer, const Step *s, Str *out)
{
    const char *before = "";
    int i;

    str_fmt(out, "static const %s dims_%d[] = {", type_info[r->cell].ctype,
            layer);
    for (i = 0; i < r->norder; i++)
        if (r->number[r->order[i]].from == NUMBER_cell) {
            str_put(out, before);
            gen_int(dims_word(s, r->order[i]), out);
            before = ", ";
        }
    str_put(out, r->ncell ? "};\n" : "0};\n");
}
