/* A checked reader of FlatBuffers: a table lies behind its list of field
 * offsets (vtable), which tables of one form share; all numbers are little
 * endian and may lie anywhere. */
#include "front/tflite/flat.h"

#include <string.h>

_Noreturn static void damaged(uint64_t at, const char *what)
{
    err(ERR_MODEL, "damaged: %s at byte %llu", what, (unsigned long long)at);
}

static const uint8_t *bytes_at(const Flat *f, uint64_t at, uint64_t n)
{
    if (at > f->n || n > f->n - at)
        damaged(at, "something reaches behind the end of the file");
    return f->p + at;
}

static uint64_t number(const Flat *f, uint64_t at, int bytes)
{
    const uint8_t *p = bytes_at(f, at, (uint64_t)bytes);
    uint64_t v = 0;
    int i;

    for (i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static int64_t extended(uint64_t v, int bytes)
{
    int rest = 64 - 8 * bytes;

    return (int64_t)(v << rest) >> rest;
}

static Table table_at(const Flat *f, uint64_t at)
{
    int64_t back = extended(number(f, at, 4), 4);
    Table t = {.f = f, .at = at};
    uint64_t list = at - (uint64_t)back;

    if (back > (int64_t)at || list > f->n)
        damaged(at, "a table's list of fields lies outside the file");
    t.nfields = (uint32_t)number(f, list, 2);
    t.bytes = (uint32_t)number(f, list + 2, 2);
    if (t.nfields < 4 || t.nfields % 2 || t.bytes < 4)
        damaged(list, "the sizes of a table are wrong");
    bytes_at(f, list, t.nfields);
    bytes_at(f, at, t.bytes);
    t.fields = list;
    return t;
}

/* Where the thing lies that the 32-bit offset at `at` refers to. */
static uint64_t target(const Flat *f, uint64_t at)
{
    return at + number(f, at, 4);
}

Table flat_root(const Flat *f)
{
    return table_at(f, number(f, 0, 4));
}

/* Where a field of so many bytes lies; 0: absent. */
static uint64_t place(Table t, int field, int bytes)
{
    uint64_t entry = 4 + 2 * (uint64_t)field, off;

    if (!t.f || entry + 2 > t.nfields)
        return 0;
    off = number(t.f, t.fields + entry, 2);
    if (!off)
        return 0;
    if (off < 4 || off + (uint64_t)bytes > t.bytes)
        damaged(t.at, "a field lies outside its table");
    return t.at + off;
}

bool flat_has(Table t, int field)
{
    return place(t, field, 1) != 0;
}

int64_t flat_int(Table t, int field, int bytes, int64_t none)
{
    uint64_t at = place(t, field, bytes);

    return at ? extended(number(t.f, at, bytes), bytes) : none;
}

static float float_of(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

double flat_f32(Table t, int field, double none)
{
    uint64_t at = place(t, field, 4);

    return at ? (double)float_of((uint32_t)number(t.f, at, 4)) : none;
}

Table flat_table(Table t, int field)
{
    uint64_t at = place(t, field, 4);

    return at ? table_at(t.f, target(t.f, at)) : (Table){0};
}

Vector flat_vector(Table t, int field, int bytes)
{
    uint64_t at = place(t, field, 4);
    Vector v = {.f = t.f};

    if (!at)
        return v;
    at = target(t.f, at);
    v.n = (uint32_t)number(t.f, at, 4);
    v.at = at + 4;
    bytes_at(t.f, v.at, (uint64_t)v.n * (uint64_t)bytes);
    return v;
}

Table flat_table_at(Vector v, uint32_t i)
{
    return table_at(v.f, target(v.f, v.at + 4 * (uint64_t)i));
}

int64_t flat_int_at(Vector v, int bytes, uint32_t i)
{
    return extended(number(v.f, v.at + (uint64_t)bytes * i, bytes), bytes);
}

float flat_f32_at(Vector v, uint32_t i)
{
    return float_of((uint32_t)number(v.f, v.at + 4 * (uint64_t)i, 4));
}

enum { LONGEST = 2000 }; /* many tables may refer to one long text */

const char *flat_text(Arena *a, Table t, int field)
{
    Vector v = flat_vector(t, field, 1);
    Str out = {.mem = a};
    char *s;

    if (!v.at)
        return NULL;
    s = arena_get(a, (size_t)MIN(v.n, LONGEST) + 1, 1);
    memcpy(s, v.f->p + v.at, (size_t)MIN(v.n, LONGEST));
    if (text_is_safe(s))
        return s;
    str_safe(&out, s, "");
    return out.s;
}
