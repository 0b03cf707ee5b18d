/* tilewright sim ELF... -t TARGET: any program on the simulated chip. */
#include "base/base.h"
#include "sim/sim.h"
#include "soc/soc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int verb_sim(int argc, char **argv);

static const char usage[] =
    "usage: tilewright sim [ELF...] -t TARGET [--chips N] [--max-cycles N]\n"
    "           [--trace FILE] [--timeline FILE] [--gdb PORT|-] [--jtag PORT]\n"
    "           [--json FILE] [--topology NAME] [--dir DIR] [--all]\n"
    "           [--strict] [-q] [-v]\n"
    "Several ELF files run on as many chips; --chips N runs one on N.  With\n"
    "--gdb or --jtag a debugger may load it.\n"
    "--dir is for the ELF files named from there on.\n"
    "FILE may be - for standard error (trace) or output (json).";

typedef struct Request {
    Arena *mem;
    SimResult *result; /* NULL: not run yet */
    const char *target, *json, *trace, *topology;
    const char *dir; /* of files of the programs that are named next */
    SimProgram program[SIM_CHIPS];
    int nelf, nchip;
    bool verbose;
    SimOptions opt;
} Request;

static uint64_t number(const char *what, const char *s)
{
    char *end;
    unsigned long long v = strtoull(s, &end, 0);

    if (!*s || *end || *s == '-')
        err(ERR_USAGE, "%s %s: wanted a number", what, s);
    return v;
}

static int at_most(const char *what, const char *s, uint64_t most)
{
    uint64_t v = number(what, s);

    if (v > most)
        err(ERR_USAGE, "%s %s: at most %llu", what, s,
            (unsigned long long)most);
    return (int)v;
}

/* The argument of option argv[*i]. */
static char *argument(int argc, char **argv, int *i)
{
    if (*i + 1 >= argc)
        err(ERR_USAGE, "%s wants an argument\n%s", argv[*i], usage);
    return argv[++*i];
}

/* A port; - is standard input and output, so the guest's goes elsewhere. */
static int gdb_port(const char *s)
{
    return strcmp(s, "-") ? at_most("--gdb", s, 65535) : -1;
}

static void take_option(Request *q, int argc, char **argv, int *i)
{
    const char *s = argv[*i];

    if (!strcmp(s, "-t"))
        q->target = argument(argc, argv, i);
    else if (!strcmp(s, "--chips"))
        q->nchip = at_most(s, argument(argc, argv, i), SIM_CHIPS);
    else if (!strcmp(s, "--max-cycles"))
        q->opt.max_cycles = number(s, argument(argc, argv, i));
    else if (!strcmp(s, "--trace"))
        q->trace = argument(argc, argv, i);
    else if (!strcmp(s, "--timeline"))
        q->opt.timeline = argument(argc, argv, i);
    else if (!strcmp(s, "--gdb"))
        q->opt.gdb_port = gdb_port(argument(argc, argv, i));
    else if (!strcmp(s, "--jtag"))
        q->opt.jtag_port = at_most(s, argument(argc, argv, i), 65535);
    else if (!strcmp(s, "--json"))
        q->json = argument(argc, argv, i);
    else if (!strcmp(s, "--topology"))
        q->topology = argument(argc, argv, i);
    else if (!strcmp(s, "--dir"))
        q->dir = argument(argc, argv, i);
    else if (!strcmp(s, "--all"))
        q->opt.all = true;
    else if (!strcmp(s, "--strict"))
        q->opt.strict = true;
    else if (!strcmp(s, "-v"))
        q->verbose = true;
    else if (!strcmp(s, "-q"))
        quiet = true;
    else
        err(ERR_USAGE, "sim: unknown option %s\n%s", s, usage);
}

static void read_arguments(Request *q, int argc, char **argv)
{
    int i;

    for (i = 0; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1])
            take_option(q, argc, argv, &i);
        else if (q->nelf < SIM_CHIPS)
            q->program[q->nelf++] = (SimProgram){.elf = argv[i],
                                                 .dir = q->dir};
        else
            err(ERR_USAGE, "sim: more than %d programs", SIM_CHIPS);
    if (q->opt.gdb_port < 0)
        q->opt.out = stderr;
    if ((!q->nelf && !q->opt.gdb_port && !q->opt.jtag_port) || !q->target)
        err(ERR_USAGE, "sim: wanted a program and -t TARGET\n%s", usage);
    if (!q->nchip)
        q->nchip = q->nelf ? q->nelf : 1;
    if (q->nchip > SIM_CHIPS || (q->nelf > 1 && q->nchip != q->nelf))
        err(ERR_USAGE, "sim: %d programs on %d chips (at most %d)", q->nelf,
            q->nchip, SIM_CHIPS);
}

/* Chips by chip: a description of its own each. */
static void read_chips(Request *q)
{
    int i;

    for (i = 0; i < q->nchip; i++) {
        Soc *soc = soc_read(q->mem, q->target);

        if (q->topology && !soc_topology(soc, q->topology))
            err(ERR_USAGE, "--topology: the description of %s says of no link "
                "how it joins chips", soc->name);
        if (i >= q->nelf)
            q->program[i] = q->program[0];
        q->program[i].soc = soc;
    }
}

static FILE *open_file(const char *path, FILE *dash)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "w") : dash;

    if (!f)
        err(ERR_TOOL, "%s: cannot be written", path);
    return f;
}

/* At exit, whatever the status; before a run there is nothing but zeros. */
static int write_json(int status, void *arg)
{
    const Request *q = arg;
    static const SimResult none = {.energy_uj = NAN};
    Str b = {.mem = q->mem};
    Json *j = json_new(&b);

    if (!q->json)
        return status;
    json_obj(j);
    json_trouble(j, status);
    json_key(j, "target");
    json_str(j, q->target);
    sim_json(q->result ? q->result : &none, j);
    json_end(j);
    str_put(&b, "\n");
    return json_save(q->json, &b, status);
}

/* A program whose links fail says so itself. */
static int exit_code(const SimResult *r)
{
    if (!r->ok || r->status == ERR_TOOL)
        return ERR_TOOL;
    return r->status ? ERR_DIFFER : OK;
}

static void tell(const Request *q, const SimResult *r)
{
    const char *elf = q->program[r->chip].elf;

    if (!r->ok) {
        trouble.file = elf ? elf : q->target;
        snprintf(trouble.message, sizeof trouble.message, "%s", r->fault);
        fprintf(stderr, "%s: %s\n", trouble.file, r->fault);
    } else if (r->status && !quiet)
        fprintf(stderr, "%s: the program ended with status %d\n",
                elf ? elf : q->target, r->status);
    if (r->note[0])
        warn("%s", r->note);
    if (q->verbose)
        sim_print(r, stderr);
}

int verb_sim(int argc, char **argv)
{
    Arena *a = arena_new();
    Request *q = NEW(a, Request); /* --json reads it at exit */

    *q = (Request){.mem = a, .opt.out = stdout,
                   .json = json_option(argc, argv)};
    end_with(write_json, q);
    read_arguments(q, argc, argv);
    file_check_output(q->json);
    file_check_output(q->opt.timeline);
    if (q->trace)
        q->opt.trace = open_file(q->trace, stderr);
    read_chips(q);
    q->result = sim_run(a, q->program, q->nchip, &q->opt);
    fflush(stdout);
    tell(q, q->result);
    if (q->opt.trace && q->opt.trace != stderr)
        fclose(q->opt.trace);
    return exit_code(q->result);
}
