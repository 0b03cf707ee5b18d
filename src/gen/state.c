/* States in NAME.h and NAME.c: values that live from run to run, in the place
 * of the input that they are in the next run. */
#include "gen/gen.h"

#include <inttypes.h>

bool gen_has_states(const Gen *g)
{
    return gen_state_bytes(g) > 0;
}

int64_t gen_state_bytes(const Gen *g)
{
    const Graph *n = g->p->g;
    int64_t sum = 0;
    int i;

    for (i = 0; i < n->nin; i++)
        if (graph_next_state(n, n->in[i]))
            sum += val_bytes(n->in[i]);
    return sum;
}

void gen_state_header(Gen *g, Str *out)
{
    const char *n = g->name;

    if (!gen_has_states(g))
        return;
    str_fmt(out, "/* States are inputs that outputs become in the next run."
        "  %s_init resets them;\n * %s_input and %s_output show them between"
        " runs, and what is written there counts. */\n"
        "void %s_reset(const struct %s *net);\n"
        "/* All states together: %s_STATE_BYTES.  Only what the same project"
        " saved can be loaded. */\n"
        "void %s_save_state(const struct %s *net, void *to);\n"
        "void %s_load_state(const struct %s *net, const void *from);\n\n",
        n, n, n, n, n, g->caps, n, n, n, n);
}

static bool is_byte(const Val *v)
{
    return type_info[v->type].bytes == 1;
}

/* A state begins as the number 0: as its zero point. */
static void put_reset(Gen *g, const Val *v, Str *out)
{
    const char *type = type_info[v->type].ctype;

    if (!v->zero || is_byte(v)) {
        str_put(out, "    (void)memset(");
        gen_ref(g, g->p->place[v->id], out);
        str_fmt(out, ", %d, %" PRId64 ");\n", (int)v->zero & 255,
                val_bytes(v));
        return;
    }
    str_fmt(out, "    for (i = 0; i < %" PRId64 "; i++) {\n        ((%s *)"
            "(void *)(", val_count(v), type);
    gen_ref(g, g->p->place[v->id], out);
    str_fmt(out, "))[i] = (%s)%" PRId64 ";\n    }\n", type, v->zero);
}

static bool counts(const Graph *n)
{
    int i;

    for (i = 0; i < n->nin; i++)
        if (graph_next_state(n, n->in[i]) && n->in[i]->zero &&
            !is_byte(n->in[i]))
            return true;
    return false;
}

static void put_copies(Gen *g, bool save, Str *out)
{
    const Graph *n = g->p->g;
    int64_t at = 0;
    int i;

    for (i = 0; i < n->nin; i++) {
        const Val *v = n->in[i];

        if (!graph_next_state(n, v))
            continue;
        str_put(out, save ? "    (void)memcpy((char *)to"
                           : "    (void)memcpy(");
        if (!save)
            gen_ref(g, g->p->place[v->id], out);
        else if (at)
            str_fmt(out, " + %" PRId64, at);
        str_put(out, ", ");
        if (save)
            gen_ref(g, g->p->place[v->id], out);
        else
            str_put(out, "(const char *)from");
        if (!save && at)
            str_fmt(out, " + %" PRId64, at);
        str_fmt(out, ", %" PRId64 ");\n", val_bytes(v));
        at += val_bytes(v);
    }
}

void gen_states(Gen *g, Str *out)
{
    const Graph *n = g->p->g;
    int i;

    if (!gen_has_states(g))
        return;
    str_fmt(out, "\nvoid %s_reset(const struct %s *net)\n{\n%s", g->name,
            g->name, counts(n) ? "    int32_t i;\n\n" : "");
    for (i = 0; i < n->nin; i++)
        if (graph_next_state(n, n->in[i]))
            put_reset(g, n->in[i], out);
    str_fmt(out, "}\n\nvoid %s_save_state(const struct %s *net, void *to)\n"
            "{\n", g->name, g->name);
    put_copies(g, true, out);
    str_fmt(out, "}\n\nvoid %s_load_state(const struct %s *net, const void"
            " *from)\n{\n", g->name, g->name);
    put_copies(g, false, out);
    str_put(out, "}\n");
}
