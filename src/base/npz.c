/* Arrays as NumPy stores them: .npy files, and .npz, which are zip files of
 * them.  An .npy file is a magic word, a version, the length of a header, the
 * header (a Python dictionary in text), and the elements:
 *
 *     \x93NUMPY 1 0 118 0 {'descr': '<f4', 'fortran_order': False,
 *                          'shape': (1, 3, 8, 8), }
 *
 * What is read comes out in C order, little endian, half floats as floats.
 * Everything is checked: these files come from anywhere. */
#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

enum { MAGIC = 6, MAX_HEADER = 1 << 16 };
static const int64_t MAX_BYTES = (int64_t)1 << 31;
/* What a file may grow to: numbers that mean something are not much shorter
 * when deflated, and small files may do as they like. */
enum { MAX_GROWTH = 100, SMALL = 64 << 20 };

/* Where the header is being read. */
typedef struct Head {
    const char *name;
    const char *s, *end;
} Head;

_Noreturn static void bad(const char *name, const char *what)
{
    err(ERR_MODEL, "array '%s': %s", name, what);
}

/* The text after 'key': in the header. */
static Head find_key(const Head *h, const char *key)
{
    size_t n = strlen(key);
    const char *s;
    Head at = *h;

    for (s = h->s; s + n + 3 <= h->end; s++) {
        if ((*s != '\'' && *s != '"') || memcmp(s + 1, key, n))
            continue;
        if (s[n + 1] != *s)
            continue;
        for (s += n + 2; s < h->end && (*s == ' ' || *s == ':'); s++)
            ;
        at.s = s;
        return at;
    }
    err(ERR_MODEL, "array '%s': the .npy header has no '%s'", h->name, key);
}

static void read_shape(Head h, Array *v)
{
    int64_t d;

    if (h.s >= h.end || *h.s++ != '(')
        bad(h.name, "the shape in the .npy header is not a tuple");
    for (v->n = 1;; v->dim[v->rank++] = d) {
        while (h.s < h.end && (*h.s == ' ' || *h.s == ','))
            h.s++;
        if (h.s < h.end && *h.s == ')')
            return;
        if (h.s >= h.end || *h.s < '0' || *h.s > '9')
            bad(h.name, "the shape in the .npy header is not a list of sizes");
        for (d = 0; h.s < h.end && *h.s >= '0' && *h.s <= '9'; h.s++) {
            d = 10 * d + (*h.s - '0');
            if (d > MAX_BYTES)
                bad(h.name, "a dimension is beyond 2^31");
        }
        if (v->rank == LEN(v->dim))
            bad(h.name, "more than 8 dimensions");
        if (__builtin_mul_overflow(v->n, d, &v->n) || v->n > MAX_BYTES)
            bad(h.name, "more than 2^31 elements");
    }
}

static int type_size(const char *type)
{
    return type[1] - '0';
}

static bool known_type(const char *type)
{
    static const char known[][3] = {
        "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1",
    };
    size_t i;

    for (i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(type, known[i]))
            return true;
    return false;
}

/* Sets v->type; true if the elements are big endian. */
static bool read_type(Head h, Array *v)
{
    bool big;
    char want[3] = "";

    if (h.s + 5 > h.end || (*h.s != '\'' && *h.s != '"'))
        bad(h.name, "elements are records; wanted plain numbers");
    big = h.s[1] == '>';
    memcpy(want, h.s + 2, 2);
    if (!h.s[1] || !strchr("<>|=", h.s[1]) || h.s[4] != *h.s ||
        !known_type(want)) {
        const char *end = memchr(h.s + 1, *h.s, (size_t)(h.end - h.s - 1));
        int n = end ? (int)(end - h.s - 1) : 3;
        err(ERR_MODEL, "array '%s': elements of type '%.*s'; wanted floats, "
            "integers or booleans of 1 to 8 bytes", h.name, n, h.s + 1);
    }
    memcpy(v->type, want, 3);
    return big;
}

static void swap_bytes(char *p, int64_t n, int size)
{
    int64_t i;
    int j;

    for (i = 0; i < n; i++, p += size)
        for (j = 0; j < size / 2; j++) {
            char c = p[j];
            p[j] = p[size - 1 - j];
            p[size - 1 - j] = c;
        }
}

/* Fortran order: the first axis runs fastest. */
static void transpose(Arena *a, Array *v)
{
    int size = type_size(v->type), d;
    char *to = arena_get(a, (size_t)v->n + 1, (size_t)size);
    int64_t i, j, rest, stride;

    for (i = 0; i < v->n; i++) {
        rest = i;
        stride = v->n;
        for (d = v->rank, j = 0; d-- > 0; rest /= v->dim[d]) {
            stride /= v->dim[d];
            j += rest % v->dim[d] * stride;
        }
        memcpy(to + i * size, (char *)v->data + j * size, (size_t)size);
    }
    v->data = to;
}

