/* How chips are joined by their links: the topology is one of few, by name. */
#include "soc/soc.h"

#include <string.h>

static bool any(int n, int a, int b)
{
    (void)n;
    return a != b;
}

static bool ring(int n, int a, int b)
{
    return a != b && ((a + 1) % n == b || (b + 1) % n == a);
}

static bool groups(int n, int a, int b)
{
    int step;

    for (step = 1; step < n; step *= 4)
        if (!(a % step) && !(b % step) && a / (4 * step) == b / (4 * step))
            return a != b;
    return false;
}

typedef struct Join {
    const char *name;
    bool (*joined)(int n, int a, int b);
} Join;

static const Join joins[] = {{"any", any}, {"ring", ring}, {"groups", groups}};

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

static const Join *join(const Soc *s, int n)
{
    const Item *link = soc_next(s, "link", NULL);
    const char *name = item_word(link, "topology", NULL);
    size_t i;

    for (i = 0; i < LEN(joins); i++)
        if (name ? !strcmp(name, joins[i].name)
                 : peers(&joins[i], n, 0) <= lines(link))
            break;
    if (i == LEN(joins) && name)
        item_bad(link, "topology", "any, ring or groups");
    return i < LEN(joins) && peers(&joins[i], n, 0) <= lines(link) ? &joins[i]
           : NULL;
}

const char *soc_join(const Soc *s, int n)
{
    const Join *j = join(s, n);

    return j ? j->name : NULL;
}

bool soc_joined(const Soc *s, int n, int a, int b)
{
    const Join *j = join(s, n);

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
