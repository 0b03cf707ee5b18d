/* What turns the C into a program: Makefile, CMakeLists.txt, main, linker
 * scripts, the runtime of the chip; and the README of the project. */
#include "gen/gen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const Item *tools(const Gen *g)
{
    return soc_next(g->p->soc, "toolchain", NULL);
}

static bool is_host(const Gen *g)
{
    return !strcmp(g->p->soc->run, "host");
}

static bool has_selftest(const Gen *g)
{
    return g->o->example && g->o->expected && !gen_is_mlperf(g->o);
}

static const char *main_path(Gen *g)
{
    return strcmp(g->name, "main") ? "main.c" : "main_main.c";
}

/* What is compiled beside the network and the runtime. */
static const char *main_sources(Gen *g)
{
    if (gen_is_mlperf(g->o))
        return gen_mlperf_sources(g);
    return has_selftest(g) ? arena_fmt(g->mem, "%s %s_selftest.c",
                                       main_path(g), g->name) : main_path(g);
}

static void put_copy(Gen *g, const Packed *p)
{
    Str b = {.mem = g->mem};

    str_mem(&b, p->data, p->n);
    gen_file(g, p->path, &b);
}

/* With the I/O DMA's queue in the program the fabric controller never sleeps:
 * only for those who need it. */
static bool is_for_far(const char *path)
{
    return !strcmp(path, "rt/pulp/ext.c") || !strcmp(path, "rt/pulp/load.c");
}

/* What a team's program stands on, on the chip and on this machine. */
static bool is_for_team(const char *path)
{
    return !strcmp(path, "rt/program.h") || !strcmp(path, "rt/move.h") ||
           str_starts(path, "rt/emu/") || str_starts(path, "rt/host/");
}

/* The start-up of a cluster speaks of transfers even if one core is used. */
static bool is_cluster(const Gen *g, const char *path)
{
    return !strcmp(path, "rt/move.h") && !strcmp(g->p->soc->rt, "pulp");
}

/* The runtime: headers, what all share, and the folder of this chip.  Their
 * names go to `list`, those to compile only. */
static void copy_runtime(Gen *g, Str *list)
{
    const char *io = item_word(soc_next(g->p->soc, "chip", NULL), "io", "");
    const char *own = arena_fmt(g->mem, "rt/%s/", g->p->soc->rt);
    int i;

    for (i = 0; i < npacked; i++) {
        const char *path = packed[i].path;
        bool c = str_ends(path, ".c") || str_ends(path, ".S");
        bool shared = !strcmp(io, "semihost") &&
                      (!strcmp(path, "rt/semihost.c") ||
                       !strcmp(path, "rt/stack.c"));

        if (is_for_far(path) && !gen_far(g))
            continue;
        if (is_for_team(path) && (g->p->program->team || is_cluster(g, path)))
            put_copy(g, &packed[i]);
        if (str_starts(path, own) || shared || !strcmp(path, "rt/rt.h")) {
            put_copy(g, &packed[i]);
            if (c)
                str_fmt(list, " %s", path);
        }
    }
}

static void put_team_header(Gen *g)
{
    Str b = {.mem = g->mem};

    str_fmt(&b, "/* The team of cores that this project is for. */\n"
            "#ifdef TILEWRIGHT_EMULATE\n#include \"emu/team.h\"\n#else\n"
            "#include \"%s/team.h\"\n#endif\n", g->p->soc->rt);
    gen_file(g, "rt/team.h", &b);
}

static void put_list(Gen *g, const char *sep, Str *out)
{
    int i;

    for (i = 0; i < g->nsrc; i++)
        if (!str_ends(g->src[i], "_selftest.c"))
            str_fmt(out, "%s%s", sep, g->src[i]);
}

const char *gen_target(Arena *mem, const Soc *soc)
{
    char *full = packed_find(soc->file) ? NULL : realpath(soc->file, NULL);
    const char *word = full ? arena_str(mem, full) : soc->name;

    free(full);
    return word;
}

