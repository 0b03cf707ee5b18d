/* Writes JSON.  A level per open object or array; a value after a key stands
 * on its line, every other one on a line of its own. */
#include "base/base.h"

#include <string.h>
#include <stdio.h>
#include <math.h>

enum { DEEP = 32 };

struct Json {
    Str *out;
    int level;
    bool keyed;
    bool any[DEEP];    /* this level holds something already */
    char close[DEEP];
};

Json *json_new(Str *out)
{
    Json *j = NEW(out->mem, Json);

    j->out = out;
    return j;
}

static void new_line(Json *j)
{
    str_fmt(j->out, "\n%*s", 2 * j->level, "");
}

static void before(Json *j)
{
    if (j->keyed) {
        j->keyed = false;
        return;
    }
    if (j->any[j->level])
        str_put(j->out, ",");
    j->any[j->level] = true;
    if (j->level)
        new_line(j);
}

/* Of what is not shown, its number; returns the bytes read. */
static int quote_char(Json *j, const char *s)
{
    uint32_t c;
    int n;

    if (text_char(s, &c, &n))
        str_mem(j->out, s, (size_t)n);
    else if (n == 1 && c >= 0x80) /* no UTF-8: the replacement character */
        str_put(j->out, "\\ufffd");
    else if (c > 0xffff)
        str_fmt(j->out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10),
                0xdc00 + (c & 0x3ff));
    else
        str_fmt(j->out, "\\u%04x", c);
    return n;
}

static void quote(Json *j, const char *s)
{
    str_put(j->out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            str_fmt(j->out, "\\%c", *s);
        else
            s += quote_char(j, s) - 1;
    }
    str_put(j->out, "\"");
}

void json_key(Json *j, const char *key)
{
    before(j);
    quote(j, key);
    str_put(j->out, ": ");
    j->keyed = true;
}

static void open(Json *j, const char *with, char close)
{
    before(j);
    str_put(j->out, with);
    if (++j->level == DEEP)
        die("JSON deeper than %d", DEEP);
    j->any[j->level] = false;
    j->close[j->level] = close;
}

void json_obj(Json *j)
{
    open(j, "{", '}');
}

void json_arr(Json *j)
{
    open(j, "[", ']');
}

void json_end(Json *j)
{
    char close = j->close[j->level];
    bool any = j->any[j->level--];

    if (any)
        new_line(j);
    str_mem(j->out, &close, 1);
    if (!j->level)
        str_put(j->out, "\n");
}

void json_str(Json *j, const char *s)
{
    if (!s) {
        json_null(j);
        return;
    }
    before(j);
    quote(j, s);
}

void json_int(Json *j, int64_t v)
{
    before(j);
    str_fmt(j->out, "%lld", (long long)v);
}

void json_num(Json *j, double v)
{
    if (!isfinite(v)) {
        json_null(j);
        return;
    }
    before(j);
    str_fmt(j->out, "%.9g", v);
}

void json_bool(Json *j, bool v)
{
    before(j);
    str_put(j->out, v ? "true" : "false");
}

void json_null(Json *j)
{
    before(j);
    str_put(j->out, "null");
}

const char *json_option(int argc, char **argv)
{
    int i;

    for (i = 0; i + 1 < argc; i++)
        if (!strcmp(argv[i], "--json"))
            return argv[i + 1];
    return NULL;
}

int json_save(const char *path, const Str *text, int status)
{
    int why = file_put(path, text->s, text->n);
    Arena *a;

    if (!why)
        return status;
    a = arena_new();
    say(NULL, arena_fmt(a, "cannot write %s: %s", path, strerror(why)));
    arena_end(a);
    return ERR_TOOL;
}

void json_trouble(Json *j, int status)
{
    json_key(j, "status");
    json_int(j, status);
    json_key(j, "error");
    if (!*trouble.message) {
        json_null(j);
        return;
    }
    json_obj(j);
    json_key(j, "file");
    json_str(j, trouble.file);
    json_key(j, "node");
    json_str(j, trouble.node);
    json_key(j, "message");
    json_str(j, trouble.message);
    json_end(j);
}
