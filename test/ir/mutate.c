/* mutate SEED ROUNDS FILE.nn...: graphs of the tests with a few numbers and
 * operators changed at random.  Each is refused with a message or else
 * checked, and run if it has no inputs; nothing may crash, abort, or leave the
 * ranges that were inferred. */
#include "ir/ir.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

/* xorshift64 (Marsaglia 2003) */
static unsigned roll(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

static const char *const numbers[] = {
    "0", "-1", "1", "2", "3", "5", "62", "255", "1048576", "4294967296",
    "9223372036854775807", "-9223372036854775808",
};

/* The n-th number behind a blank, comma, '=', '[' or '{'; NULL: fewer. */
static const char *find_number(const char *s, unsigned n, size_t *len)
{
    for (; *s; s++) {
        if (!strchr(" ,=[{", *s) ||
            !isdigit((unsigned char)s[1 + (s[1] == '-')]))
            continue;
        *len = strspn(s + 1, "-0123456789");
        if (!n--)
            return s + 1;
    }
    return NULL;
}

/* The n-th operator: a word behind " = ". */
static const char *find_op(const char *s, unsigned n, size_t *len)
{
    while ((s = strstr(s, " = "))) {
        s += 3;
        *len = strcspn(s, " \n");
        if (strncmp(s, "input", *len) && strncmp(s, "const", *len) && !n--)
            return s;
    }
    return NULL;
}

static unsigned count(const char *s,
                      const char *(*find)(const char *, unsigned, size_t *))
{
    unsigned n = 0;
    size_t len;

    while (find(s, n, &len))
        n++;
    return n;
}

static char *changed(Arena *a, const char *s)
{
    bool op = !roll(4);
    const char *(*find)(const char *, unsigned, size_t *) =
        op ? find_op : find_number;
    unsigned n = count(s, find);
    const char *at, *by;
    size_t len;

    if (!n)
        return arena_str(a, s);
    at = find(s, roll(n), &len);
    by = op ? op_info[1 + roll(NOP - 1)].name : numbers[roll(LEN(numbers))];
    return arena_fmt(a, "%.*s%s%s", (int)(at - s), s, by, at + len);
}

static jmp_buf refused;

static void refuse(const Trouble *t)
{
    (void)t;
    longjmp(refused, 1);
}

/* Was it taken? */
static bool try_one(Arena *a, const char *text)
{
    Graph *g;

    if (setjmp(refused))
        return false;
    g = graph_parse(a, "mutated", text);
    graph_check(g, "reading");
    if (!g->nin)
        graph_eval(a, g, NULL);
    return true;
}

/* The graph of a test without its answer; of several the n-th or the last. */
static char *one_graph(Arena *a, const char *path, unsigned n)
{
    size_t size;
    char *s = file_read(a, path, &size), *end = strstr(s, "# >>> want");

    if (end)
        *end = 0;
    while (n-- && (end = strstr(s, "\n---\n")))
        s = end + 5;
    end = strstr(s, "\n---\n");
    if (end)
        *end = 0;
    return s;
}

int main(int argc, char **argv)
{
    int i, rounds, taken = 0;

    if (argc < 4)
        return 2;
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
    rounds = atoi(argv[2]);
    err_hook = refuse;
    for (i = 0; i < rounds; i++) {
        Arena *a = arena_new();
        char *s = one_graph(a, argv[3 + (int)roll((unsigned)argc - 3)],
                            roll(40));

        s = changed(a, s);
        if (roll(2))
            s = changed(a, s);
        taken += try_one(a, s);
        arena_end(a);
    }
    printf("%d changed graphs from seed %s: %d taken, %d refused\n", rounds,
           argv[1], taken, rounds - taken);
    return taken < rounds / 20 || taken == rounds;
}
