/* The command line: a table of contents. */
#include "cli/cli.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

/* Of the verbs that read a model. */
static const char model_options[] =
    "MODEL: an ONNX file; -: standard input\n"
    "options:\n"
    "  -t TARGET             a name of `tilewright targets`, or mine.soc\n"
    "  -o PATH               compile: the project's folder (default\n"
    "                        NAME_TARGET); run: an npz for the outputs\n"
    "  -i IN.npz             inputs, by position\n"
    "  -e EXPECTED.npz       outputs to compare with, by position\n"
    "  -n NAME               C prefix (default: from the model's file name)\n"
    "  -f                    overwrite\n"
    "  -q, -v                say less, say more\n"
    "  --json FILE           results as JSON, whatever the exit status\n"
    "  --html FILE           compile, report, run: as one offline page\n"
    "  --kernels DIR         more kernels, chosen by their heads\n"
    "  --keep DIR            run: keep the generated project there\n"
    "  --dim NAME=SIZE       bind a dynamic dimension\n"
    "  --mem NAME=BYTES      what may be used of a memory for buffers\n"
    "                        (--l1 N, --l2 N: the same for L1, L2)\n"
    "  --cores N             use only so many of the chip's cores\n"
    "  --objective WHAT      plans have least time (default), memory or\n"
    "                        energy\n"
    "  --budget SECONDS      look for better plans as long, of chips with\n"
    "                        DMA\n"
    "  --input-type [NAME=]TYPE   f32 s8 u8 s16 s32\n"
    "  --tolerance T         of floats, absolute or relative (default 1e-4)\n"
    "  --dump DIR            run: every layer's tensor\n"
    "  --runner 'CMD {elf}'  run: start the program with this\n"
    "  --runtime pmsis       compile: for the GAP SDK and pulp-sdk\n"
    "  --emulate             run: here, cores and transfers emulated\n"
    "  --bin                 large weights as a binary, not as C\n"
    "  --no-PASS             switch a pass off\n"
    "  -d PASS               print the graph after this pass, front or\n"
    "                        quant\n"
    "  --explain             why each kernel and tile was chosen\n";

static const char pack_options[] =
    "options:\n"
    "  --capacity N          stop at the first packing of at most N bytes\n"
    "  --json FILE           results as JSON, whatever the exit status\n"
    "  -q                    no summary\n";

static const char sim_options[] =
    "options:\n"
    "  -t TARGET             a simulated chip, or mine.soc\n"
    "  --chips N             one program on so many chips, joined by links\n"
    "  --max-cycles N        give up after so many cycles\n"
    "  --trace FILE          every instruction, disassembled; -: to stderr\n"
    "  --timeline OUT.json   for Perfetto or Chrome\n"
    "  --gdb PORT            wait there for gdb-multiarch\n"
    "  --strict              cores in lockstep, slower\n"
    "  -q, -v                say less; where each core's cycles went\n"
    "  --json FILE           results as JSON, whatever the exit status\n";

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
    const char *options;
} verbs[] = {
    {"compile", "MODEL -t TARGET [-o DIR]",
     "write the C project", verb_compile,
     model_options},
    {"run", "MODEL -t TARGET [-i IN.npz] [-e EXPECTED.npz] [-o OUT.npz]",
     "compile, build, run, compare", verb_run,
     model_options},
    {"check", "MODEL [-t TARGET]",
     "every unsupported thing at once, with the nearest form that works",
     verb_check,
     model_options},
    {"report", "MODEL -t TARGET",
     "memory, time and energy per layer before any hardware is there",
     verb_report,
     model_options},
    {"pack", "IN.csv [--capacity N]",
     "static allocation alone", verb_pack,
     pack_options},
    {"sim", "ELF... -t TARGET",
     "run any program on the simulated chip", verb_sim,
     sim_options},
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

/* Of one verb; NULL: the list of verbs, and what most of them have. */
static void help(FILE *f, const char *verb)
{
    const char *shown = verb ? NULL : model_options;
    size_t i;

    fputs("tilewright: neural networks to C for bare microcontrollers\n\n", f);
    for (i = 0; i < LEN(verbs); i++) {
        if (verb && strcmp(verb, verbs[i].name))
            continue;
        fprintf(f, "  tilewright %s %s\n        %s\n", verbs[i].name,
                verbs[i].args, verbs[i].about);
        if (verb)
            shown = verbs[i].options;
    }
    fprintf(f, "\n%s%s", shown ? shown : "", status);
    if (shown == model_options)
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

int main(int argc, char **argv)
{
    const struct Verb *v;

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
