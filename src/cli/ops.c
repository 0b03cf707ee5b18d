/* ops: the operators there are, as a table made from the reader's own. */
#include "cli/cli.h"

int verb_ops(int argc, char **argv)
{
    Arena *a = arena_new();
    Str out = {.mem = a};

    if (argc > 1)
        err(ERR_USAGE, "ops: wants at most one name");
    front_ops(&out, argc ? argv[0] : NULL);
    fputs(out.s, stdout);
    arena_end(a);
    return OK;
}
