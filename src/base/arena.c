/* Memory by lifetime: blocks that are filled from one end and dropped whole. */
#include "base/base.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { FIRST = 0, BLOCK = 0, UNIT = 1 }; /* each piece alone, to be watched */
#else
enum { FIRST = 4 * 1024, BLOCK = 64 * 1024, UNIT = 16 };
#endif

typedef struct Block Block;
struct Block {
    Block *prev, *next;
    size_t used;
    size_t size;
    _Alignas(16) char data[];
};

struct Arena {
    Block *head; /* the block being filled */
    size_t bytes;
};

Arena *arena_new(void)
{
    Arena *a = calloc(1, sizeof *a);

    if (!a)
        die("no memory");
    return a;
}

void arena_end(Arena *a)
{
    Block *b, *next;

    for (b = a->head; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

static Block *add_block(Arena *a, size_t size)
{
    Block *b = calloc(1, sizeof *b + size);

    if (!b)
        err(ERR_MODEL, "out of memory asking for %zu bytes", size);
    b->size = size;
    a->bytes += size;
    return b;
}

/* A block of its own for what is large: it goes behind the one being filled. */
static void *get_large(Arena *a, size_t size)
{
    Block *b = add_block(a, size);

    b->used = size;
    if (a->head) {
        b->prev = a->head;
        b->next = a->head->next;
        if (b->next)
            b->next->prev = b;
        a->head->next = b;
    } else {
        a->head = b;
    }
    return b->data;
}

static size_t rounded(size_t bytes)
{
    return (bytes + UNIT - 1) & ~(size_t)(UNIT - 1);
}

void arena_drop(Arena *a, void *v, size_t n, size_t size)
{
    Block *b;

    if (!v || rounded(n * size) <= BLOCK / 4)
        return;
    b = (Block *)((char *)v - offsetof(Block, data));
    if (b->prev)
        b->prev->next = b->next;
    else
        a->head = b->next;
    if (b->next)
        b->next->prev = b->prev;
    a->bytes -= b->size;
    free(b);
}

void *arena_get(Arena *a, size_t n, size_t size)
{
    size_t bytes;
    Block *b = a->head;

    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        err(ERR_MODEL, "asked for %zu elements of %zu bytes", n, size);
    bytes = rounded(bytes);
    if (bytes > BLOCK / 4)
        return get_large(a, bytes);
    if (!b || b->size - b->used < bytes) {
        b = add_block(a, MAX(bytes, MAX(FIRST, MIN(BLOCK, a->bytes))));
        b->next = a->head;
        if (b->next)
            b->next->prev = b;
        a->head = b;
    }
    b->used += bytes;
    return b->data + b->used - bytes;
}

/* Arrays grow at powers of two, so only those counts move them. */
void *arena_grow(Arena *a, void *v, size_t n, size_t size)
{
    void *w;

    if (n && (n & (n - 1) || n < 4))
        return v;
    w = arena_get(a, MAX(4, 2 * n), size);
    if (n)
        memcpy(w, v, n * size);
    return w;
}

void *arena_regrow(Arena *a, void *v, size_t n, size_t size)
{
    void *w = arena_grow(a, v, n, size);

    if (n && w != v)
        arena_drop(a, v, MAX(4, n), size);
    return w;
}

char *arena_str(Arena *a, const char *s)
{
    size_t n = strlen(s) + 1;

    return memcpy(arena_get(a, n, 1), s, n);
}

char *arena_fmt(Arena *a, const char *fmt, ...)
{
    va_list ap;
    int n;
    char *s;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    s = arena_get(a, (size_t)n + 1, 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}

size_t arena_bytes(const Arena *a)
{
    return a->bytes;
}
