/* How a network uses its values, from what `tilewright run --dump` wrote.
 *
 *     histogram back IN.npz OUT.npz      every input backwards
 *     histogram invert IN.npz OUT.npz    every input inverted
 *     histogram NAME [used] LAYERS.npz...
 *
 * The arrays of several runs are taken together, layer by layer; channels are
 * on axis 1 of values with rank 4, on the last of others.  Values of 8 bits
 * must not lie at the ends of their range in more than 2 % of their elements,
 * nor more than a quarter of the channels never change (half, where a channel
 * is a single element: few runs may agree by chance).  `used`: three elements
 * of ten thousand must lie at the ends, so that the bits are used to the full
 * (not where an average, a shared scale or a move keeps its operand's range),
 * and no channel may be constant. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { RUNS = 8, MOST = 200, LEAST = 3 }; /* of ten thousand */

typedef struct Layer {
    const Array *run[RUNS];
    int nrun;
    int64_t n; /* elements of all runs */
    int64_t seen[512]; /* of value - 256 */
} Layer;

static const char *net;
static int bad;

static void complain(const Array *a, const char *what, double n)
{
    printf("%s: %s: %s %g\n", net, a->name, what, n);
    bad++;
}

static int64_t channels(const Array *a)
{
    return a->rank == 0 ? 1 : a->dim[a->rank == 4 ? 1 : a->rank - 1];
}

/* Elements that follow one another in a channel. */
static int64_t plane(const Array *a)
{
    return a->rank == 4 ? a->dim[2] * a->dim[3] : 1;
}

static int64_t channel_of(const Array *a, int64_t i)
{
    return i / plane(a) % channels(a);
}

/* Channels of all runs whose elements are all the same. */
static int constant(const Layer *l)
{
    const Array *a = l->run[0];
    int64_t c = channels(a), i;
    double *first = calloc(c, sizeof *first);
    char *moved = calloc(c, 1), *known = calloc(c, 1);
    int r, dead = 0;

    for (r = 0; r < l->nrun; r++)
        for (i = 0; i < a->n; i++) {
            int64_t at = channel_of(a, i);
            double v = array_get(l->run[r], i);

            first[at] = known[at] ? first[at] : v;
            known[at] = 1;
            moved[at] |= v != first[at];
        }
    for (i = 0; i < c; i++)
        dead += !moved[i];
    free(first), free(moved), free(known);
    return dead;
}

static void count(Layer *l)
{
    int r;
    int64_t i;

    for (r = 0; r < l->nrun; r++)
        for (i = 0; i < l->run[r]->n; i++) {
            int v = array_get(l->run[r], i);

            l->seen[v < -256 ? 0 : v > 255 ? 511 : v + 256]++;
            l->n++;
        }
}

/* A move, an average, or one of two operands brought to a common scale. */
static bool keeps(const char *name)
{
    size_t n = strlen(name);

    return str_starts(name, "gap") || str_starts(name, "input") ||
           (str_starts(name, "add") && n > 2 && name[n - 2] == '_' &&
            name[n - 1] <= '1' && strchr(name, '_') != name + n - 2);
}

/* How many channels may be constant. */
static int64_t spare(const Array *a, bool used)
{
    int64_t c = channels(a);

    return a->n == c ? c / 2 : used ? 0 : c / 4;
}

static void judge(Layer *l, bool used)
{
    const Array *a = l->run[0];
    int64_t ends, dead = constant(l);

    if (dead > spare(a, used))
        complain(a, "constant channels:", dead);
    if (a->type[1] != '1')
        return;
    count(l);
    ends = a->type[0] == 'i' ? l->seen[256 - 128] + l->seen[256 + 127]
                             : l->seen[256 + 255];
    if (ends > 2 && ends * 10000 > MOST * l->n)
        complain(a, "percent at the ends:", 100. * ends / l->n);
    if (used && !keeps(a->name) && ends * 10000 < LEAST * l->n)
        complain(a, "only this many percent at the ends:", 100. * ends / l->n);
}

static int histogram(Arena *m, int n, char **path, bool used)
{
    Array *list[RUNS];
    Array *a;
    int r, layers = 0;

    if (n < 1 || n > RUNS)
        return 2;
    for (r = 0; r < n; r++)
        list[r] = npz_read(m, path[r]);
    for (a = list[0]; a; a = a->next, layers++) {
        Layer *l = NEW(m, Layer);

        for (r = 0; r < n; r++, l->nrun++) {
            l->run[r] = list[r];
            list[r] = list[r]->next;
        }
        judge(l, used);
    }
    printf("%s: %d layers, %d complaints\n", net, layers, bad);
    return bad != 0;
}

static void swap(char *p, char *q, size_t n)
{
    for (; n--; p++, q++) {
        char t = *p;

        *p = *q;
        *q = t;
    }
}

/* As a picture: upside down. */
static void back(Array *a)
{
    size_t size = a->type[1] - '0';
    char *p = a->data, *q = p + (a->n - 1) * size;

    for (; p < q; p += size, q -= size)
        swap(p, q, size);
}

/* -1 - v, of a byte without sign 255 - v: all bits turned. */
static void invert(Array *a)
{
    unsigned char *p = a->data, *end = p + a->n * (a->type[1] - '0');

    for (; p < end; p++)
        *p = ~*p;
}

static int change(Arena *m, void f(Array *), const char *from, const char *to)
{
    Array *list = npz_read(m, from), *a;

    for (a = list; a; a = a->next)
        f(a);
    npz_write(to, list);
    return 0;
}

int main(int argc, char **argv)
{
    Arena *m = arena_new();
    int used, status;

    if (argc < 3)
        return 2;
    net = argv[1];
    used = !strcmp(argv[2], "used");
    if (argc == 4 && !strcmp(net, "back"))
        status = change(m, back, argv[2], argv[3]);
    else if (argc == 4 && !strcmp(net, "invert"))
        status = change(m, invert, argv[2], argv[3]);
    else
        status = histogram(m, argc - 2 - used, argv + 2 + used, used);
    arena_end(m);
    return status;
}
