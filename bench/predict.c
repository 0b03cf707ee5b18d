/* What a kernel's head predicts: predict KERNEL FIELD=VALUE... prints cycles of
 * all 8 cores together, for the dims given. */
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

static void set(const DimsInfo *info, Dims *d, const char *text)
{
    size_t n = strcspn(text, "=");
    int i;

    for (i = 0; i < info->nfield; i++)
        if (strlen(info->field[i].name) == n &&
            !strncmp(info->field[i].name, text, n)) {
            *(int32_t *)(void *)((char *)d + info->field[i].offset) =
                atoi(text + n + 1);
            return;
        }
    err(ERR_USAGE, "no field for '%s'", text);
}

int main(int argc, char **argv)
{
    Arena *mem = arena_new();
    int nkern, i, j;
    Kern **kern = kern_load(mem, NULL, &nkern);
    Node n = {0};
    Dims d = {0};

    for (i = 0; argc > 1 && i < nkern; i++)
        if (!strcmp(kern[i]->name, argv[1])) {
            n.op = kern[i]->op[0];
            kern[i]->ncore = 8;
            for (j = 2; j < argc; j++)
                set(dims_of(n.op), &d, argv[j]);
            printf("%lld\n", (long long)kern_expr(kern[i], kern[i]->cycles,
                                                  &n, &d));
            arena_end(mem);
            return 0;
        }
    err(ERR_USAGE, "predict KERNEL FIELD=VALUE...: no such kernel");
}