static const char *run_command(Gen *g)
{
    const Soc *s = g->p->soc;
    const char *cmd = item_word(soc_next(s, "runner", NULL), "cmd",
        strcmp(s->run, "sim") ? "{elf}"
        : arena_fmt(g->mem, "tilewright sim {elf} -t %s",
                    gen_target(g->mem, s)));
    const char *elf = strstr(cmd, "{elf}");

    if (!elf)
        return cmd;
    return arena_fmt(g->mem, "%.*s$(BUILD)/$(NAME).elf%s%s", (int)(elf - cmd),
                     cmd, elf + 5, gen_has_link(g) ? " $(RUNFLAGS)" : "");
}

static void put_make_rules(Gen *g, Str *out)
{
    const char *script = is_host(g) ? "" : " $(SCRIPT)";

    str_fmt(out,
        "\nSRC = $(NET) $(RT) $(MAIN)\nOBJ = $(SRC:%%=$(BUILD)/%%.o)\n\n"
        "$(BUILD)/$(NAME).elf: $(OBJ)%s\n"
        "\t$(CC) $(CFLAGS) -o $@ $(OBJ) $(LDFLAGS)\n\n"
        "$(BUILD)/%%.o: %%\n\t@mkdir -p $(@D)\n"
        "\t$(CC) $(CFLAGS) $(DEFS) -I. -MMD -c -o $@ $<\n\n"
        "run: $(BUILD)/$(NAME).elf\n\t%s\n\n"
        "size: $(BUILD)/$(NAME).elf\n\t%s $<\n\n"
        "clean:\n\trm -rf build\n\n.PHONY: run size clean\n"
        "-include $(OBJ:.o=.d)\n",
        script, run_command(g), item_word(tools(g), "size", "size"));
}

/* The same program on this machine: its cores and transfers are emulated. */
static const char host_rules[] =
    "\n# make host: on this machine, cores and transfers emulated\n"
    "HOST_CC = cc\nHOST_CFLAGS = -std=c99 -O1 -g -fsanitize=address,undefined"
    " -fno-sanitize-recover\n"
    "HOST_SRC = $(NET) rt/emu/emu.c rt/host/io.c $(MAIN)\n"
    "HOST_OBJ = $(HOST_SRC:%=$(BUILD)/host/%.o)\n\n"
    "$(BUILD)/host/$(NAME): $(HOST_OBJ)\n"
    "\t$(HOST_CC) $(HOST_CFLAGS) -o $@ $(HOST_OBJ) -lm\n\n"
    "$(BUILD)/host/%.o: %\n\t@mkdir -p $(@D)\n"
    "\t$(HOST_CC) $(HOST_CFLAGS) $(DEFS) -DTILEWRIGHT_EMULATE $(HOST_DEFS) \\\n"
    "\t    -I. -MMD -c -o $@ $<\n\n"
    "host: $(BUILD)/host/$(NAME)\n\t$<\n\n"
    ".PHONY: host\n-include $(HOST_OBJ:.o=.d)\n";

/* The emulation takes no more transfers at a time than the chip's DMA. */
static void put_host_rules(const Gen *g, Str *out)
{
    const Engine *d = soc_hop(g->p->soc, 0);

    str_put(out, host_rules);
    if (d)
        str_fmt(out, "HOST_DEFS = -DDMA_QUEUE=%d\n", d->queue);
}

static void put_makefile(Gen *g, const Str *rt)
{
    const Item *t = tools(g);
    Str b = {.mem = g->mem};

    str_fmt(&b, "# make: %s as a program; make run: runs it\n"
        "NAME = %s\nBUILD = build\nCC = %s\n"
        "CFLAGS = %s -ffunction-sections -fdata-sections\n",
        gen_is_mlperf(g->o) ? "MLPerf Tiny's device" : "the self-test", g->name,
        item_word(t, "cc", "cc"), item_word(t, "cflags", "-O2"));
    if (is_host(g))
        str_fmt(&b, "LDFLAGS = %s\n", item_word(t, "ldflags", ""));
    else
        str_fmt(&b, "# the emulator's memory; SCRIPT=%s.ld: the part's own\n"
            "SCRIPT = %s_emu.ld\nLDFLAGS = %s -T $(SCRIPT) -Wl,--gc-sections"
            " -lm\n", g->name, g->name, item_word(t, "ldflags", ""));
    str_put(&b, "NET =");
    put_list(g, " \\\n    ", &b);
    str_fmt(&b, "\nRT =%s\nMAIN = %s\n", rt->s, main_sources(g));
    put_make_rules(g, &b);
    if (g->p->program->team && !gen_has_link(g)) /* no other chips there */
        put_host_rules(g, &b);
    gen_file(g, "Makefile", &b);
}

