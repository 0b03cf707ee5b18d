/* targets: the chips there are. */
#include "cli/cli.h"

int verb_targets(int argc, char **argv)
{
    Arena *a = arena_new();
    Str out = {.mem = a};
    const char **name;

    if (argc > 1)
        err(ERR_USAGE, "targets: wants at most one name");
    if (argc) {
        soc_print(soc_read(a, argv[0]), &out);
    } else {
        for (name = soc_names(a); *name; name++)
            str_fmt(&out, "%-14s %s\n", *name, soc_read(a, *name)->about);
    }
    fputs(out.s, stdout);
    arena_end(a);
    return OK;
}
