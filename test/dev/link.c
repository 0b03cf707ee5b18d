/* link CHIP: its linker script, as emulated; link CHIP KIND KEY: a key. */
#include "soc/soc.h"

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    Soc *s = soc_read(a, argv[1]);
    Str b = {.mem = a};

    if (argc == 4)
        str_put(&b, item_word(soc_next(s, argv[2], NULL), argv[3], ""));
    else
        soc_link(s, true, 0, &b);
    puts(b.s);
    arena_end(a);
    return 0;
}
