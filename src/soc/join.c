/* How chips are joined by their links: the topology is one of few, by name, and
 * what its wires are: "ring", "ring,half". */
#include "soc/soc.h"

#include <string.h>

enum { NOWHERE = 255 };

static bool any(int n, int a, int b)
{
    (void)n;
    return a != b;
}

static bool ring(int n, int a, int b)
{
    return a != b && ((a + 1) % n == b || (b + 1) % n == a);
}

/* Groups of `g`, whose first chips are in groups of `g`, and so on. */
static bool tree(int n, int a, int b, int g)
{
    int step;

    for (step = 1; step < n; step *= g)
        if (!(a % step) && !(b % step) && a / (g * step) == b / (g * step))
            return a != b;
    return false;
}

static bool groups(int n, int a, int b)
{
    return tree(n, a, b, 4);
}

static bool pairs(int n, int a, int b)
{
    return tree(n, a, b, 2);
}

/* Rows of as many chips as there are rows, or more. */
static bool mesh(int n, int a, int b)
{
    int cols = n, rows;

    for (rows = 1; rows * rows <= n; rows++)
        if (n % rows == 0)
            cols = n / rows;
    return a / cols == b / cols ? a - b == 1 || b - a == 1
           : a - b == cols || b - a == cols;
}

/* Of chips that hand on what goes to others (model=link). */
typedef struct Join {
    const char *name;
    bool (*joined)(int n, int a, int b);
    int group; /* 0: none */
    bool hands_on; /* only of such */
} Join;

static const Join joins[] = {
    {"any", any, 0, false}, {"ring", ring, 0, false},
    {"groups", groups, 4, false}, {"pairs", pairs, 2, true},
    {"mesh", mesh, 0, true},
};

static int peers(const Join *j, int n, int chip)
{
    int i, k = 0;

    for (i = 0; i < n; i++)
        k += j->joined(n, chip, i);
    return k;
}

/* Chip 0 has as many peers as any.  INT32_MAX: whatever it wants. */
static int lines(const Item *link)
{
    const char *w = item_word(link, "lines", NULL), *p;
    int n = 1;

    for (p = w; p && *p; p++)
        n += *p == ',';
    return w ? n : INT32_MAX;
}

static bool hands_on(const Item *link)
{
    return item_word(link, "model", NULL) != NULL;
}

static bool is_named(const char *topology, const char *name)
{
    size_t n = strlen(name);

    return !strncmp(topology, name, n) && (!topology[n] || topology[n] == ',');
}

static _Noreturn void bad_topology(const Item *link)
{
    item_bad(link, "topology", hands_on(link)
             ? "any, ring, groups, pairs or mesh; then ,half or ,shared"
             : "any, ring or groups");
}

Wires soc_wires(const Soc *s)
{
    static const char *const kind[] = {"both", "half", "shared"};
    const Item *link = soc_next(s, "link", NULL);
    const char *name = item_word(link, "topology", "any");
    const char *wires = strchr(name, ',');
    int i;

    for (i = 0; wires && hands_on(link) && i < (int)LEN(kind); i++)
        if (!strcmp(wires + 1, kind[i]))
            return (Wires)i;
    if (wires)
        bad_topology(link);
    return WIRES_both;
}

static const Join *join(const Soc *s, int n)
{
    const Item *link = soc_next(s, "link", NULL);
    const char *name = item_word(link, "topology", NULL);
    size_t i;

    for (i = 0; i < LEN(joins); i++)
        if (joins[i].hands_on && !hands_on(link))
            continue;
        else if (name ? is_named(name, joins[i].name)
                 : peers(&joins[i], n, 0) <= lines(link))
            break;
    if (i == LEN(joins) && name)
        bad_topology(link);
    return i < LEN(joins) && peers(&joins[i], n, 0) <= lines(link) ? &joins[i]
           : NULL;
}

const char *soc_join(const Soc *s, int n)
{
    const Join *j = join(s, n);

    return j ? j->name : NULL;
}

/* Where a chip is: those of a group are as far apart in number as can be, since
 * such exchange most (src/shard/way.c). */
static int place(const Join *j, int n, int chip)
{
    int step, r, weight = 1, y = 0;

    for (step = n; step > 1; weight *= r) {
        r = step % j->group ? step : j->group;
        step /= r;
        y += chip / step % r * weight;
    }
    return y;
}

bool soc_joined(const Soc *s, int n, int a, int b)
{
    const Join *j = join(s, n);

    if (j && j->group && hands_on(soc_next(s, "link", NULL)))
        return j->joined(n, place(j, n, a), place(j, n, b));
    return j && j->joined(n, a, b);
}

/* Lines lead to the peers in the order of their numbers. */
int soc_line(const Soc *s, int n, int chip, int peer)
{
    int i, k = 0;

    for (i = 0; i < peer; i++)
        k += soc_joined(s, n, chip, i);
    return soc_joined(s, n, chip, peer) ? k : -1;
}

/* Outwards from `to`; of two ways as short that by higher numbers. */
static void routes_to(const Soc *s, int n, int to, int *queue, uint8_t *next)
{
    int begin = 0, end = 1, i;

    queue[0] = to;
    next[to * n + to] = (uint8_t)to;
    while (begin < end) {
        int at = queue[begin++];

        for (i = n - 1; i > 0; i--) {
            int c = (at + i) % n;

            if (next[c * n + to] == NOWHERE && soc_joined(s, n, c, at)) {
                next[c * n + to] = (uint8_t)at;
                queue[end++] = c;
            }
        }
    }
}

uint8_t *soc_routes(Arena *mem, const Soc *s, int n)
{
    uint8_t *next = NEWN(mem, uint8_t, n * n);
    int *queue = NEWN(mem, int, n), i;

    memset(next, NOWHERE, (size_t)(n * n));
    for (i = 0; i < n; i++)
        routes_to(s, n, i, queue, next);
    return next;
}
