/* Cycles of kernels on cores that issue otherwise than heads say.
 *
 * Heads of kernels for Cortex-M count instructions, and floats as if a unit
 * computed them.  kern/pace.tsv has what these take on an M4 and an M7, as
 * bench/pace estimated them, and floats on cores without such a unit (`soft`),
 * as it measured them: rows of kernel, pipeline and percent; the kernel `*`
 * stands for those without a row. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

static const char *row_of(Arena *a, const char *kernel, const char *pipeline)
{
    const Packed *p = packed_find("kern/pace.tsv");
    const char *key = arena_fmt(a, "\n%s\t%s\t", kernel, pipeline);
    const char *at = p ? strstr(p->data, key) : NULL;

    return at ? at + strlen(key) : NULL;
}

/* RISC-V without F, and nothing said of its pipeline. */
static bool is_soft(const char *isa)
{
    return (isa_has(isa, "rv32", 4) && !isa_has(isa, "f", 1)) ||
           isa_has(isa, "rv32imc", 7);
}

/* Does a kernel compute floats for which the chip has no unit? */
static bool without_unit(Arena *a, const Soc *soc, const char *kernel)
{
    return is_soft(soc->isa) &&
           (strstr(kernel, "_f32_") || row_of(a, kernel, "soft"));
}

int kernel_pace(Arena *a, const Soc *soc, const char *kernel)
{
    const bool soft = without_unit(a, soc, kernel);
    const char *pipeline = item_word(soc_compute(soc), "pipeline",
                                     soft ? "soft" : NULL);
    const char *row = NULL;

    if (pipeline)
        row = row_of(a, kernel, pipeline);
    if (pipeline && !row)
        row = row_of(a, "*", pipeline);
    return row ? atoi(row) : 100;
}

int kernel_weight(Arena *a, const Soc *soc, const char *kernel)
{
    const char *row =
        without_unit(a, soc, kernel) ? row_of(a, "*", "soft") : NULL;

    return row ? atoi(row) : 100;
}
