/* pack SEED COUNT [DIR]: static allocation against brute force, and against
 * what must hold of any instance: lives reversed and sizes scaled keep the
 * optimum, capacity = optimum works, one less does not.  DIR: the published
 * instances; those of gadgets/ have proven optima. */
#include "test/lib/random.h"

#include <stdlib.h>
#include <string.h>

static int failed;

static void fail(const char *what, const char *where)
{
    printf("%s: %s\n", where, what);
    failed++;
}

/* Nothing overlaps, everything is aligned; the highest end. */
static int64_t height_of(const PackItem *v, int n, const char *where)
{
    int64_t height = 0;
    int i, j;

    for (i = 0; i < n; i++) {
        if (v[i].offset < 0 || (v[i].align > 1 && v[i].offset % v[i].align))
            fail("an offset is not aligned", where);
        height = MAX(height, v[i].offset + v[i].size);
        for (j = 0; j < i; j++)
            if (v[i].lower < v[j].upper && v[j].lower < v[i].upper &&
                v[i].offset < v[j].offset + v[j].size &&
                v[j].offset < v[i].offset + v[i].size)
                fail("two buffers overlap", where);
    }
    return height;
}

/* The optimum by trying every order, each buffer at the lowest free place:
 * some order gives an optimal packing. */
static void brute(PackItem *v, int n, int done, unsigned used, int64_t height,
                  int64_t *best)
{
    bool again;
    int i, j;

    if (height >= *best)
        return;
    if (done == n) {
        *best = height;
        return;
    }
    for (i = 0; i < n; i++) {
        if (used >> i & 1)
            continue;
        v[i].offset = 0;
        do {
            again = false;
            for (j = 0; j < n; j++)
                if ((used >> j & 1) && v[i].lower < v[j].upper &&
                    v[j].lower < v[i].upper &&
                    v[i].offset < v[j].offset + v[j].size &&
                    v[j].offset < v[i].offset + v[i].size) {
                    v[i].offset = v[j].offset + v[j].size;
                    again = true;
                }
        } while (again);
        brute(v, n, done + 1, used | 1u << i,
              MAX(height, v[i].offset + v[i].size), best);
    }
}

static int64_t packed_height(Arena *a, PackItem *v, int n, int64_t capacity,
                             const char *where, PackResult *r)
{
    *r = pack(a, v, n, capacity, 0);
    if (height_of(v, n, where) != r->height && n)
        fail("the height is not the highest end", where);
    if (r->bound > r->height)
        fail("the bound is above the height", where);
    return r->height;
}

static int make_items(Rng *r, PackItem *v, int most)
{
    int i, n = 1 + pick(r, most), span = 2 + pick(r, 8);

    for (i = 0; i < n; i++) {
        v[i] = (PackItem){.lower = pick(r, span), .align = 1};
        v[i].upper = v[i].lower + 1 + pick(r, span);
        v[i].size = 1 + pick(r, 9);
    }
    return n;
}

static void check_small(Arena *a, uint64_t seed)
{
    Rng r = {seed};
    PackItem v[8];
    PackResult res;
    int64_t best = INT64_MAX, got;
    int i, n = make_items(&r, v, 7);
    const char *where = arena_fmt(a, "small, seed %llu",
                                  (unsigned long long)seed);

    got = packed_height(a, v, n, 0, where, &res);
    brute(v, n, 0, 0, 0, &best);
    if (got != best || !res.optimal || res.bound != best)
        fail("not the optimum brute force finds", where);
    for (i = 0; i < n; i++) {
        int64_t lower = v[i].lower;

        v[i].lower = -v[i].upper;
        v[i].upper = -lower;
        v[i].size *= 3;
    }
    if (packed_height(a, v, n, 0, where, &res) != 3 * best)
        fail("reversed and scaled, the optimum is another", where);
}

static void check_large(Arena *a, uint64_t seed)
{
    Rng r = {seed};
    PackItem v[60];
    PackResult res;
    int64_t best;
    int i, n = make_items(&r, v, 60), align = 1 << pick(&r, 4);
    const char *where = arena_fmt(a, "large, seed %llu",
                                  (unsigned long long)seed);

    best = packed_height(a, v, n, 0, where, &res);
    if (res.optimal) {
        if (packed_height(a, v, n, best, where, &res) > best)
            fail("capacity = optimum is refused", where);
        if (packed_height(a, v, n, best - 1, where, &res) < best)
            fail("lower than the optimum", where);
    }
    for (i = 0; i < n; i++)
        v[i].align = align;
    packed_height(a, v, n, 0, where, &res);
}

static int read_items(Arena *a, const char *path, PackItem *v)
{
    size_t size;
    char *s = strchr(file_read(a, path, &size), '\n');
    long long l, u, b;
    int n = 0, used;

    while (s && sscanf(s, " %*d,%lld,%lld,%lld%n", &l, &u, &b, &used) == 3) {
        v[n++] = (PackItem){.lower = l, .upper = u, .size = b, .align = 1};
        s += used;
    }
    return n;
}

static int check_gadgets(Arena *a, const char *dir)
{
    size_t size;
    char *s = file_read(a, arena_fmt(a, "%s/gadgets/EXPECTED.csv", dir),
                        &size), name[64];
    PackItem v[64];
    PackResult r;
    int opt, count = 0;

    while ((s = strchr(s, '\n')) &&
           sscanf(++s, "%63[^,],%*d,%*d,%d", name, &opt) == 2) {
        int n = read_items(a, arena_fmt(a, "%s/gadgets/%s", dir, name), v);

        if (packed_height(a, v, n, 0, name, &r) != opt || r.bound != opt)
            fail("not the proven optimum", name);
        count++;
    }
    return count;
}

static int check_hard(Arena *a, const char *dir)
{
    PackItem v[512];
    PackResult r;
    char c;
    int count = 0;

    for (c = 'A'; c <= 'K'; c++, count++) {
        const char *path = arena_fmt(a, "%s/challenging/%c.1048576.csv", dir,
                                     c);
        int n = read_items(a, path, v);

        if (packed_height(a, v, n, 1 << 20, path, &r) > 1 << 20)
            fail("no packing within 1 MiB found", path);
    }
    return count;
}

int main(int argc, char **argv)
{
    uint64_t seed;
    int i, count, gadgets = 0, hard = 0;

    if (argc < 3)
        return 2;
    seed = strtoull(argv[1], NULL, 0);
    count = atoi(argv[2]);
    for (i = 0; i < count; i++) {
        Arena *a = arena_new();

        check_small(a, seed + (uint64_t)i);
        if (i % 4 == 0)
            check_large(a, seed + (uint64_t)i);
        arena_end(a);
    }
    if (argc > 3) {
        Arena *a = arena_new();

        gadgets = check_gadgets(a, argv[3]);
        hard = check_hard(a, argv[3]);
        arena_end(a);
    }
    printf("%d random instances from seed %s, %d gadgets, %d hard ones, "
           "%d failures\n", count, argv[1], gadgets, hard, failed);
    return failed != 0;
}
