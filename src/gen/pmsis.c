/* A project for the GAP SDK or pulp-sdk: the same network, a runtime over
 * their PMSIS interface, a main() that runs the self-test on the cluster, and
 * a Makefile of theirs. */
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

bool gen_pmsis(const Gen *g)
{
    return g->o->runtime && !strcmp(g->o->runtime, "pmsis");
}

static void put_storage(Gen *g, Str *out)
{
    int i;

    for (i = 0; i < g->p->soc->nmem; i++) {
        const char *m = gen_mem(g, i), *caps = gen_caps(g->mem, m);

        if (plan_uses(g->p, i))
            str_fmt(out, "static %sunsigned char %s[%s_%s_BYTES]\n"
                    "    __attribute__((aligned(%s_%s_ALIGN)));\n",
                    soc_hop(g->p->soc, 0)->near == i ? "PI_L1 " : "", m,
                    g->caps, caps, g->caps, caps);
    }
    str_fmt(out, "static PI_L1 struct %s net;\nstatic int bad;\n\n", g->name);
}

static void put_cluster(Gen *g, bool test, Str *out)
{
    const char *n = g->name;

    str_fmt(out, "/* On core 0 of the cluster. */\n"
        "static void cluster(void *arg)\n{\n    struct %s_memory memory;\n\n"
        "    (void)arg;\n", n);
    gen_fill_memory(g, out);
    str_fmt(out, "    bad = %s_init(&net, memory);\n    if (!bad)\n", n);
    str_fmt(out, test ? "        bad = %s_selftest(&net);\n}\n\n"
                      : "        %s_run(&net);\n}\n\n", n);
}

/* Constants to external memory, by way of the L2. */
static void put_load(Gen *g, Str *out)
{
    const char *room = gen_mem(g, soc_hop(g->p->soc, 1)->near);

    str_fmt(out,
        "static int load(void)\n{\n"
        "    struct pi_hostfs_conf fs_conf;\n"
        "    struct pi_device fs;\n    pi_fs_file_t *file;\n"
        "    uint32_t at, n;\n\n"
        "    pi_hostfs_conf_init(&fs_conf);\n"
        "    pi_open_from_conf(&fs, &fs_conf);\n"
        "    if (pi_fs_mount(&fs))\n        return -1;\n"
        "    file = pi_fs_open(&fs, \"%s_l3.bin\", PI_FS_FLAGS_READ);\n"
        "    if (!file)\n        return -1;\n"
        "    for (at = 0; at < %s_L3_BYTES; at += n) {\n"
        "        n = %s_L3_BYTES - at;\n"
        "        if (n > sizeof %s)\n            n = sizeof %s;\n"
        "        if (pi_fs_read(file, %s, n) != (int32_t)n)\n"
        "            return -1;\n"
        "        pi_ram_write(&ram, pmsis_ram_base + at, %s, n);\n    }\n"
        "    pi_fs_close(file);\n    return 0;\n}\n\n",
        g->name, g->caps, g->caps, room, room, room, room);
}

static void put_far(Gen *g, Str *out)
{
    str_fmt(out,
        "static struct pi_device ram;\n\n"
        "static int open_ram(void)\n{\n"
        "    struct pi_default_ram_conf conf;\n\n"
        "    pi_default_ram_conf_init(&conf);\n"
        "    pi_open_from_conf(&ram, &conf);\n"
        "    pmsis_ram = &ram;\n"
        "    return pi_ram_open(&ram) ||\n"
        "           pi_ram_alloc(&ram, &pmsis_ram_base, %" PRId64 ");\n}\n\n",
        gen_far_bytes(g));
    if (gen_image_bytes(g))
        put_load(g, out);
}

/* Core 0 has on its stack where each core is: struct rt_one of rt/program.h. */
enum { CORE_STACK = 128 };

