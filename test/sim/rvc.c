/* Compressed instructions as an assembler made them, against the same ones
 * that it was told not to compress (rvc.py); and every half word that exists,
 * which must expand to something legal or to nothing. */
#include "sim/chip.h"

#include <string.h>

static int n, bad;

static void compare(uint32_t small, uint32_t large)
{
    char text[64];

    n++;
    if (((small & 3) == 3 ? small : expand(small & 0xffff)) == large)
        return;
    bad++;
    sim_disassemble(large, 0, text, sizeof text);
    printf("%04x expands to %08x, wanted %08x (%s)\n", small & 0xffff,
           expand(small & 0xffff), large, text);
}

/* One after the other in two files; some have no small form. */
static void compare_lists(Arena *a, const char *small, const char *large)
{
    size_t ns, nl, i = 0, j;
    char *s = file_read(a, small, &ns), *l = file_read(a, large, &nl);

    for (j = 0; j + 4 <= nl && i + 2 <= ns; j += 4) {
        uint32_t w = 0, want;

        memcpy(&w, s + i, MIN(4, ns - i));
        memcpy(&want, l + j, 4);
        compare(w, want);
        i += (w & 3) == 3 ? 4 : 2;
    }
    if (i != ns || j != nl)
        bad++;
}

static void compare_pairs(Arena *a, const char *path)
{
    size_t size, i;
    char *p = file_read(a, path, &size);

    for (i = 0; i + 8 <= size; i += 8) {
        uint32_t small, large;

        memcpy(&small, p + i, 4);
        memcpy(&large, p + i + 4, 4);
        compare(small, large);
    }
}

static void all_halves(void)
{
    uint32_t h;
    char text[64];
    Op op;

    for (h = 0; h < 65536; h++) {
        uint32_t w = (h & 3) == 3 ? 0 : expand(h);

        if ((h & 3) == 3 || !w)
            continue;
        memset(&op, 0, sizeof op);
        decode(&op, h);
        n++;
        if (op.row == Row_illegal || op.len != 1 || (w & 3) != 3 ||
            sim_disassemble(h, 0, text, sizeof text) != 2) {
            bad++;
            printf("%04x expands to %08x, which is no instruction\n", h, w);
        }
    }
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();

    if (argc > 3) {
        compare_lists(a, argv[1], argv[2]);
        compare_pairs(a, argv[3]);
    }
    all_halves();
    printf("%d compressed instructions, %d wrong\n", n, bad);
    return bad != 0;
}
