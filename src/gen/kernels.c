/* The kernels of a project: one small file for each combination of kernel and
 * types, which says what the types are and then includes the kernel's source,
 * copied as it is (but for where it finds its headers, so that no include
 * path is needed). */
#include "gen/gen.h"

#include <stdlib.h>
#include <string.h>

static bool fits_32(int64_t lo, int64_t hi)
{
    return lo >= -INT32_MAX && hi <= INT32_MAX;
}

static bool sums_up(const Node *n)
{
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_convt: case FAM_matmul: case FAM_pool:
    case FAM_reduce:
        return true;
    default:
        return false;
    }
}

/* Is all that is summed up, and every sum of it, within 32 bits? */
static bool small_sums(const Node *n)
{
    const Val *x = n->arg[0];

    return fits_32(x->lo, x->hi) && fits_32(n->acc.lo, n->acc.hi);
}

/* Elementwise kernels: is the sum or product of two elements within 32 bits?
 * Only of 8 bits, and of 16 with sign. */
static bool small_operands(const Step *s)
{
    int i;

    for (i = 0; i < s->nin; i++) {
        const TypeInfo *t = &type_info[s->in_type[i]];

        if (s->in[i].buf >= 0 && (t->bytes > 2 || s->in_type[i] == T_u16))
            return false;
    }
    return true;
}

static bool any_float(const Step *s)
{
    int i;

    for (i = 0; i < s->nin; i++)
        if (s->in[i].buf >= 0 && s->in_type[i] == T_f32)
            return true;
    return s->out_type[0] == T_f32;
}

/* The type sums are made in: the least that holds them. */
static const char *acc_type(const Step *s)
{
    if (any_float(s))
        return "float";
    if (sums_up(s->node) ? small_sums(s->node) : small_operands(s))
        return "int32_t";
    return "int64_t";
}

static const char *arg_type(const Step *s, int i)
{
    if (i < s->nin && s->in[i].buf >= 0)
        return type_info[s->in_type[i]].name;
    return "n";
}

/* Shipped with the compiler, or from --kernels? */
static bool is_ours(const Kern *k)
{
    return packed_find(k->path) != NULL;
}

static const char *inst_name(Arena *a, const Step *s)
{
    Str b = {.mem = a};
    int i;

    str_fmt(&b, "%s%s_", s->kern->name, is_ours(s->kern) ? "" : "_own");
    for (i = 0; i < s->sig->narg; i++)
        str_put(&b, arg_type(s, i));
    str_put(&b, "_");
    for (i = 0; i < s->sig->nres; i++)
        str_put(&b, type_info[s->out_type[i]].name);
    if (!strcmp(acc_type(s), "int64_t"))
        str_put(&b, "_wide");
    return b.s;
}

void gen_instances(Gen *g)
{
    int i, j;

    g->inst_of = NEWN(g->mem, int, g->p->nstep + 1);
    for (i = 0; i < g->p->nstep; i++) {
        const Step *s = &g->p->step[i];
        const char *name;

        if (!gen_is_kernel(s))
            continue;
        name = inst_name(g->mem, s);
        for (j = 0; j < g->ninst && (strcmp(g->inst[j].kern->path,
                s->kern->path) || strcmp(g->inst[j].name, name)); j++)
            ;
        g->inst_of[i] = j;
        if (j < g->ninst)
            continue;
        GROW(g->mem, g->inst, (size_t)g->ninst);
        g->inst[g->ninst++] = (Inst){name, s->kern, s};
    }
}

/* The last folder and the file, "ref/conv_int.h"; of the user's own kernels,
 * "own/fast/conv_int.h".  Not .c, so that tools that compile every .c of a
 * folder leave it alone. */
static const char *source_path(Gen *g, const Kern *k)
{
    const char *s = path_base(k->path);
    size_t n;

    while (s > k->path && s[-1] == '/')
        s--;
    while (s > k->path && s[-1] != '/')
        s--;
    n = strlen(s) - (str_ends(s, ".c") ? 2 : 0);
    return arena_fmt(g->mem, "%s%.*s.h", is_ours(k) ? "" : "own/", (int)n, s);
}

static bool is_written(const Gen *g, const char *path)
{
    int i;

    for (i = 0; i < g->nwritten; i++)
        if (!strcmp(g->written[i], path))
            return true;
    return false;
}

static void copy_header(Gen *g, const char *path);

/* Copies a text of kern/ and the headers it includes; `up` leads from its
 * folder to kern/. */
static void copy_text(Gen *g, const char *to, const char *text,
                      const char *up)
{
    static const char key[] = "#include \"";
    Str b = {.mem = g->mem};
    const char *s;

    str_put(&b, "");
    while ((s = strstr(text, key))) {
        s += strlen(key);
        str_mem(&b, text, (size_t)(s - text));
        text = s;
        if (str_starts(s, "kern/")) {
            str_put(&b, up);
            text += 5;
        }
        if (text > s || str_starts(s, "dims.def"))
            copy_header(g, arena_fmt(g->mem, "kern/%.*s",
                                     (int)strcspn(text, "\"\n"), text));
    }
    str_put(&b, text);
    gen_file(g, to, &b);
}

static void copy_header(Gen *g, const char *path)
{
    const Packed *p = packed_find(path);

    if (!p)
        die("no packed file %s", path);
    if (!is_written(g, path))
        copy_text(g, path, p->data, "");
}

static void put_types(const Step *s, Str *out)
{
    const char *absent = any_float(s) ? "float" : "int32_t";
    int i;

    for (i = 0; i < s->sig->narg; i++)
        str_fmt(out, "typedef %s %s;\n", i < s->nin && s->in[i].buf >= 0
                ? type_info[s->in_type[i]].ctype : absent,
                gen_caps(out->mem, s->sig->arg[i].operand));
    for (i = 0; i < s->sig->nres; i++)
        str_fmt(out, "typedef %s %s;\n", type_info[s->out_type[i]].ctype,
                gen_caps(out->mem, s->sig->res[i].operand));
    str_fmt(out, "typedef %s ACC;\n", acc_type(s));
}

static void put_instance(Gen *g, const Inst *in)
{
    const char *path = arena_fmt(g->mem, "kern/%s_%s.c", g->name, in->name);
    const char *from = source_path(g, in->kern);
    Str b = {.mem = g->mem};

    str_fmt(&b, "/* %s for these types.%s */\n", in->kern->name,
            strstr(in->name, "_wide") ? "  Sums need 64 bits." : "");
    str_put(&b, "#include \"kern.h\"\n\n");
    put_types(in->step, &b);
    str_fmt(&b, "#define FN %s_%s\n\nvoid FN(const struct %s_dims *k, const"
            " struct io *io);\n\n#include \"%s\"\n", g->name, in->name,
            dims_of(in->step->node->op)->name, from);
    gen_file(g, path, &b);
    gen_source(g, path);
}

void gen_kernels(Gen *g)
{
    int i;

    copy_header(g, "kern/kern.h");
    for (i = 0; i < g->ninst; i++) {
        const Kern *k = g->inst[i].kern;
        const char *to = arena_fmt(g->mem, "kern/%s", source_path(g, k));

        if (!is_written(g, to))
            copy_text(g, to, k->text, is_ours(k) ? "../" : "../../");
        put_instance(g, &g->inst[i]);
    }
}