static void put_start(Gen *g, bool test, Str *out)
{
    str_fmt(out,
        "static void start(void)\n{\n    struct pi_device device;\n"
        "    struct pi_cluster_conf conf;\n"
        "    struct pi_cluster_task task;\n\n%s"
        "    pi_cluster_conf_init(&conf);\n"
        "    pi_open_from_conf(&device, &conf);\n"
        "    if (pi_cluster_open(&device))\n        pmsis_exit(-1);\n"
        "    pi_cluster_task(&task, cluster, NULL);\n"
        "    task.stack_size = %s_STACK_BYTES + %d;\n"
        "    task.slave_stack_size = %s_STACK_BYTES;\n"
        "    pi_cluster_send_task_to_cl(&device, &task);\n"
        "    pi_cluster_close(&device);\n",
        gen_image_bytes(g) ? "    if (open_ram() || load())\n"
                             "        pmsis_exit(-1);\n"
        : gen_far(g) ? "    if (open_ram())\n        pmsis_exit(-1);\n" : "",
        g->caps, 576 + CORE_STACK * g->p->soc->ncore, g->caps);
    if (test)
        str_fmt(out, "    if (bad)\n        printf(\"%s: first layer that"
                " differs: %%d\\n\", bad);\n    else\n"
                "        printf(\"%s: self-test passed\\n\");\n", g->name,
                g->name);
    str_put(out, "    pmsis_exit(bad);\n}\n\nint main(void)\n{\n"
            "    return pmsis_kickoff((void *)start);\n}\n");
}

static void put_main(Gen *g, const char *path, bool test)
{
    Str b = {.mem = g->mem};

    str_fmt(&b, "/* Runs %s on the cluster, by PMSIS; 0: all is right. */\n"
        "#include \"%s.h\"\n\n#include <stdio.h>\n\n#include \"pmsis.h\"\n"
        "%s#include \"rt/team.h\"\n\n",
        test ? "the self-test" : "the network once", g->name,
        gen_far(g) ? "#include \"bsp/bsp.h\"\n#include \"bsp/fs.h\"\n"
                     "#include \"bsp/fs/hostfs.h\"\n#include \"bsp/ram.h\"\n"
                   : "");
    put_storage(g, &b);
    put_cluster(g, test, &b);
    if (gen_far(g))
        put_far(g, &b);
    put_start(g, test, &b);
    gen_file(g, path, &b);
}

/* What one says to the SDKs' rules. */
static void put_makefile(Gen *g, const char *main, bool test)
{
    Str b = {.mem = g->mem};
    int i;

    str_fmt(&b, "# make all run, in a shell with GAP SDK or pulp-sdk set up\n"
        "APP = %s\nAPP_SRCS = %s rt/pmsis/team.c%s%s%s", g->name, main,
        test ? " " : "", test ? g->name : "", test ? "_selftest.c" : "");
    for (i = 0; i < g->nsrc; i++)
        if (!str_ends(g->src[i], "_selftest.c"))
            str_fmt(&b, " \\\n    %s", g->src[i]);
    str_put(&b, "\nAPP_CFLAGS = -O2 -std=gnu99 -I.\nAPP_INC = .\n");
    if (gen_image_bytes(g))
        str_fmt(&b, "HOSTFS_FILES = %s_l3.bin\n", g->name);
    str_put(&b, "\ninclude $(RULES_DIR)/pmsis_rules.mk\n");
    gen_file(g, "Makefile", &b);
}

void gen_pmsis_build(Gen *g)
{
    static const char *const files[] = {"rt/move.h", "rt/program.h",
                                        "rt/pmsis/team.h", "rt/pmsis/team.c",
                                        "rt/pulp/job.h"};
    const char *main = strcmp(g->name, "main") ? "main.c" : "main_main.c";
    bool test = g->o->example && g->o->expected;
    Str b = {.mem = g->mem};
    size_t i;

    for (i = 0; i < LEN(files); i++) {
        const Packed *p = packed_find(files[i]);
        Str text = {.mem = g->mem};

        str_mem(&text, p->data, p->n);
        gen_file(g, p->path, &text);
    }
    str_put(&b, "/* The team of cores that this project is for. */\n"
            "#include \"pmsis/team.h\"\n");
    gen_file(g, "rt/team.h", &b);
    put_main(g, main, test);
    put_makefile(g, main, test);
}
