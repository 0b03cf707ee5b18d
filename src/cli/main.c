/* The command line: a table of contents. */
#include "cli/cli.h"

#include <string.h>

static const struct Verb {
    const char *name, *args, *about;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"compile", "MODEL -t TARGET [-o DIR]",
     "write the C project", verb_compile},
    {"run", "MODEL -t TARGET [-i IN.npz] [-e EXPECTED.npz] [-o OUT.npz]",
     "compile, build, run, compare", verb_run},
    {"check", "MODEL [-t TARGET]",
     "every unsupported thing at once, with the nearest form that works",
     verb_check},
    {"report", "MODEL -t TARGET",
     "memory, time and energy per layer before any hardware is there",
     verb_report},
    {"pack", "IN.csv [--capacity N]",
     "static allocation alone", verb_pack},
    {"sim", "ELF -t TARGET",
     "run any program on the simulated chip", verb_sim},
    {"targets", "[NAME]",
     "the chips there are; NAME prints one whole", verb_targets},
    {"ops", "[NAME]",
     "the operators there are; NAME prints one whole", verb_ops},
};

static const char options[] =
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
    "  --html FILE           report: as one offline page\n"
    "  --kernels DIR         more kernels, chosen by their heads\n"
    "  --keep DIR            run: keep the generated project there\n"
    "  --dim NAME=SIZE       bind a dynamic dimension\n"
    "  --mem NAME=BYTES      what may be used of a memory for buffers\n"
    "                        (--l1 N, --l2 N: the same for L1, L2)\n"
    "  --cores N             use only so many of the chip's cores\n"
    "  --input-type [NAME=]TYPE   f32 s8 u8 s16 s32\n"
    "  --tolerance T         of floats, absolute or relative (default 1e-4)\n"
    "  --dump DIR            run: every layer's tensor\n"
    "  --runner 'CMD {elf}'  run: start the program with this\n"
    "  --bin                 large weights as a binary, not as C\n"
    "  --no-PASS             switch a pass off\n"
    "  -d PASS               print the graph after this pass\n"
    "  --explain             why each kernel was chosen\n"
    "exit status: 0 done, 1 model or input at fault, 2 usage, 3 does not\n"
    "fit, 4 results differ, 5 a tool, board or guest failed\n";

void help(FILE *f, const char *verb)
{
    size_t i;
    int j;

    fputs("tilewright: neural networks to C for bare microcontrollers\n\n", f);
    for (i = 0; i < LEN(verbs); i++)
        if (!verb || !strcmp(verb, verbs[i].name))
            fprintf(f, "  tilewright %s %s\n        %s\n", verbs[i].name,
                    verbs[i].args, verbs[i].about);
    fprintf(f, "\n%s", options);
    if (verb && strcmp(verb, "compile") && strcmp(verb, "run"))
        return;
    fputs("passes:\n", f);
    for (j = 0; j < npass; j++)
        fprintf(f, "  %-14s %s\n", passes[j].name, passes[j].about);
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

int main(int argc, char **argv)
{
    const struct Verb *v;

    if (argc < 2) {
        help(stderr, NULL);
        return ERR_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("tilewright " VERSION);
        return OK;
    }
    if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
        !strcmp(argv[1], "-h"))
        return show_help(argv[2]);
    v = find_verb(argv[1]);
    if (!v)
        err(ERR_USAGE, "no verb %s; `tilewright help` lists them", argv[1]);
    if (argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
        return show_help(argv[1]);
    return v->run(argc - 2, argv + 2);
}