static void put_cmake(Gen *g)
{
    Str b = {.mem = g->mem};

    str_fmt(&b, "# add_subdirectory() this folder and link with %s.\n"
        "cmake_minimum_required(VERSION 3.13)\nproject(%s C ASM)\n\n"
        "add_library(%s STATIC", g->name, g->name, g->name);
    put_list(g, "\n    ", &b);
    if (has_selftest(g))
        str_fmt(&b, "\n    %s_selftest.c", g->name);
    str_fmt(&b, ")\ntarget_include_directories(%s PUBLIC"
        " ${CMAKE_CURRENT_SOURCE_DIR})\n"
        "set_target_properties(%s PROPERTIES C_STANDARD 99)\n",
        g->name, g->name);
    if (g->bin)
        str_fmt(&b, "set_source_files_properties(%s_weights.S PROPERTIES\n"
            "    COMPILE_OPTIONS -I${CMAKE_CURRENT_SOURCE_DIR})\n", g->name);
    if (is_host(g))
        str_fmt(&b, "target_link_libraries(%s PUBLIC m)\n", g->name);
    gen_file(g, "CMakeLists.txt", &b);
}

static void put_load(Gen *g, Str *out)
{
    if (!gen_image_bytes(g))
        return;
    str_put(out, "    bad = ");
    gen_load(g, "", out);
    str_fmt(out, ";\n    if (bad != 0) {\n        rt_print(\"%s: no constants"
            "\\n\");\n        return bad;\n    }\n", g->name);
}

static void put_main(Gen *g)
{
    Str b = {.mem = g->mem};

    str_fmt(&b, "/* Runs %s and says how it went; 0: all is right. */\n"
        "#include \"%s.h\"\n#include \"rt/rt.h\"\n%s\n",
        has_selftest(g) ? "the self-test" : "the network once", g->name,
        gen_image_bytes(g) ? "#include \"rt/pulp/ext.h\"\n" : "");
    gen_storage(g, &b);
    str_fmt(&b, "static struct %s net;\n\nint main(void)\n{\n"
        "    struct %s_memory memory;\n    int bad;\n\n", g->name, g->name);
    gen_fill_memory(g, &b);
    put_load(g, &b);
    if (gen_has_link(g))
        str_put(&b, "    rt_link_begin();\n");
    str_fmt(&b, "    bad = %s_init(&net, memory);\n", g->name);
    if (has_selftest(g))
        str_fmt(&b, "    if (bad == 0) {\n        bad = %s_selftest(&net);\n    }\n"
            "    if (bad != 0) {\n        rt_print_hex(\"%s: first layer that"
            " differs: 0x\", (uint32_t)bad);\n    } else {\n"
            "        rt_print(\"%s: self-test passed\");\n    }\n"
            "    rt_print(\"\\n\");\n", g->name, g->name, g->name);
    else
        str_fmt(&b, "    if (bad == 0) {\n        %s_run(&net);\n    }\n", g->name);
    str_put(&b, "    return (bad != 0) ? 1 : 0;\n}\n");
    gen_file(g, main_path(g), &b);
}

static void put_scripts(Gen *g)
{
    Str part = {.mem = g->mem}, emu = {.mem = g->mem};

    soc_link(g->p->soc, false, g->p->stack, &part);
    soc_link(g->p->soc, true, g->p->stack, &emu);
    gen_file(g, arena_fmt(g->mem, "%s.ld", g->name), &part);
    gen_file(g, arena_fmt(g->mem, "%s_emu.ld", g->name), &emu);
}

static const char *what_it_holds(unsigned holds)
{
    if (holds & HOLDS_weights && holds & HOLDS_buffers)
        return "constants and buffers";
    if (holds & HOLDS_weights)
        return "constants (code comes on top)";
    if (holds & HOLDS_stack)
        return "buffers (stack comes on top)";
    return holds & HOLDS_buffers ? "buffers" : "nothing of the network";
}

