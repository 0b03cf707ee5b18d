/* tilewright shell -t TARGET --device D: commands to a device, a line each,
 * from a person or a script. */
#include "cli/cli.h"
#include "dev/agent.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 40, TIMES = 10000, LINE = 65536 };

typedef struct Done { /* a call, for --json */
    const char *function;
    Call call;
} Done;

typedef struct Shell {
    Arena *mem;
    const char *target, *where, *json;
    Agent *a;
    int ms;                /* a call may take */
    char *word[WORDS];
    int nword;
    Call *queue;           /* not made yet */
    const char **queued;
    int nqueue;
    Done *done;
    int ndone;
    bool ends;
} Shell;

static const char usage[] =
    "usage: tilewright shell -t TARGET --device WHERE [--json FILE] [-q]\n"
    "Commands come from standard input; `help` lists them.";

/* ---- what commands share ---- */

static bool fail(Shell *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(Shell *s, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(s->a->d->why, sizeof s->a->d->why, fmt, ap);
    va_end(ap);
    return false;
}

static bool lost(Shell *s)
{
    return device_lost(s->a->d);
}

static bool get_address(Shell *s, const char *word, uint32_t *at)
{
    return agent_find(s->a, word, at) ||
           fail(s, "%s: no number, buffer, function or variable", word);
}

static bool get_count(Shell *s, const char *word, int64_t most, int64_t *n)
{
    char *end;

    *n = strtoll(word, &end, 0);
    if (*end == 'K')
        *n *= 1024, end++;
    return (end > word && !*end && *n >= 1 && *n <= most) ||
           fail(s, "%s: wanted a number from 1 to %" PRId64, word, most);
}

static bool get_call(Shell *s, int first, Call *c)
{
    int i;

    *c = (Call){0};
    if (s->nword - first > ARGUMENTS + 1)
        return fail(s, "a call has %d arguments at most", ARGUMENTS);
    if (!get_address(s, s->word[first], &c->function))
        return false;
    for (i = first + 1; i < s->nword; i++)
        if (!get_address(s, s->word[i], &c->argument[i - first - 1]))
            return false;
    return true;
}

static void put_time(const Call *c)
{
    if (c->cycles >= 0)
        printf(" %" PRId64 " cycles", c->cycles);
    if (c->instructions >= 0)
        printf(" %" PRId64 " instructions", c->instructions);
    if (c->cycles < 0 && c->instructions < 0)
        printf(" time not known");
}

static void keep(Shell *s, const char *function, const Call *c)
{
    GROW(s->mem, s->done, (size_t)s->ndone);
    s->done[s->ndone++] = (Done){function, *c};
    if (quiet)
        return;
    printf("%s = %" PRId32 " (0x%" PRIx32 ")", function, (int32_t)c->result,
           c->result);
    put_time(c);
    putchar('\n');
}

/* After a call that did not end the resident program is loaded again, by another
 * session if this one is over and its server is there. */
static bool make_calls(Shell *s, Call *c, int n, int *made)
{
    Device *d = s->a->d;
    char why[sizeof d->why];
    bool lost, again;

    if (agent_call(s->a, c, n, s->ms, made))
        return true;
    memcpy(why, d->why, sizeof why);
    lost = d->g->lost;
    again = agent_restart(s->a);
    d->g->console.n = 0;
    snprintf(d->why, sizeof d->why, "%.1300s%s", why, !lost ? "" : again
        ? "; another session has begun, modules are as they were loaded"
        : "; `reset` begins another");
    return false;
}

/* ---- commands ---- */

static bool do_load(Shell *s)
{
    const char *file = s->word[1], *base = path_base(file);
    const char *name = s->nword > 2 ? s->word[2]
        : arena_fmt(s->mem, "%.*s", (int)strcspn(base, "."), base);
    Module *m;

    if (module_find(s->a, name))
        return fail(s, "%s is loaded already: free it, or give another name",
                    name);
    m = module_load(s->a, file, name);
    if (m && !quiet)
        printf("%s: code 0x%08" PRIx32 " %" PRId64 " bytes, data 0x%08" PRIx32
               " %" PRId64 " bytes\n", name, m->at[PART_text],
               m->bytes[PART_text], m->at[PART_data], m->bytes[PART_data]);
    return m != NULL;
}

static bool do_alloc(Shell *s)
{
    Module *m;
    int64_t n;

    if (!get_count(s, s->word[2], INT32_MAX, &n))
        return false;
    if (module_find(s->a, s->word[1]))
        return fail(s, "there is a %s already", s->word[1]);
    m = module_buffer(s->a, s->word[1], n);
    if (m && !quiet)
        printf("%s: 0x%08" PRIx32 " %" PRId64 " bytes\n", m->name,
               m->at[PART_data], n);
    return m != NULL;
}

static bool do_free(Shell *s)
{
    Module *m = module_find(s->a, s->word[1]);

    if (!m)
        return fail(s, "no module or buffer %s", s->word[1]);
    module_free(s->a, m);
    return true;
}

static bool do_list(Shell *s)
{
    const Module *m;

    for (m = s->a->modules; m && !quiet; m = m->next)
        printf("%-16s code 0x%08" PRIx32 " %8" PRId64 "  data 0x%08" PRIx32
               " %8" PRId64 "\n", m->name, m->at[PART_text],
               m->bytes[PART_text], m->at[PART_data], m->bytes[PART_data]);
    printf("%" PRId64 " bytes free\n", module_room(s->a));
    return true;
}

static bool do_call(Shell *s)
{
    int made;
    Call c;

    if (!get_call(s, 1, &c) || !make_calls(s, &c, 1, &made))
        return false;
    keep(s, arena_str(s->mem, s->word[1]), &c);
    return true;
}

static bool do_queue(Shell *s)
{
    Call c;

    if (!get_call(s, 1, &c))
        return false;
    GROW(s->mem, s->queue, (size_t)s->nqueue);
    GROW(s->mem, s->queued, (size_t)s->nqueue);
    s->queued[s->nqueue] = arena_str(s->mem, s->word[1]);
    s->queue[s->nqueue++] = c;
    return true;
}

static bool do_flush(Shell *s)
{
    int64_t trips = s->a->d->g->trips;
    int made, i, n = s->nqueue;
    bool ok;

    s->nqueue = 0;
    ok = make_calls(s, s->queue, n, &made);
    for (i = 0; i < made; i++)
        keep(s, s->queued[i], &s->queue[i]);
    if (!ok)
        return false;
    printf("%d calls, %" PRId64 " round trips\n", n,
           s->a->d->g->trips - trips);
    return true;
}

static int64_t time_of(const Call *c)
{
    return c->cycles >= 0 ? c->cycles : c->instructions;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = time_of(a), y = time_of(b);

    return (x > y) - (x < y);
}

static bool do_time(Shell *s)
{
    int64_t n;
    Call c, *all;
    int i, made;

    if (!get_count(s, s->word[1], TIMES, &n) || !get_call(s, 2, &c))
        return false;
    all = NEWN(s->mem, Call, n);
    for (i = 0; i < n; i++)
        all[i] = c;
    if (!make_calls(s, all, (int)n, &made))
        return false;
    qsort(all, (size_t)n, sizeof *all, by_time);
    printf("%s, %" PRId64 " times: least", s->word[2], n);
    put_time(&all[0]);
    printf(", median");
    put_time(&all[n / 2]);
    putchar('\n');
    return true;
}

static bool write_file(Shell *s, uint32_t at, const char *path)
{
    size_t n;
    char *p;

    if (!file_exists(path))
        return fail(s, "%s: no such file", path);
    p = file_read(s->mem, path, &n);
    return gdb_load(s->a->d->g, at, p, n) || lost(s);
}

/* write WHERE HEX..., or write WHERE @FILE */
static bool do_write(Shell *s)
{
    unsigned char *b = arena_get(s->mem, LINE, 1);
    uint32_t at;
    size_t n = 0, k;
    int i;

    if (!get_address(s, s->word[1], &at))
        return false;
    if (s->word[2][0] == '@')
        return write_file(s, at, s->word[2] + 1);
    for (i = 2; i < s->nword; i++) {
        k = strlen(s->word[i]);
        if (k % 2 || gdb_from_hex(s->word[i], b + n, k / 2) != k / 2)
            return fail(s, "%s: wanted bytes as hex digits, or @FILE",
                        s->word[i]);
        n += k / 2;
    }
    return gdb_load(s->a->d->g, at, b, n) || lost(s);
}

static void put_hex(const unsigned char *b, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        printf("%02x%s", b[i], i + 1 == n ? "\n" : i % 32 == 31 ? "\n" :
               i % 4 == 3 ? " " : "");
}

/* read WHERE BYTES [FILE] */
static bool do_read(Shell *s)
{
    unsigned char *b;
    uint32_t at;
    int64_t n;
    int bad;

    if (!get_address(s, s->word[1], &at) ||
        !get_count(s, s->word[2], 1 << 28, &n))
        return false;
    b = arena_get(s->mem, (size_t)n, 1);
    if (!gdb_read(s->a->d->g, at, b, (size_t)n))
        return lost(s);
    if (s->nword == 3) {
        put_hex(b, (size_t)n);
        return true;
    }
    bad = file_put(s->word[3], b, (size_t)n);
    return !bad || fail(s, "%s: %s", s->word[3], strerror(bad));
}

static bool do_reg(Shell *s)
{
    uint64_t v;

    if (!gdb_reg_get(s->a->d->g, s->word[1], &v))
        return lost(s);
    printf("%s = 0x%" PRIx64 "\n", s->word[1], v);
    return true;
}

static bool do_monitor(Shell *s)
{
    Str b = {.mem = s->mem};
    int i;

    for (i = 1; i < s->nword; i++)
        str_fmt(&b, "%s%s", i > 1 ? " " : "", s->word[i]);
    if (!gdb_monitor(s->a->d->g, b.s))
        return lost(s);
    fputs(s->a->d->g->console.s, stdout);
    return true;
}

static bool do_reset(Shell *s)
{
    return agent_restart(s->a);
}

static bool do_timeout(Shell *s)
{
    int64_t n;

    if (!get_count(s, s->word[1], 1000000, &n))
        return false;
    s->ms = (int)n;
    return true;
}

static bool do_quit(Shell *s)
{
    s->ends = true;
    return true;
}

static bool do_help(Shell *s);
static bool do_try(Shell *s);

static const struct Command {
    const char *name, *args;
    int least, most; /* words behind it */
    bool (*run)(Shell *s);
    const char *about;
} commands[] = {
    {"load", "FILE.c|.o [NAME]", 1, 2, do_load,
     "a module, compiled and linked for free memory"},
    {"alloc", "NAME BYTES", 2, 2, do_alloc, "a buffer"},
    {"free", "NAME", 1, 1, do_free, "a module or buffer"},
    {"list", "", 0, 0, do_list, "modules and buffers"},
    {"call", "FUNCTION [ARGUMENT...]", 1, 8, do_call,
     "numbers, names, NAME+n; result and time"},
    {"queue", "FUNCTION [ARGUMENT...]", 1, 8, do_queue,
     "a call that flush makes"},
    {"flush", "", 0, 0, do_flush, "all queued calls, together"},
    {"time", "N FUNCTION [ARGUMENT...]", 2, 9, do_time,
     "least and median of N calls"},
    {"write", "WHERE HEX...|@FILE", 2, WORDS, do_write, "bytes, read again"},
    {"read", "WHERE BYTES [FILE]", 2, 3, do_read, "bytes, as hex or a file"},
    {"reg", "NAME", 1, 1, do_reg, "a register"},
    {"monitor", "COMMAND...", 1, WORDS, do_monitor, "to the server itself"},
    {"reset", "", 0, 0, do_reset, "load the resident program again; connect again"},
    {"timeout", "MILLISECONDS", 1, 1, do_timeout,
     "that calls may take (default 60000)"},
    {"try", "COMMAND...", 1, WORDS, do_try,
     "go on if that fails, after a fault or a hang too"},
    {"help", "", 0, 0, do_help, "these lines"},
    {"quit", "", 0, 0, do_quit, "as the end of the input does"},
};

static bool do_help(Shell *s)
{
    size_t i;

    (void)s;
    for (i = 0; i < LEN(commands); i++)
        printf("%-8s %-24s %s\n", commands[i].name, commands[i].args,
               commands[i].about);
    return true;
}

/* ---- lines ---- */

/* Words with blanks between them; what follows # is a comment. */
static void split(Shell *s, char *line)
{
    char *word;

    s->nword = 0;
    line[strcspn(line, "#\n")] = 0;
    for (word = strtok(line, " \t\r"); word && s->nword < WORDS;
         word = strtok(NULL, " \t\r"))
        s->word[s->nword++] = word;
}

static bool obey(Shell *s);

/* try COMMAND...: what goes wrong is said, and is no mistake. */
static bool do_try(Shell *s)
{
    memmove(s->word, s->word + 1, (size_t)--s->nword * sizeof *s->word);
    if (!obey(s))
        printf("failed: %s\n", s->a->d->why);
    return true;
}

static bool obey(Shell *s)
{
    size_t i;

    for (i = 0; i < LEN(commands); i++) {
        const struct Command *c = &commands[i];

        if (strcmp(c->name, s->word[0]))
            continue;
        if (s->nword - 1 < c->least || s->nword - 1 > c->most)
            return fail(s, "%s: wanted %s %s", c->name, c->name, c->args);
        return c->run(s);
    }
    return fail(s, "%s: no such command; `help` lists them", s->word[0]);
}

/* A script ends at its first mistake; a person may go on. */
static void read_lines(Shell *s)
{
    static char line[LINE];
    bool person = isatty(0);

    while (!s->ends) {
        if (person)
            fputs("> ", stdout);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            break;
        split(s, line);
        if (!s->nword || obey(s))
            continue;
        if (!person)
            err(ERR_TOOL, "%s", s->a->d->why);
        say(NULL, s->a->d->why);
    }
}

/* ---- the verb ---- */

static int write_json(int status, void *arg)
{
    const Shell *s = arg;
    Str b = {.mem = s->mem};
    Json *j = json_new(&b);
    int i;

    if (!s->json)
        return status;
    json_obj(j);
    json_trouble(j, status);
    json_key(j, "calls");
    json_arr(j);
    for (i = 0; i < s->ndone; i++) {
        const Call *c = &s->done[i].call;

        json_obj(j);
        json_key(j, "function");
        json_str(j, s->done[i].function);
        json_key(j, "result");
        json_int(j, (int32_t)c->result);
        json_key(j, "cycles");
        json_num(j, c->cycles < 0 ? NAN : (double)c->cycles);
        json_key(j, "instructions");
        json_num(j, c->instructions < 0 ? NAN : (double)c->instructions);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    str_put(&b, "\n");
    return json_save(s->json, &b, status);
}

static void read_options(Shell *s, int argc, char **argv)
{
    int i;

    for (i = 0; i < argc; i++) {
        const char **to = !strcmp(argv[i], "-t") ? &s->target
                        : !strcmp(argv[i], "--device") ? &s->where
                        : !strcmp(argv[i], "--json") ? &s->json : NULL;

        if (!strcmp(argv[i], "-q"))
            quiet = true;
        else if (!to)
            err(ERR_USAGE, "shell: unknown option %s\n%s", argv[i], usage);
        else if (i + 1 == argc)
            err(ERR_USAGE, "shell: %s wants a value\n%s", argv[i], usage);
        else
            *to = argv[++i];
    }
    if (!s->target || !s->where)
        err(ERR_USAGE, "shell: wanted -t TARGET and --device WHERE\n%s", usage);
}

int verb_shell(int argc, char **argv)
{
    Arena *a = arena_new();
    Shell *s = NEW(a, Shell); /* --json reads it at exit */
    const char *why = "";

    *s = (Shell){.mem = a, .json = json_option(argc, argv), .ms = 60000};
    end_with(write_json, s);
    read_options(s, argc, argv);
    file_check_output(s->json);
    s->a = agent_open(a, soc_read(a, s->target), s->where, &why);
    if (!s->a)
        err(ERR_TOOL, "%s", why);
    read_lines(s);
    agent_close(s->a);
    return OK;
}
