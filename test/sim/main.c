/* The simulator alone, for its tests: the verb, and linker scripts. */
#include "base/base.h"
#include "soc/soc.h"

#include <string.h>

int verb_sim(int argc, char **argv);

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--link")) {
        Arena *a = arena_new();
        Soc *s = soc_read(a, argv[2]);
        Str b = {.mem = a};

        soc_link(s, false, 0, &b);
        fputs(b.s, stdout);
        arena_end(a);
        return 0;
    }
    return end_status(verb_sim(argc - 1, argv + 1));
}
