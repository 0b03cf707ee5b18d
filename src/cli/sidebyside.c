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

static void put_number(double v, Str *out)
{
    if (isnan(v))
        str_fmt(out, " %13s", "-");
    else
        str_fmt(out, v == floor(v) ? " %13.0f" : " %13.3f", v);
}

static void put_change(double a, double b, Str *out)
{
    if (isnan(a) || isnan(b) || a <= 0)
        str_fmt(out, " %9s", "-");
    else
        str_fmt(out, " %+8.1f%%", 100 * b / a - 100);
}

static void put_pair(const char *name, double a, double b, Str *out)
{
    if (isnan(a) && isnan(b))
        return;
    str_fmt(out, "%-24.24s", name);
    put_number(a, out);
    put_number(b, out);
    put_change(a, b, out);
}

static void put_words(const char *name, const char *a, const char *b, Str *out)
{
    str_fmt(out, "%-8s %s", name, a ? a : "-");
    if (a && b && !strcmp(a, b))
        str_put(out, "\n");
    else
        str_fmt(out, "  |  %s\n", b ? b : "-");
}

static void put_totals(const JsonVal *a, const JsonVal *b, Str *out)
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

        put_pair(key[i], x, y, out);
        if (!isnan(x) || !isnan(y))
            str_put(out, "\n");
    }
}

static const JsonVal *named(const JsonVal *list, const char *name)
{
    const JsonVal *i = list ? list->first : NULL;

    while (i && (!json_text(i, "name") || strcmp(json_text(i, "name"), name)))
        i = i->next;
    return i;
}

static void put_memories(const JsonVal *a, const JsonVal *b, Str *out)
{
    const JsonVal *m, *other, *list = json_find(b, "memory");

    for (m = json_find(a, "memory") ? json_find(a, "memory")->first : NULL; m;
         m = m->next) {
        const char *name = json_text(m, "name");

        other = name ? named(list, name) : NULL;
        if (!other)
            continue;
        put_pair(name, json_get(m, "used"), json_get(other, "used"), out);
        str_put(out, "\n");
    }
}

/* What both have: measured, or else predicted. */
static const char *common_cycles(const JsonVal *a, const JsonVal *b)
{
    return isnan(json_get(a, "cycles")) || isnan(json_get(b, "cycles"))
               ? "predicted_cycles" : "cycles";
}

static void put_layer(const JsonVal *x, const JsonVal *y, const char *key,
                      Str *out)
{
    const char *k = x ? json_text(x, "kernel") : NULL;
    const char *m = y ? json_text(y, "kernel") : NULL;

    str_fmt(out, "%-24.24s", json_text(x ? x : y, "name"));
    put_number(json_get(x, key), out);
    put_number(json_get(y, key), out);
    put_change(json_get(x, key), json_get(y, key), out);
    if (!k || !m)
        str_fmt(out, "  in %s alone\n", x ? "A" : "B");
    else if (strcmp(k, m))
        str_fmt(out, "  %s -> %s\n", k, m);
    else
        str_put(out, "\n");
}

static void put_layers(const JsonVal *a, const JsonVal *b, Str *out)
{
    const JsonVal *la = json_find(a, "layers"), *lb = json_find(b, "layers");
    const char *key = common_cycles(a, b);
    const JsonVal *i;

    str_fmt(out, "\n%-24s %13s %13s %9s\n", arena_fmt(out->mem, "layer, %s",
            key), "A", "B", "B to A");
    for (i = la->first; i; i = i->next)
        if (json_text(i, "name"))
            put_layer(i, named(lb, json_text(i, "name")), key, out);
    for (i = lb->first; i; i = i->next)
        if (json_text(i, "name") && !named(la, json_text(i, "name")))
            put_layer(NULL, i, key, out);
}

int report_compare(Job *j)
{
    const JsonVal *a = read_report(j, j->o.compare);
    const JsonVal *b = read_report(j, j->o.model);
    Str out = {.mem = j->o.mem};

    str_fmt(&out, "A        %s\nB        %s\n", j->o.compare, j->o.model);
    put_words("model", json_text(a, "model"), json_text(b, "model"), &out);
    put_words("target", json_text(a, "target"), json_text(b, "target"), &out);
    str_fmt(&out, "\n%-24s %13s %13s %9s\n", "", "A", "B", "B to A");
    put_totals(a, b, &out);
    put_memories(a, b, &out);
    put_layers(a, b, &out);
    job_say(j, &out);
    return OK;
}
