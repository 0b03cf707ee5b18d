/* Text that grows. */
#include "base/base.h"

#include <ctype.h>
#include <string.h>

static void make_room(Str *b, size_t n)
{
    char *s;

    if (b->n + n + 1 <= b->room)
        return;
    b->room = MAX(256, 2 * (b->n + n + 1));
    s = arena_get(b->mem, b->room, 1);
    if (b->n)
        memcpy(s, b->s, b->n);
    b->s = s;
}

void str_mem(Str *b, const void *p, size_t n)
{
    make_room(b, n);
    memcpy(b->s + b->n, p, n);
    b->n += n;
    b->s[b->n] = 0;
}

void str_put(Str *b, const char *s)
{
    str_mem(b, s, strlen(s));
}

void str_fmt(Str *b, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    make_room(b, (size_t)n);
    va_start(ap, fmt);
    vsnprintf(b->s + b->n, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->n += (size_t)n;
}

bool str_starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

bool str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);

    return n >= m && !strcmp(s + n - m, suffix);
}

char *str_ident(Arena *a, const char *s)
{
    char *id = arena_fmt(a, "%s%s", isalpha((unsigned char)*s) ? "" : "_", s);
    char *p;

    for (p = id; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return id;
}

uint64_t hash_mem(const void *p, size_t n)
{
    const unsigned char *s = p;
    uint64_t h = 0xcbf29ce484222325u;

    while (n--)
        h = (h ^ *s++) * 0x100000001b3u;
    return h;
}
