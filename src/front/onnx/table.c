/* The table of ONNX's operators: finding one, and showing them all. */
#include "front/onnx/import.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const Row onnx_rows[] = {
#define ONNX(name, meaning, how, since, min, max, about) \
    {name, meaning, import_##how, since, min, max, about},
#include "front/onnx/onnx.def"
};
static const int nrow = LEN(onnx_rows);

static const Row *row_named(const char *name)
{
    int i;

    for (i = 0; i < nrow; i++)
        if (!strcmp(onnx_rows[i].name, name))
            return &onnx_rows[i];
    return NULL;
}

/* Domains whose operators are ONNX's where the names are. */
static bool as_onnx(const char *domain)
{
    return !*domain || !strcmp(domain, "ai.onnx")
        || !strcmp(domain, "com.microsoft");
}

/* A row of its own for an operator of a domain, else by the name alone; the
 * dialect's operators come in any domain. */
const Row *row_find(const char *domain, const char *op)
{
    char full[128];
    const Row *r = NULL;

    if (!op)
        return NULL;
    domain = domain ? domain : "";
    snprintf(full, sizeof full, "%s::%s", domain, op);
    r = *domain ? row_named(full) : NULL;
    if (!r)
        r = row_named(op);
    return r && (strstr(r->name, "::") || r->meaning == DIALECT
                 || as_onnx(domain)) ? r : NULL;
}

/* Letters to change, add or drop to get from a to b (Wagner and Fischer). */
static int distance(const char *a, const char *b)
{
    int row[64], n = (int)strlen(b), i, j, diag, up;

    if (n >= (int)LEN(row))
        return n;
    for (j = 0; j <= n; j++)
        row[j] = j;
    for (i = 0; a[i]; i++) {
        diag = row[0];
        row[0] = i + 1;
        for (j = 1; j <= n; j++) {
            up = row[j];
            row[j] = MIN(MIN(row[j], row[j - 1]) + 1,
                         diag + (tolower(a[i]) != tolower(b[j - 1])));
            diag = up;
        }
    }
    return row[n];
}

const char *row_nearest(const char *op)
{
    const char *best = NULL;
    int i, d, least = 3;

    for (i = 0; i < nrow; i++) {
        d = distance(op, onnx_rows[i].name);
        if (d < least && d < (int)strlen(op) / 2) {
            least = d;
            best = onnx_rows[i].name;
        }
    }
    return best;
}

static const char *const meanings[] = {
    [FLOATS] = "of floats; integers become floats before it",
    [BOTH] = "of floats, and exact on integers",
    [ROUNDS] = "of floats; of integers to the nearest integer, ties up",
    [DIALECT] = "of integers: it makes the network one of exact integers",
    [TYPED] = "of the types that ONNX declares",
};

static void print_row(Str *out, const Row *r)
{
    str_fmt(out, "%-44s %2d..%d%s%s\n", r->name, MAX(7, r->since), OPSETS,
            *r->about ? "  " : "", r->about);
}

static void print_whole(Str *out, const Row *r)
{
    if (r->import == import_none) {
        str_fmt(out, "%s is not supported: %s\n", r->name, r->about);
        return;
    }
    str_fmt(out, "%s\n  opsets       %d to %d\n", r->name, MAX(7, r->since),
            OPSETS);
    if (r->max > 99)
        str_fmt(out, "  inputs       %d or more\n", r->min);
    else if (r->min < r->max)
        str_fmt(out, "  inputs       %d to %d\n", r->min, r->max);
    else
        str_fmt(out, "  inputs       %d\n", r->min);
    str_fmt(out, "  meaning      %s\n", meanings[r->meaning]);
    str_fmt(out, "  constraints  %s\n", *r->about ? r->about : "none");
}

static int by_name(const void *a, const void *b)
{
    return strcasecmp((*(const Row *const *)a)->name,
                      (*(const Row *const *)b)->name);
}

static void sort_rows(const Row **sorted)
{
    int i;

    for (i = 0; i < nrow; i++)
        sorted[i] = &onnx_rows[i];
    qsort(sorted, LEN(onnx_rows), sizeof *sorted, by_name);
}

void onnx_ops(Str *out, const char *name)
{
    const Row *sorted[LEN(onnx_rows)], *r;
    int i;

    if (name) {
        r = row_named(name);
        if (!r)
            err(ERR_USAGE, "no operator '%s'%s%s; `tilewright ops` lists all",
                name, row_nearest(name) ? "; nearest is " : "",
                row_nearest(name) ? row_nearest(name) : "");
        print_whole(out, r);
        return;
    }
    sort_rows(sorted);
    for (i = 0; i < nrow; i++)
        if (sorted[i]->import != import_none)
            print_row(out, sorted[i]);
}

static void put_word(Json *j, const char *key, const char *s)
{
    json_key(j, key);
    json_str(j, *s ? s : NULL);
}

static void put_int(Json *j, const char *key, int v)
{
    json_key(j, key);
    json_int(j, v);
}

static void put_row(Json *j, const Row *r)
{
    bool known = r->import != import_none;

    json_obj(j);
    put_word(j, "name", r->name);
    put_word(j, "format", "onnx");
    json_key(j, "supported");
    json_bool(j, known);
    put_int(j, "since_opset", MAX(7, r->since));
    put_int(j, "to_opset", OPSETS);
    put_int(j, "min_inputs", r->min);
    json_key(j, "max_inputs");
    if (r->max > 99)
        json_null(j);
    else
        json_int(j, r->max);
    put_word(j, "meaning", known ? meanings[r->meaning] : "");
    put_word(j, "constraints", known ? r->about : "");
    put_word(j, "refused", known ? "" : r->about);
    json_end(j);
}

/* Those that are not supported too, with the reason. */
void onnx_ops_json(Json *j, const char *name)
{
    const Row *sorted[LEN(onnx_rows)];
    int i;

    sort_rows(sorted);
    for (i = 0; i < nrow; i++)
        if (!name || !strcmp(sorted[i]->name, name))
            put_row(j, sorted[i]);
}