static float half(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float f = e == 31 ? (m ? NAN : INFINITY)
            : e ? ldexpf((float)(m + 1024), e - 25) : ldexpf((float)m, -24);

    return h & 0x8000 ? -f : f;
}

static void widen_halves(Arena *a, Array *v)
{
    const uint16_t *h = v->data;
    float *f = arena_get(a, (size_t)v->n + 1, sizeof *f);
    int64_t i;

    for (i = 0; i < v->n; i++)
        f[i] = half(h[i]);
    v->data = f;
    memcpy(v->type, "f4", 3);
}

/* The header of an .npy file; moves h behind it. */
static Head read_head(const char *name, const unsigned char *p, size_t n)
{
    size_t at = MAGIC + 4, len;
    Head h;

    if (n < at || memcmp(p, "\x93NUMPY", MAGIC))
        bad(name, "not an .npy file");
    len = (size_t)(p[8] | p[9] << 8);
    if (p[6] != 1) {
        at += 2;
        if (n < at || p[6] > 3)
            bad(name, "an .npy file of unknown version");
        len |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    }
    if (len > MAX_HEADER || n - at < len)
        bad(name, "the .npy header is cut short");
    h.name = name;
    h.s = (const char *)p + at;
    h.end = h.s + len;
    return h;
}

Array *npy_parse(Arena *a, const char *name, const void *p, size_t n)
{
    Array *v = NEW(a, Array);
    Head h = read_head(name, p, n), order;
    size_t have = n - (size_t)(h.end - (const char *)p), want;
    bool big;

    v->name = arena_str(a, name);
    h.name = v->name;
    big = read_type(find_key(&h, "descr"), v);
    read_shape(find_key(&h, "shape"), v);
    order = find_key(&h, "fortran_order");
    want = (size_t)v->n * (size_t)type_size(v->type);
    if (have < want)
        err(ERR_MODEL, "array '%s': %zu bytes of elements; its shape and type "
            "want %zu", v->name, have, want);
    v->data = arena_get(a, want + 1, 1);
    memcpy(v->data, h.end, want);
    if (big)
        swap_bytes(v->data, v->n, type_size(v->type));
    if (order.s < order.end && *order.s == 'T' && v->n)
        transpose(a, v);
    if (!strcmp(v->type, "f2"))
        widen_halves(a, v);
    return v;
}

/* One file of the zip, whole.  *room: bytes that may still come of it. */
static char *read_entry(Arena *a, zip_t *z, zip_uint64_t i, zip_stat_t *st,
                        uint64_t *room)
{
    zip_file_t *f;
    char *p;
    zip_int64_t got;

    if (zip_stat_index(z, i, 0, st) || !(st->valid & ZIP_STAT_SIZE))
        err(ERR_MODEL, "entry %d of the .npz file cannot be read", (int)i);
    if (st->size > (zip_uint64_t)MAX_BYTES)
        bad(st->name, "more than 2^31 bytes");
    if (st->size > *room)
        bad(st->name, "its file takes less than a hundredth of it: store it "
            "without compression if that is meant");
    *room -= st->size;
    p = arena_get(a, st->size + 1, 1);
    f = zip_fopen_index(z, i, 0);
    got = f ? zip_fread(f, p, st->size) : -1;
    if (f && zip_fclose(f))
        got = -1;
    if (got < 0 || (zip_uint64_t)got != st->size)
        bad(st->name, "damaged in the .npz file");
    return p;
}

static Array *read_zip(Arena *a, zip_t *z, uint64_t room)
{
    zip_int64_t i, n = zip_get_num_entries(z, 0);
    Array *first = NULL, **tail = &first;
    zip_stat_t st;

    for (i = 0; i < n; i++, tail = &(*tail)->next) {
        Arena *tmp = arena_new();
        char *p = read_entry(tmp, z, (zip_uint64_t)i, &st, &room);
        char *name = arena_str(a, st.name);

        if (str_ends(name, ".npy"))
            name[strlen(name) - 4] = 0;
        *tail = npy_parse(a, name, p, st.size);
        arena_end(tmp);
    }
    return first;
}

static uint64_t size_of_file(const char *path)
{
    const char *why;
    FILE *f = file_open(path, &why);
    struct stat st;

    if (!f || fstat(fileno(f), &st))
        err(ERR_MODEL, "%s", f ? strerror(errno) : why);
    fclose(f);
    return (uint64_t)st.st_size;
}

