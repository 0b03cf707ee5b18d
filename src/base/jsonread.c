/* Reads JSON (RFC 8259) into a tree. */
#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 64 };

typedef struct Reader {
    Arena *mem;
    const char *text, *s;
    int level;
} Reader;

static _Noreturn void bad(const Reader *r, const char *wanted)
{
    err(ERR_MODEL, "no JSON: at byte %lld, %s was wanted",
        (long long)(r->s - r->text), wanted);
}

static void skip(Reader *r)
{
    r->s += strspn(r->s, " \t\r\n");
}

static bool take(Reader *r, char c)
{
    skip(r);
    if (*r->s != c)
        return false;
    r->s++;
    return true;
}

static void put_utf8(Str *b, unsigned c)
{
    char u[4] = {(char)c};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

    if (n > 1) {
        for (i = n; i-- > 1; c >>= 6)
            u[i] = (char)(0x80 | (c & 0x3f));
        u[0] = (char)((0xf00u >> n & 0xff) | c);
    }
    str_mem(b, u, n);
}

static unsigned hex4(Reader *r)
{
    char digits[5] = {0}, *end;
    unsigned long c;

    strncpy(digits, r->s, 4);
    c = strtoul(digits, &end, 16);
    if (end != digits + 4 || strspn(digits, " +-xX"))
        bad(r, "four hexadecimal digits");
    r->s += 4;
    return (unsigned)c;
}

static void read_escape(Reader *r, Str *b)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = *r->s ? strchr(from, *r->s) : NULL;
    unsigned c, low;

    if (at) {
        str_mem(b, &to[at - from], 1);
        r->s++;
        return;
    }
    if (*r->s++ != 'u')
        bad(r, "an escape");
    c = hex4(r);
    if (c >> 10 == 0x36 && r->s[0] == '\\' && r->s[1] == 'u') {
        r->s += 2;
        low = hex4(r);
        c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
    }
    put_utf8(b, c);
}

static const char *read_text(Reader *r)
{
    Str b = {.mem = r->mem};
    size_t n;

    if (!take(r, '"'))
        bad(r, "a text");
    str_put(&b, "");
    for (;;) {
        n = strcspn(r->s, "\"\\");
        str_mem(&b, r->s, n);
        r->s += n;
        if (!*r->s)
            bad(r, "the end of a text");
        if (*r->s++ == '"')
            return b.s;
        read_escape(r, &b);
    }
}

static JsonVal *read_any(Reader *r);

static void read_items(Reader *r, JsonVal *v, char close)
{
    JsonVal **end = &v->first, *item;
    const char *key;

    if (take(r, close))
        return;
    do {
        key = NULL;
        if (v->kind == JSON_obj) {
            skip(r);
            key = read_text(r);
            if (!take(r, ':'))
                bad(r, "a colon");
        }
        item = read_any(r);
        item->key = key;
        *end = item;
        end = &item->next;
    } while (take(r, ','));
    if (!take(r, close))
        bad(r, close == '}' ? "a comma or }" : "a comma or ]");
}

static bool word(Reader *r, const char *w)
{
    if (!str_starts(r->s, w))
        return false;
    r->s += strlen(w);
    return true;
}

static void read_number(Reader *r, JsonVal *v)
{
    char *end;

    v->kind = JSON_num;
    if (!*r->s || !strchr("-0123456789", *r->s))
        bad(r, "a value");
    v->num = strtod(r->s, &end);
    if (end == r->s)
        bad(r, "a number");
    r->s = end;
}

static JsonVal *read_any(Reader *r)
{
    JsonVal *v = NEW(r->mem, JsonVal);

    if (++r->level > DEEP)
        bad(r, "less depth");
    v->num = NAN;
    skip(r);
    if (*r->s == '{' || *r->s == '[') {
        v->kind = *r->s == '{' ? JSON_obj : JSON_arr;
        r->s++;
        read_items(r, v, v->kind == JSON_obj ? '}' : ']');
    } else if (*r->s == '"') {
        v->kind = JSON_str;
        v->s = read_text(r);
    } else if (word(r, "true") || word(r, "false")) {
        v->kind = JSON_bool;
        v->num = r->s[-2] == 'u';
    } else if (!word(r, "null")) {
        read_number(r, v);
    }
    r->level--;
    return v;
}

JsonVal *json_read(Arena *mem, const char *text)
{
    Reader r = {.mem = mem, .text = text, .s = text};
    JsonVal *v = read_any(&r);

    skip(&r);
    if (*r.s)
        bad(&r, "the end");
    return v;
}

const JsonVal *json_find(const JsonVal *v, const char *key)
{
    const JsonVal *i = v && v->kind == JSON_obj ? v->first : NULL;

    while (i && strcmp(i->key, key))
        i = i->next;
    return i;
}

double json_get(const JsonVal *v, const char *key)
{
    v = json_find(v, key);
    return v && v->kind == JSON_num ? v->num : NAN;
}

const char *json_text(const JsonVal *v, const char *key)
{
    v = json_find(v, key);
    return v ? v->s : NULL;
}
