/* The command line: a table of contents. */
#include "cli/cli.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/resource.h>

static const char pack_options[] =
    "options:\n"
    "  --capacity N          stop at the first packing of at most N bytes\n"
    "  --json FILE           results as JSON, whatever the exit status\n"
    "  -q                    no summary\n";

static const char sim_options[] =
    "options:\n"
    "  -t TARGET             a simulated chip, or mine.soc\n"
    "  --chips N             one program on so many chips, joined by links\n"
    "  --topology NAME       as if chips were joined so\n"
    "  --dir DIR             files of the programs named from here on\n"
    "  --all                 end with the last program, not with chip 0's\n"
    "  --max-cycles N        give up after so many cycles\n"
    "  --trace FILE          every instruction, disassembled; -: to stderr\n"
    "  --timeline OUT.json   for Perfetto or Chrome\n"
    "  --gdb PORT            wait there for gdb-multiarch; -: it is on standard\n"
    "                        input and output; it may bring the ELF, too\n"
    "  --jtag PORT           wait there for OpenOCD's remote_bitbang\n"
    "  --strict              cores in lockstep, slower\n"
    "  -q, -v                say less; where each core's cycles went\n"
    "  --json FILE           results as JSON, whatever the exit status\n";

static const char shell_options[] =
    "options:\n"
    "  -t TARGET             the chip, or mine.soc\n"
    "  --device WHERE        gdb:HOST:PORT, unix:PATH, pipe:COMMAND, or a server\n"
    "                        of the chip\n"
    "  --json FILE           calls, their results and times, as JSON\n"
    "  -q                    print only what is asked for\n";

static const char list_options[] =
    "options:\n"
    "  --json FILE           the same as JSON; -: in place of the text\n"
    "  -q                    no text\n";

static const char status[] =
    "exit status: 0 done, 1 model or input at fault, 2 usage, 3 does not\n"
    "fit, 4 results differ, 5 a tool, board or guest failed\n";

static const struct Verb {
    const char *name, *args, *about;
    int (*run)(int argc, char **argv);
    const char *options; /* NULL: those of verbs that read a model */
} verbs[] = {
    {"compile", "MODEL -t TARGET [-o DIR]",
     "write the C project", verb_compile,
     NULL},
    {"run", "MODEL -t TARGET [-i IN.npz] [-e EXPECTED.npz] [-o OUT.npz]",
     "compile, build, run, compare", verb_run,
     NULL},
    {"shard", "MODEL -t TARGET --chips N -o DIR",
     "one network for N chips: a C project each, bit-equal to one chip",
     verb_shard,
     NULL},
    {"validate", "MODEL -t TARGET --device WHERE [-i IN.npz] [-e EXPECTED.npz]",
     "every layer's bits and time on a device; the first that differs, and why",
     verb_validate,
     NULL},
    {"tune", "MODEL -t TARGET [--ledger FILE] [--device WHERE] [--samples N]",
     "measure the kernels that come into question, for --ledger", verb_tune,
     NULL},
    {"generate", "MODEL -t TARGET --tokenizer FILE [--prompt TEXT]",
     "let a language model write", verb_generate,
     NULL},
    {"quantize", "MODEL --data EXAMPLES -o OUT.il",
     "make a float network one of integers", verb_quantize,
     NULL},
    {"check", "MODEL [-t TARGET]",
     "every unsupported thing at once, with the nearest form that works",
     verb_check,
     NULL},
    {"report", "MODEL -t TARGET",
     "memory, time and energy per layer before any hardware is there",
     verb_report,
     NULL},
    {"pack", "IN.csv [--capacity N]",
     "static allocation alone", verb_pack,
     pack_options},
    {"sim", "ELF... -t TARGET",
     "run any program on the simulated chip", verb_sim,
     sim_options},
    {"shell", "-t TARGET --device WHERE",
     "load, call, read, write, time: commands, a line each", verb_shell,
     shell_options},
    {"devices", "[TARGET]",
     "what there is to run on: emulators, servers, probes", verb_devices,
     list_options},
    {"targets", "[NAME]",
     "the chips there are; NAME prints one whole", verb_targets,
     list_options},
    {"ops", "[NAME]",
     "the operators there are; NAME prints one whole", verb_ops,
     list_options},
};

static void print_passes(FILE *f)
{
    int i;

    fputs("passes:\n", f);
    for (i = 0; i < npass; i++)
        fprintf(f, "  %-14s %s\n", passes[i].name, passes[i].about);
}

static void print_options(FILE *f, const char *own)
{
    if (own) {
        fputs(own, f);
        return;
    }
    fputs("MODEL: ONNX, TensorFlow Lite, llama2.c or text form; "
          "-: standard input\noptions:\n", f);
    opts_help(f);
}

/* Of one verb; NULL: the list of verbs, and what most of them have. */
static void help(FILE *f, const char *verb)
{
    const char *own = NULL;
    size_t i;

    fputs("tilewright: neural networks to C for bare microcontrollers\n\n", f);
    for (i = 0; i < LEN(verbs); i++) {
        if (verb && strcmp(verb, verbs[i].name))
            continue;
        fprintf(f, "  tilewright %s %s\n        %s\n", verbs[i].name,
                verbs[i].args, verbs[i].about);
        if (verb)
            own = verbs[i].options;
    }
    fputs("\n", f);
    print_options(f, own);
    fputs(status, f);
    if (!own)
        print_passes(f);
}

static const struct Verb *find_verb(const char *name)
{
    size_t i;

    for (i = 0; i < LEN(verbs); i++)
        if (!strcmp(verbs[i].name, name))
            return &verbs[i];
    return NULL;
}

static int show_help(const char *verb)
{
    if (verb && !find_verb(verb))
        err(ERR_USAGE, "no verb %s; `tilewright help` lists them", verb);
    help(stdout, verb);
    return OK;
}

/* Nothing that was said is lost unnoticed. */
static int heard(int done)
{
    if (fflush(stdout) || ferror(stdout))
        err(ERR_TOOL, "cannot write to standard output: %s", strerror(errno));
    return end_status(done);
}

/* The planner goes as deep as there are layers, a kilobyte each. */
static void deepen_stack(void)
{
    const rlim_t want = 100 << 20;
    struct rlimit r;

    if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur >= want)
        return;
    r.rlim_cur = MIN(want, r.rlim_max);
    setrlimit(RLIMIT_STACK, &r);
}

int main(int argc, char **argv)
{
    const struct Verb *v;

    deepen_stack();
    mallopt(M_TRIM_THRESHOLD, 1 << 30); /* arenas come and go */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    if (argc < 2) {
        help(stderr, NULL);
        return ERR_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("tilewright " VERSION);
        return heard(OK);
    }
    if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
        !strcmp(argv[1], "-h"))
        return heard(show_help(argv[2]));
    v = find_verb(argv[1]);
    if (!v)
        err(ERR_USAGE, "no verb %s; `tilewright help` lists them", argv[1]);
    if (argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
        return heard(show_help(argv[1]));
    return heard(v->run(argc - 2, argv + 2));
}