static void put_memory_table(Gen *g, Str *out)
{
    const Plan *p = g->p;
    int i;

    str_put(out, "| memory | size | used | holds |\n|---|--:|--:|---|\n");
    for (i = 0; i < p->soc->nmem; i++) {
        const Mem *m = &p->soc->mems[i];

        str_fmt(out, "| %s | %" PRId64 " | %" PRId64 " | %s |\n", m->name,
                m->size, p->used[i] + p->consts[i],
                what_it_holds(m->holds));
    }
    str_fmt(out, "\nStack of a run: at most %" PRId64 " bytes.  Buffers: %"
            PRId64 " bytes; no addresses do with less than %" PRId64
            ".\n", p->stack, p->ram, p->bound);
}

static void put_key(Str *out)
{
    str_put(out, "\nA kernel's name is that of its file (operator, method,"
            " instruction set; `ref` and\n`c` are plain C), then the types of"
            " its operands (`n`: absent) and, behind `_`, of\nits results;"
            " `_wide`: it sums in 64 bits.\n");
}

static void put_layers(Gen *g, Str *out)
{
    int i;

    str_put(out, "| layer | operator | name | MACs | kernel |\n"
            "|--:|---|---|--:|---|\n");
    for (i = 0; i < g->nlayer; i++) {
        const Node *n = g->layer[i]->node;

        str_fmt(out, "| %d | %s | `%s` | %" PRId64 " | %s |\n", i + 1,
                op_info[n->op].name, n->name, node_macs(n),
                g->p->program->inst.v[g->p->program->inst.of[g->p->layer[i].first]].name);
    }
}

static void put_readme(Gen *g)
{
    Str b = {.mem = g->mem};
    const char *n = g->name;

    str_fmt(&b, "# %s, for %s\n\nC of the network %s, made by tilewright %s."
        "  It is yours, without strings attached.\n\n"
        "    make run        %s (%s)\n\n"
        "In a program of your own, include `%s.h` (an example is on its top)"
        " and compile\n`%s.c`, `%s_weights.%s` and the `.c` files of `kern/`."
        "  No include path and no\nmacro is needed; `CMakeLists.txt` is for"
        " those who use CMake.  Tools that compile\nwhatever lies in a folder"
        " may have all of this but `main.c`%s\nfor the self-test.\n\n", n,
        g->p->soc->name, g->p->g->name ? g->p->g->name : n,
        g->o->version ? g->o->version : "",
        has_selftest(g) ? "the self-test"
        : gen_is_mlperf(g->o) ? "MLPerf Tiny's device on this terminal: `name%`,"
                                " `help%`"
                              : "the network once",
        g->p->soc->about, n, n, n, g->bin ? "S" : "c",
        g->p->program->team ? ", which is" : " and `rt/`, which are");
    if (g->bin)
        str_fmt(&b, "`%s_weights.S` alone wants an include path, this folder:"
            " `%s_weights.bin`\nis here.\n\n", n, n);
    if (g->p->program->team)
        str_put(&b, "The network is a program of records for a team of cores;"
            " `rt/program.h` says what they\ndo and goes through them, with"
            " the headers beside it.\n\n");
    if (gen_has_link(g))
        str_put(&b, "The chip shares the network with others, whose projects are"
            " beside this one: `run`\nin the folder above runs all together; alone"
            " it waits for them and gives up.  A\nprogram of your own calls"
            " `rt_link_begin()` (`rt/rt.h`) before the first run, and\ncompiles"
            " `rt/link/` too.\n\n");
    str_put(&b, "## Memory\n\n");
    put_memory_table(g, &b);
    str_put(&b, "\n## Layers\n\n");
    put_layers(g, &b);
    put_key(&b);
    str_put(&b, "\nBuilt with -DTILEWRIGHT_BREAK, a function is called after"
            " each layer: a place for a\nbreakpoint.\n");
    gen_file(g, "README.md", &b);
}

void gen_build(Gen *g)
{
    Str rt = {.mem = g->mem};

    put_readme(g);
    put_cmake(g);
    if (gen_pmsis(g)) {
        gen_pmsis_build(g);
        return;
    }
    str_put(&rt, "");
    copy_runtime(g, &rt);
    gen_link(g, &rt);
    if (g->p->program->team)
        put_team_header(g);
    if (!is_host(g))
        put_scripts(g);
    if (gen_is_mlperf(g->o))
        gen_mlperf(g);
    else
        put_main(g);
    put_makefile(g, &rt);
}
