/* report --compare A.json B.json: two reports side by side, of two runs, chips,
 * versions or forms of a network. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

static const JsonVal *read_report(const Job *j, const char *path)
{
    const JsonVal *v;
    size_t n;

    err_file(path);
    v = json_read(j->o.mem, file_read(j->o.mem, path, &n));
    if (!json_find(v, "layers") || !json_find(v, "target"))
        err(ERR_MODEL, "no report: it has no layers; report, run and compile "
            "write one with --json");
    return v;
}

static const JsonVal *named(const JsonVal *list, const char *name)
{
    const JsonVal *i = list ? list->first : NULL;

    while (i && (!json_text(i, "name") || strcmp(json_text(i, "name"), name)))
        i = i->next;
    return i;
}

/* ---- what is compared ---- */

static void add(Arena *mem, Pairs *to, Pair p)
{
    Pair *v;

    if (to->n == to->most) {
        to->most = MAX(32, 2 * to->most);
        v = NEWN(mem, Pair, (size_t)to->most);
        if (to->n)
            memcpy(v, to->v, (size_t)to->n * sizeof *v);
        to->v = v;
    }
    to->v[to->n++] = p;
}

static void add_totals(Arena *mem, const JsonVal *a, const JsonVal *b,
                       Pairs *to)
{
    static const char *const key[] = {
        "macs", "cycles", "instructions", "estimated_cycles",
        "predicted_cycles", "ms", "predicted_ms", "energy_uj", "ram_bytes",
        "stack_bytes", "stack_used", "flash_bytes", "code_bytes",
        "weights_bytes",
    };
    int i;

    for (i = 0; i < (int)LEN(key); i++) {
        double x = json_get(a, key[i]), y = json_get(b, key[i]);

        if (!isnan(x) || !isnan(y))
            add(mem, to, (Pair){key[i], x, y, NULL, NULL});
    }
}

static void add_memories(Arena *mem, const JsonVal *a, const JsonVal *b,
                         Pairs *to)
{
    const JsonVal *m, *other, *list = json_find(b, "memory");

    for (m = json_find(a, "memory") ? json_find(a, "memory")->first : NULL; m;
         m = m->next) {
        const char *name = json_text(m, "name");
        double x = json_get(m, "used"), y;

        other = name ? named(list, name) : NULL;
        y = other ? json_get(other, "used") : NAN;
        if (other && (!isnan(x) || !isnan(y)))
            add(mem, to, (Pair){name, x, y, NULL, NULL});
    }
}

/* What both have: measured, or else predicted. */
static const char *common_cycles(const JsonVal *a, const JsonVal *b)
{
    return isnan(json_get(a, "cycles")) || isnan(json_get(b, "cycles"))
               ? "predicted_cycles" : "cycles";
}

static Pair pair_of(const JsonVal *x, const JsonVal *y, const char *key)
{
    return (Pair){json_text(x ? x : y, "name"), json_get(x, key),
                  json_get(y, key), x ? json_text(x, "kernel") : NULL,
                  y ? json_text(y, "kernel") : NULL};
}

static void add_layers(Arena *mem, const JsonVal *a, const JsonVal *b,
                       const char *key, Pairs *to)
{
    const JsonVal *la = json_find(a, "layers"), *lb = json_find(b, "layers");
    const JsonVal *i;

    for (i = la->first; i; i = i->next)
        if (json_text(i, "name"))
            add(mem, to, pair_of(i, named(lb, json_text(i, "name")), key));
    for (i = lb->first; i; i = i->next)
        if (json_text(i, "name") && !named(la, json_text(i, "name")))
            add(mem, to, pair_of(NULL, i, key));
}

/* ---- as text ---- */

static void put_number(double v, Str *out)
{
    if (isnan(v))
        str_fmt(out, " %13s", "-");
    else
        str_fmt(out, v == floor(v) ? " %13.0f" : " %13.3f", v);
}

static void put_pair(const Pair *p, Str *out)
{
    str_fmt(out, "%-24.24s", p->name);
    put_number(p->a, out);
    put_number(p->b, out);
    if (isnan(p->a) || isnan(p->b) || p->a <= 0)
        str_fmt(out, " %9s", "-");
    else
        str_fmt(out, " %+8.1f%%", 100 * p->b / p->a - 100);
}

static void put_pairs(const Pairs *p, Str *out)
{
    int i;

    for (i = 0; i < p->n; i++) {
        put_pair(&p->v[i], out);
        str_put(out, "\n");
    }
}

static void put_words(const char *name, const char *const *s, Str *out)
{
    str_fmt(out, "%-8s %s", name, s[0] ? s[0] : "-");
    if (s[0] && s[1] && !strcmp(s[0], s[1]))
        str_put(out, "\n");
    else
        str_fmt(out, "  |  %s\n", s[1] ? s[1] : "-");
}

static void put_layers(const Compared *c, Str *out)
{
    int i;

    str_fmt(out, "\n%-24s %13s %13s %9s\n", arena_fmt(out->mem, "layer, %s",
            c->of), "A", "B", "B to A");
    for (i = 0; i < c->layers.n; i++) {
        const Pair *p = &c->layers.v[i];

        put_pair(p, out);
        if (!p->kernel_a || !p->kernel_b)
            str_fmt(out, "  in %s alone\n", p->kernel_a ? "A" : "B");
        else if (strcmp(p->kernel_a, p->kernel_b))
            str_fmt(out, "  %s -> %s\n", p->kernel_a, p->kernel_b);
        else
            str_put(out, "\n");
    }
}

int report_compare(Job *j)
{
    const JsonVal *a = read_report(j, j->o.compare);
    const JsonVal *b = read_report(j, j->o.model);
    Compared *c = NEW(j->o.mem, Compared);
    Str out = {.mem = j->o.mem};

    *c = (Compared){.file = {j->o.compare, j->o.model},
                    .model = {json_text(a, "model"), json_text(b, "model")},
                    .target = {json_text(a, "target"), json_text(b, "target")},
                    .of = common_cycles(a, b)};
    add_totals(j->o.mem, a, b, &c->totals);
    add_memories(j->o.mem, a, b, &c->memory);
    add_layers(j->o.mem, a, b, c->of, &c->layers);
    j->r.compared = c;
    str_fmt(&out, "A        %s\nB        %s\n", c->file[0], c->file[1]);
    put_words("model", c->model, &out);
    put_words("target", c->target, &out);
    str_fmt(&out, "\n%-24s %13s %13s %9s\n", "", "A", "B", "B to A");
    put_pairs(&c->totals, &out);
    put_pairs(&c->memory, &out);
    put_layers(c, &out);
    job_say(j, &out);
    return OK;
}
