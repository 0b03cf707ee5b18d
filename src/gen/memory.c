/* Storage for one network in the programs we write: an array for each memory,
 * in a section that our linker scripts know. */
#include "gen/gen.h"

/* Constants are in no region; what only a DMA reaches has no pointer. */
int gen_base(const Gen *g, int mem)
{
    int i, n = 1;

    for (i = 0; i < mem; i++)
        n += plan_uses(g->p, i);
    if (n > 3)
        err(ERR_MODEL, "buffers in more than three memories: a team's program "
            "has numbers for no more");
    return n;
}

void gen_storage(Gen *g, Str *out)
{
    int i;

    str_put(out, "#ifdef __ELF__\n"
        "#define IN(memory, n) \\\n    __attribute__((section(\".bss.buf.\""
        " memory), aligned(n)))\n#else\n"
        "#define IN(memory, n) __attribute__((aligned(n)))\n#endif\n\n");
    for (i = 0; i < g->p->soc->nmem; i++) {
        const char *m = gen_mem(g, i), *caps = gen_caps(g->mem, m);

        if (plan_uses(g->p, i))
            str_fmt(out, "static unsigned char %s[%s_%s_BYTES]\n"
                    "    IN(\"%s\", %s_%s_ALIGN);\n", m, g->caps, caps,
                    g->p->soc->mems[i].name, g->caps, caps);
    }
}

void gen_fill_memory(Gen *g, Str *out)
{
    int i, n = 0;

    for (i = 0; i < g->p->soc->nmem; i++)
        if (plan_uses(g->p, i)) {
            str_fmt(out, "    memory.%s = %s;\n", gen_mem(g, i),
                    gen_mem(g, i));
            n++;
        }
    if (!n)
        str_put(out, "    memory.unused = 0;\n");
}