Array *npz_read(Arena *a, const char *path)
{
    int why;
    zip_t *z;
    Array *list;
    size_t n;
    char *p;
    uint64_t size;
    const char *file = trouble.file;

    err_file(arena_str(a, path));
    if (str_ends(path, ".npy")) {
        p = file_read(a, path, &n);
        list = npy_parse(a, path_base(path), p, n);
    } else {
        size = size_of_file(path);
        z = zip_open(path, ZIP_RDONLY, &why);
        if (!z)
            err(ERR_MODEL, "not an .npz file (a zip of .npy files)");
        list = read_zip(a, z, SMALL + MAX_GROWTH * size);
        zip_discard(z);
    }
    err_file(file);
    return list;
}

/* The .npy header, padded so that elements start at a multiple of 64. */
static void put_head(Str *b, const Array *v)
{
    Str h = {.mem = b->mem};
    size_t len;
    int i;

    str_fmt(&h, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
            type_size(v->type) == 1 ? '|' : '<', v->type);
    for (i = 0; i < v->rank; i++)
        str_fmt(&h, v->rank == 1 ? "%lld," : i ? ", %lld" : "%lld",
                (long long)v->dim[i]);
    str_put(&h, "), }");
    len = (MAGIC + 4 + h.n + 1 + 63) / 64 * 64 - (MAGIC + 4);
    str_mem(b, "\x93NUMPY\1\0", MAGIC + 2);
    str_mem(b, &(char){(char)len}, 1);
    str_mem(b, &(char){(char)(len >> 8)}, 1);
    str_mem(b, h.s, h.n);
    while (b->n < MAGIC + 4 + len - 1)
        str_put(b, " ");
    str_put(b, "\n");
}

static zip_t *zip_begin(const char *path)
{
    int why;
    zip_t *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &why);

    if (!z)
        err(ERR_TOOL, "cannot write %s", path);
    return z;
}

static void zip_put(zip_t *z, const char *name, zip_source_t *s)
{
    zip_int64_t at = s ? zip_file_add(z, name, s,
                                      ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8)
                       : -1;

    if (at < 0)
        err(ERR_TOOL, "cannot write '%s': %s", name, zip_strerror(z));
    /* 1980, the zip format's first day: same content, same file */
    zip_file_set_mtime(z, (zip_uint64_t)at, 315532800, 0);
}

static void zip_finish(zip_t *z, const char *path)
{
    if (zip_close(z))
        err(ERR_TOOL, "cannot write %s: %s", path, zip_strerror(z));
}

void zip_files(const char *path, const char *dir, int n,
               const char *const *name)
{
    zip_t *z = zip_begin(path);
    Arena *tmp = arena_new();
    int i;

    for (i = 0; i < n; i++)
        zip_put(z, name[i], zip_source_file(
            z, arena_fmt(tmp, "%s/%s", dir, name[i]), 0, -1));
    zip_finish(z, path);
    arena_end(tmp);
}

void npz_write(const char *path, const Array *list)
{
    zip_t *z = zip_begin(path);
    Arena *tmp = arena_new();
    const Array *v;

    for (v = list; v; v = v->next) {
        Str b = {.mem = tmp};

        put_head(&b, v);
        str_mem(&b, v->data, (size_t)(v->n * type_size(v->type)));
        zip_put(z, arena_fmt(tmp, "%s.npy", v->name),
                zip_source_buffer(z, b.s, b.n, 0));
    }
    zip_finish(z, path);
    arena_end(tmp);
}

double array_get(const Array *v, int64_t i)
{
    const char *p = (const char *)v->data + i * type_size(v->type);

    switch (v->type[0] << 8 | v->type[1]) {
    case 'f' << 8 | '4': return *(const float *)p;
    case 'f' << 8 | '8': return *(const double *)p;
    case 'i' << 8 | '1': return *(const int8_t *)p;
    case 'i' << 8 | '2': return *(const int16_t *)p;
    case 'i' << 8 | '4': return *(const int32_t *)p;
    case 'i' << 8 | '8': return (double)*(const int64_t *)p;
    case 'b' << 8 | '1': return *p != 0;
    case 'u' << 8 | '1': return *(const uint8_t *)p;
    case 'u' << 8 | '2': return *(const uint16_t *)p;
    case 'u' << 8 | '4': return *(const uint32_t *)p;
    case 'u' << 8 | '8': return (double)*(const uint64_t *)p;
    }
    die("array '%s' of type '%s'", v->name, v->type);
}
