/* The kernels of a project: one small file for each combination of kernel and
 * types, which says what the types are and then includes the kernel's source.
 * Sources and the headers they include are copied as they are, in the folders
 * of kern/; only their include lines change, so that no include path is
 * needed. */
#include "gen/gen.h"

#include <stdlib.h>
#include <string.h>

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
    return arena_fmt(g->mem, "%s%.*s.h", kern_is_shipped(k) ? "" : "own/", (int)n, s);
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

/* "../" for each folder between kern/ and the file `to` of it. */
static const char *up_from(Gen *g, const char *to)
{
    const char *up = "", *s = strchr(to, '/');

    while ((s = strchr(s + 1, '/')))
        up = arena_fmt(g->mem, "../%s", up);
    return up;
}

/* Copies a text of kern/ and the headers it includes. */
static void copy_text(Gen *g, const char *to, const char *text)
{
    static const char key[] = "#include \"";
    const char *up = up_from(g, to);
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
        copy_text(g, path, p->data);
}

static void put_types(const Step *s, Str *out)
{
    const char *absent = step_is_float(s) ? "float" : "int32_t";
    int i;

    for (i = 0; i < s->sig->narg; i++) {
        bool is_there = i < s->nin && s->in[i].buf >= 0;
        const char *name = gen_caps(out->mem, s->sig->arg[i].operand);

        str_fmt(out, "typedef %s %s;\n",
                is_there ? type_info[s->in_type[i]].ctype : absent, name);
        if (!is_there)
            str_fmt(out, "#define NO_%s 1\n", name);
    }
    for (i = 0; i < s->sig->nres; i++)
        str_fmt(out, "typedef %s %s;\n", type_info[s->out_type[i]].ctype,
                gen_caps(out->mem, s->sig->res[i].operand));
    str_fmt(out, "typedef %s ACC;\n", step_acc_type(s));
}

/* What kern.h asks of an epilogue. */
static void put_epilogue(const Step *s, Str *out)
{
    int round = node_round(s->node), i;

    if (round)
        str_fmt(out, "#define ROUND %d\n", round);
    for (i = 0; i < s->sig->narg; i++)
        if (!strcmp(s->sig->arg[i].operand, "shifts"))
            str_put(out, "#define SHIFTS SHIFTS\n");
    if (op_info[s->node->op].family == FAM_exchange)
        str_put(out, "#define RT_LINK 1\n");
    if (node_is_far(s->node))
        str_put(out, "#define RT_EXTERNAL 1\n");
    if (node_upper_half(s->node))
        str_put(out, "#define UPPER_HALF 1\n");
}

static void put_instance(Gen *g, const Inst *in)
{
    const char *path = arena_fmt(g->mem, "kern/%s_%s.c", g->name, in->name);
    const char *from = source_path(g, in->kern);
    Str b = {.mem = g->mem};

    str_fmt(&b, "/* %s for these types.%s */\n", in->kern->name,
            strstr(in->name, "_wide") ? "  Sums need 64 bits." : "");
    put_epilogue(in->step, &b);
    kern_put_params(in->kern, &b);
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
    for (i = 0; i < g->p->program->inst.n; i++) {
        const Kern *k = g->p->program->inst.v[i].kern;
        const char *to = arena_fmt(g->mem, "kern/%s", source_path(g, k));

        if (!is_written(g, to))
            copy_text(g, to, k->text);
        put_instance(g, &g->p->program->inst.v[i]);
    }
}
