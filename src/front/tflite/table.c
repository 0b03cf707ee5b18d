/* The table of TensorFlow Lite's operators: finding one, and showing them. */
#include "front/tflite/import.h"

#include <string.h>

static const Row rows[] = {
#define TFLITE(code, name, how, min, max, types, about) \
    {code, name, lite_##how, min, max, types, about},
#define REFUSED(code, name, why) {code, name, NULL, 0, 0, "", why},
#include "front/tflite/ops.def"
};

enum { CUSTOM = 32 };

const Row *lite_row(int code)
{
    size_t i;

    for (i = 0; i < LEN(rows) && code != CUSTOM; i++)
        if (rows[i].code == code)
            return &rows[i];
    return NULL;
}

static const Row *row_named(const char *name)
{
    size_t i;

    for (i = 0; i < LEN(rows); i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

bool tflite_knows(const char *name)
{
    return row_named(name) != NULL;
}

static void print_whole(Str *out, const Row *r)
{
    if (!r->import) {
        str_fmt(out, "%s is not supported: %s\n", r->name, r->about);
        return;
    }
    str_fmt(out, "%s (TensorFlow Lite)\n", r->name);
    if (r->max > 99)
        str_fmt(out, "  inputs       %d or more\n", r->min);
    else if (r->min < r->max)
        str_fmt(out, "  inputs       %d to %d\n", r->min, r->max);
    else
        str_fmt(out, "  inputs       %d\n", r->min);
    str_fmt(out, "  types        %s\n", *r->types ? r->types : "none");
    str_fmt(out, "  constraints  %s\n", *r->about ? r->about : "none");
}

void tflite_ops(Str *out, const char *name)
{
    size_t i;

    if (name) {
        print_whole(out, row_named(name));
        return;
    }
    for (i = 0; i < LEN(rows); i++)
        if (rows[i].import)
            str_fmt(out, "%-44s TFLite  %s%s%s\n", rows[i].name, rows[i].types,
                    *rows[i].about ? "; " : "", rows[i].about);
}

static void put_word(Json *j, const char *key, const char *s)
{
    json_key(j, key);
    json_str(j, *s ? s : NULL);
}

static void put_row(Json *j, const Row *r)
{
    json_obj(j);
    put_word(j, "name", r->name);
    put_word(j, "format", "tflite");
    json_key(j, "supported");
    json_bool(j, r->import != NULL);
    json_key(j, "min_inputs");
    json_int(j, r->min);
    json_key(j, "max_inputs");
    if (r->max > 99)
        json_null(j);
    else
        json_int(j, r->max);
    put_word(j, "types", r->types);
    put_word(j, "constraints", r->import ? r->about : "");
    put_word(j, "refused", r->import ? "" : r->about);
    json_end(j);
}

void tflite_ops_json(Json *j, const char *name)
{
    size_t i;

    for (i = 0; i < LEN(rows); i++)
        if (!name || !strcmp(rows[i].name, name))
            put_row(j, &rows[i]);
}
