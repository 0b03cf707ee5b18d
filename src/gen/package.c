/* Packages: a network as other people's build systems take it.
 *
 * Each has the network's files in src/, a file or two that describe them, and
 * an example that runs the self-test.  What is required of those files:
 * docs.zephyrproject.org (modules), arduino.github.io (library specification),
 * docs.platformio.org (library.json), docs.espressif.com (component
 * manifest), open-cmsis-pack.github.io (pack description) and cmake.org. */
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

/* The first release of what the user makes of it. */
#define RELEASE "1.0.0"
#define SITE "https://tilewright.invalid"

typedef struct Package {
    const char *name;
    void (*put)(Gen *g);
} Package;

static bool has_selftest(const Gen *g)
{
    return g->o->example && g->o->expected;
}

static bool is_selftest(const char *path)
{
    return str_ends(path, "_selftest.c");
}

/* Sources, each behind `before` and with `after`; those of the self-test or the
 * others. */
static void put_sources(Gen *g, bool test, const char *before,
                        const char *after, Str *out)
{
    int i;

    for (i = 0; i < g->nsrc; i++)
        if (is_selftest(g->src[i]) == test)
            str_fmt(out, "%s%s%s", before, g->src[i], after);
}

static const char *about(Gen *g)
{
    return arena_fmt(g->mem, "Neural network %s as C, made by tilewright %s"
                     " for %s", g->name, g->o->version ? g->o->version : "",
                     g->p->soc->name);
}

/* Flags that hold for any chip: how to optimise and what sums may be fused;
 * each between `before` and `after`, `sep` between two. */
static void put_flags(Gen *g, const char *before, const char *after,
                      const char *sep, Str *out)
{
    const char *so_far = "";
    const char *s = item_word(soc_next(g->p->soc, "toolchain", NULL), "cflags",
                              "");
    char *flags = arena_str(g->mem, s), *f;

    for (f = strtok(flags, " "); f; f = strtok(NULL, " "))
        if (str_starts(f, "-O") || str_starts(f, "-ffp-contract") ||
            !strcmp(f, "-fno-math-errno")) {
            str_fmt(out, "%s%s%s%s", so_far, before, f, after);
            so_far = sep;
        }
}

static bool has_float_unit(const Gen *g)
{
    const char *s = item_word(soc_next(g->p->soc, "toolchain", NULL), "cflags",
                              "");

    return strstr(s, "-mfpu=") || strstr(s, "-mfloat-abi=hard");
}

/* "Cortex-M4" of -mcpu=cortex-m4; NULL: no such core. */
static const char *cortex(Gen *g)
{
    const char *s = strstr(item_word(soc_next(g->p->soc, "toolchain", NULL),
                                     "cflags", ""), "-mcpu=cortex-m");
    int n = 0;

    if (!s)
        return NULL;
    s += strlen("-mcpu=cortex-m");
    while (s[n] && s[n] != ' ' && s[n] != '+')
        n++;
    return arena_fmt(g->mem, "Cortex-M%.*s", n, s);
}

/* ---- the example ---- */

/* What differs from one platform's main program to another's. */
typedef struct Platform {
    const char *include, *print, *entry, *first, *end;
} Platform;

static void put_example(Gen *g, const char *path, const Platform *f)
{
    Str b = {.mem = g->mem};
    const char *n = g->name;

    str_fmt(&b, "/* Runs %s and says how it went. */\n%s#include \"%s.h\"\n\n",
            has_selftest(g) ? "the self-test" : "the network once", f->include,
            n);
    gen_storage(g, &b);
    str_fmt(&b, "static struct %s net;\n\n%s\n{\n"
            "    struct %s_memory memory;\n    int bad;\n\n", n, f->entry, n);
    gen_fill_memory(g, &b);
    str_fmt(&b, "%s    bad = %s_init(&net, memory);\n    if (!bad)\n",
            f->first, n);
    str_fmt(&b, has_selftest(g)
            ? "        bad = %s_selftest(&net);\n    if (bad)\n"
            : "        %s_run(&net);\n    if (bad)\n", n);
    str_fmt(&b, "        %s(\"%s: failed\\n\");\n    else\n"
            "        %s(\"%s: %s\\n\");\n%s", f->print, n, f->print, n,
            has_selftest(g) ? "self-test passed" : "ran", f->end);
    gen_file(g, path, &b);
}

static void put_readme(Gen *g, const char *how)
{
    Str b = {.mem = g->mem};

    str_fmt(&b, "# %s\n\n%s.  It is yours, without strings attached.\n\n%s\n"
            "`src/%s.h` says how it is called; an example is on its top.  "
            "`MODEL_CARD.md` says\nwhat it is and needs.\n", g->name, about(g),
            how, g->name);
    gen_file(g, "README.md", &b);
}

/* ---- CMake ---- */

static const Platform hosted = {
    "#include <stdio.h>\n\n", "printf", "int main(void)", "",
    "    return bad != 0;\n}\n"};

static void put_cmake_install(Gen *g, Str *out)
{
    const char *n = g->name;

    str_fmt(out, "\ninclude(GNUInstallDirs)\n"
        "install(TARGETS %s EXPORT %sTargets\n"
        "    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})\n"
        "install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/%s\n"
        "    FILES_MATCHING PATTERN \"%s.h\"%s\n"
        "    PATTERN kern EXCLUDE)\n"
        "install(EXPORT %sTargets NAMESPACE %s:: FILE %sConfig.cmake\n"
        "    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/%s)\n", n, n, n, n,
        gen_is_lm(g) ? arena_fmt(g->mem, " PATTERN \"%s_lm.h\" PATTERN"
                                 " \"lm.h\"", n) : "", n, n, n, n);
}

static void put_cmake_list(Gen *g)
{
    Str b = {.mem = g->mem};
    const char *n = g->name;

    str_fmt(&b, "# add_subdirectory() this folder, or install it and"
        " find_package(%s); then link\n# with %s::%s.\n"
        "cmake_minimum_required(VERSION 3.13)\n"
        "project(%s VERSION " RELEASE " LANGUAGES C ASM)\n\n"
        "add_library(%s STATIC", n, n, n, n, n);
    put_sources(g, false, "\n    src/", "", &b);
    put_sources(g, true, "\n    src/", "", &b);
    str_fmt(&b, ")\nadd_library(%s::%s ALIAS %s)\n"
        "target_include_directories(%s PUBLIC\n"
        "    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>\n"
        "    $<INSTALL_INTERFACE:include/%s>)\n"
        "target_compile_options(%s PRIVATE", n, n, n, n, n, n);
    put_flags(g, " ", "", "", &b);
    str_fmt(&b, ")\nset_target_properties(%s PROPERTIES C_STANDARD 99"
        " C_EXTENSIONS ON)\n", n);
    if (!strcmp(g->p->soc->run, "host"))
        str_fmt(&b, "target_link_libraries(%s PUBLIC m)\n", n);
    put_cmake_install(g, &b);
    str_fmt(&b, "\nif(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR AND\n"
        "        NOT CMAKE_CROSSCOMPILING)\n    enable_testing()\n"
        "    add_executable(%s_example example/main.c)\n"
        "    target_link_libraries(%s_example PRIVATE %s)\n"
        "    add_test(NAME %s COMMAND %s_example)\nendif()\n", n, n, n, n, n);
    gen_file(g, "CMakeLists.txt", &b);
}

static void put_cmake(Gen *g)
{
    put_cmake_list(g);
    put_example(g, "example/main.c", &hosted);
    put_readme(g, arena_fmt(g->mem,
        "    cmake -B build && cmake --build build && ctest --test-dir build\n"
        "\nIn a project: `add_subdirectory(%s)` and\n"
        "`target_link_libraries(app %s::%s)`, or `cmake --install build` and"
        "\n`find_package(%s)`.\n", g->name, g->name, g->name, g->name));
}

/* ---- Zephyr ---- */

static const Platform zephyr = {
    "#include <zephyr/kernel.h>\n\n", "printk", "int main(void)", "",
    "    return bad;\n}\n"};

static void put_zephyr_module(Gen *g)
{
    Str b = {.mem = g->mem}, k = {.mem = g->mem}, c = {.mem = g->mem};

    str_fmt(&b, "name: %s\nbuild:\n  cmake: zephyr\n"
            "  kconfig: zephyr/Kconfig\n", g->name);
    gen_file(g, "zephyr/module.yml", &b);
    str_fmt(&k, "config %s\n\tbool \"Neural network %s\"\n\thelp\n"
            "\t  %s.\n", g->caps, g->name, about(g));
    if (has_selftest(g))
        str_fmt(&k, "\nconfig %s_SELFTEST\n\tbool \"Self-test of %s\"\n"
                "\tdepends on %s\n\thelp\n\t  An example that it is compiled"
                " with, and what each layer makes of it.\n", g->caps, g->name,
                g->caps);
    gen_file(g, "zephyr/Kconfig", &k);
    str_fmt(&c, "if(CONFIG_%s)\n  zephyr_library_named(%s)\n"
            "  zephyr_library_sources(", g->caps, g->name);
    put_sources(g, false, "\n    ../src/", "", &c);
    str_put(&c, ")\n");
    if (has_selftest(g)) {
        str_fmt(&c, "  zephyr_library_sources_ifdef(CONFIG_%s_SELFTEST",
                g->caps);
        put_sources(g, true, "\n    ../src/", "", &c);
        str_put(&c, ")\n");
    }
    str_put(&c, "  zephyr_library_compile_options(");
    put_flags(g, "\n    ", "", "", &c);
    str_put(&c, ")\n  zephyr_include_directories(../src)\nendif()\n");
    gen_file(g, "zephyr/CMakeLists.txt", &c);
}

static void put_zephyr_sample(Gen *g)
{
    Str c = {.mem = g->mem}, p = {.mem = g->mem}, s = {.mem = g->mem};

    str_fmt(&c, "cmake_minimum_required(VERSION 3.20.0)\n"
        "list(APPEND ZEPHYR_EXTRA_MODULES ${CMAKE_CURRENT_SOURCE_DIR}/..)\n"
        "find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})\n"
        "project(%s_sample)\n\ntarget_sources(app PRIVATE src/main.c)\n",
        g->name);
    gen_file(g, "sample/CMakeLists.txt", &c);
    str_fmt(&p, "CONFIG_%s=y\n", g->caps);
    if (has_selftest(g))
        str_fmt(&p, "CONFIG_%s_SELFTEST=y\n", g->caps);
    if (has_float_unit(g))
        str_put(&p, "CONFIG_FPU=y\n");
    str_fmt(&p, "CONFIG_MAIN_STACK_SIZE=%" PRId64 "\n",
            (g->p->stack + 1024 + 7) / 8 * 8);
    gen_file(g, "sample/prj.conf", &p);
    str_fmt(&s, "sample:\n  name: %s\n  description: %s\ntests:\n"
        "  sample.%s.selftest:\n    tags: tilewright\n    harness: console\n"
        "    harness_config:\n      type: one_line\n      regex:\n"
        "        - \"%s: %s\"\n", g->name, about(g), g->name, g->name,
        has_selftest(g) ? "self-test passed" : "ran");
    gen_file(g, "sample/sample.yaml", &s);
    put_example(g, "sample/src/main.c", &zephyr);
}

static void put_zephyr(Gen *g)
{
    put_zephyr_module(g);
    put_zephyr_sample(g);
    put_readme(g, arena_fmt(g->mem,
        "A Zephyr module.  List this folder in `ZEPHYR_EXTRA_MODULES`, or in"
        " a west\nmanifest, and set `CONFIG_%s=y`.  The sample:\n\n"
        "    west build -b BOARD sample && west flash\n", g->caps));
}

/* ---- Arduino ---- */

static const Platform arduino = {
    "", "Serial.print", "void setup()", "    Serial.begin(115200);\n",
    "}\n\nvoid loop()\n{\n}\n"};

static void put_arduino(Gen *g)
{
    Str b = {.mem = g->mem}, k = {.mem = g->mem};

    str_fmt(&b, "name=%s\nversion=" RELEASE "\nauthor=tilewright\n"
        "maintainer=tilewright <noreply@tilewright.invalid>\n"
        "sentence=%s.\nparagraph=Memory is known before it is flashed; no"
        " heap, no interpreter.\ncategory=Data Processing\nurl=" SITE "\n"
        "architectures=*\nincludes=%s.h\n", g->name, about(g), g->name);
    gen_file(g, "library.properties", &b);
    str_fmt(&k, "%s\tKEYWORD1\n%s_init\tKEYWORD2\n%s_input\tKEYWORD2\n"
            "%s_run\tKEYWORD2\n%s_output\tKEYWORD2\n", g->name, g->name,
            g->name, g->name, g->name);
    gen_file(g, "keywords.txt", &k);
    put_example(g, "examples/selftest/selftest.ino", &arduino);
    put_readme(g,
        "An Arduino library: copy this folder to the sketchbook's"
        " `libraries`, or\n`arduino-cli lib install --zip-path`.  The sketch"
        " `examples/selftest` prints how\nthe self-test went.  Boards are"
        " compiled for with `-Os` unless `platform.local.txt`\nsays `-O2`:"
        " the figures of `MODEL_CARD.md` are of `-O2`.\n");
}

/* ---- PlatformIO ---- */

static void put_platformio(Gen *g)
{
    Str b = {.mem = g->mem}, ini = {.mem = g->mem};

    str_fmt(&b, "{\n  \"name\": \"%s\",\n  \"version\": \"" RELEASE "\",\n"
        "  \"description\": \"%s\",\n"
        "  \"keywords\": \"neural network, inference, tilewright\",\n"
        "  \"frameworks\": \"*\",\n  \"platforms\": \"*\",\n"
        "  \"headers\": \"%s.h\",\n  \"build\": {\n    \"srcDir\": \"src\",\n"
        "    \"includeDir\": \"src\",\n    \"flags\": [", g->name, about(g),
        g->name);
    put_flags(g, "\"", "\"", ", ", &b);
    str_put(&b, "]\n  },\n  \"examples\": [\n    {\"name\": \"selftest\","
        " \"base\": \"examples/selftest\",\n     \"files\": [\"src/main.c\","
        " \"platformio.ini\"]}\n  ]\n}\n");
    gen_file(g, "library.json", &b);
    str_fmt(&ini, "; pio run -t exec; for a board: its platform, board and"
        " framework\n[env:native]\nplatform = native\n"
        "lib_deps = symlink://../..\nlib_ldf_mode = chain\n");
    gen_file(g, "examples/selftest/platformio.ini", &ini);
    put_example(g, "examples/selftest/src/main.c", &hosted);
    put_readme(g, "A PlatformIO library: `lib_deps = symlink://PATH` of this"
               " folder in a project's\n`platformio.ini`, or `pio pkg install"
               " -l PATH`.  The example is in\n`examples/selftest`.\n");
}

/* ---- ESP-IDF ---- */

static const Platform espressif = {
    "#include <stdio.h>\n\n", "printf", "void app_main(void)", "",
    "}\n"};

static void put_component(Gen *g)
{
    Str c = {.mem = g->mem}, y = {.mem = g->mem};

    str_put(&c, "idf_component_register(\n    SRCS");
    put_sources(g, false, "\n        \"src/", "\"", &c);
    put_sources(g, true, "\n        \"src/", "\"", &c);
    str_put(&c, "\n    INCLUDE_DIRS \"src\")\n"
            "target_compile_options(${COMPONENT_LIB} PRIVATE");
    put_flags(g, " ", "", "", &c);
    str_put(&c, ")\n");
    gen_file(g, "CMakeLists.txt", &c);
    str_fmt(&y, "version: \"" RELEASE "\"\ndescription: \"%s\"\n"
            "url: \"" SITE "\"\n", about(g));
    gen_file(g, "idf_component.yml", &y);
}

static void put_espressif(Gen *g)
{
    Str top = {.mem = g->mem}, c = {.mem = g->mem}, y = {.mem = g->mem};

    put_component(g);
    str_put(&top, "cmake_minimum_required(VERSION 3.16)\n"
        "include($ENV{IDF_PATH}/tools/cmake/project.cmake)\n"
        "project(selftest)\n");
    gen_file(g, "examples/selftest/CMakeLists.txt", &top);
    str_put(&c, "idf_component_register(SRCS \"main.c\" INCLUDE_DIRS"
            " \".\")\n");
    gen_file(g, "examples/selftest/main/CMakeLists.txt", &c);
    str_fmt(&y, "dependencies:\n  %s:\n    version: \"*\"\n"
            "    override_path: \"../../..\"\n", g->name);
    gen_file(g, "examples/selftest/main/idf_component.yml", &y);
    put_example(g, "examples/selftest/main/main.c", &espressif);
    put_readme(g,
        "An ESP-IDF component: a folder of a project's `components`, or a"
        " dependency with\n`override_path` as in `examples/selftest/main`:\n\n"
        "    cd examples/selftest && idf.py set-target esp32c3 build flash"
        " monitor\n");
}

/* ---- CMSIS-Pack ---- */

static void put_pack_files(Gen *g, Str *out)
{
    int i;

    str_put(out, "      <files>\n"
            "        <file category=\"include\" name=\"src/\"/>\n"
            "        <file category=\"doc\" name=\"README.md\"/>\n");
    str_fmt(out, "        <file category=\"header\" name=\"src/%s.h\"/>\n",
            g->name);
    for (i = 0; i < g->nsrc; i++)
        str_fmt(out, "        <file category=\"source%s\" name=\"src/%s\"/>\n",
                str_ends(g->src[i], ".S") ? "Asm" : "C", g->src[i]);
    str_fmt(out, "        <file category=\"sourceC\" name=\"example/main.c\""
            " attr=\"template\"\n            select=\"Self-test of %s\"/>\n"
            "      </files>\n", g->name);
}

static void put_cmsis_pack(Gen *g)
{
    Str b = {.mem = g->mem};
    const char *core = cortex(g);

    str_fmt(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<package schemaVersion=\"1.7.7\""
        " xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
        "    xs:noNamespaceSchemaLocation=\"PACK.xsd\">\n"
        "  <vendor>Tilewright</vendor>\n  <name>%s</name>\n"
        "  <description>%s.</description>\n  <url>" SITE "/</url>\n"
        "  <releases>\n    <release version=\"" RELEASE "\">First release."
        "</release>\n  </releases>\n", g->name, about(g));
    if (core)
        str_fmt(&b, "  <conditions>\n    <condition id=\"core\">\n"
            "      <description>The core it was compiled for</description>\n"
            "      <require Dcore=\"%s\"/>\n    </condition>\n"
            "  </conditions>\n", core);
    str_fmt(&b, "  <components>\n    <component Cclass=\"Machine Learning\""
        " Cgroup=\"Network\"\n        Csub=\"%s\" Cversion=\"" RELEASE "\"%s>\n"
        "      <description>%s</description>\n", g->name,
        core ? " condition=\"core\"" : "", about(g));
    put_pack_files(g, &b);
    str_put(&b, "    </component>\n  </components>\n</package>\n");
    gen_file(g, arena_fmt(g->mem, "Tilewright.%s.pdsc", g->name), &b);
    put_example(g, "example/main.c", &hosted);
    put_readme(g, arena_fmt(g->mem,
        "The content of a CMSIS-Pack, and the pack:\n\n"
        "    cpackget add Tilewright.%s." RELEASE ".pack\n\n"
        "Then `component: Machine Learning:Network:%s` in a `.cproject.yml`.\n",
        g->name, g->name));
}

/* Last: the archive has all files. */
static void put_pack(Gen *g)
{
    put_cmsis_pack(g);
    gen_archive(g, arena_fmt(g->mem, "Tilewright.%s." RELEASE ".pack",
                             g->name));
}

/* ---- all ---- */

static const Package packages[] = {
    {"cmake", put_cmake},       {"zephyr", put_zephyr},
    {"arduino", put_arduino},   {"platformio", put_platformio},
    {"esp-idf", put_espressif}, {"cmsis-pack", put_pack},
};

static const Package *find(const char *name)
{
    size_t i;

    for (i = 0; i < LEN(packages); i++)
        if (!strcmp(packages[i].name, name))
            return &packages[i];
    return NULL;
}

void gen_check_package(const char *name, const Soc *soc)
{
    const char *io = item_word(soc_next(soc, "chip", NULL), "io", "");

    if (!find(name) && strcmp(name, "mlperf-tiny"))
        err(ERR_USAGE, "--package %s: cmake, zephyr, arduino, platformio,"
            " esp-idf, cmsis-pack or mlperf-tiny was wanted", name);
    if (!strcmp(soc->rt, "pulp"))
        err(ERR_USAGE, "--package %s: %s has a cluster: a project for its SDK"
            " is made by --runtime pmsis", name, soc->name);
    if (!find(name) && strcmp(soc->run, "host") && strcmp(io, "semihost"))
        err(ERR_USAGE, "--package %s: %s has no console; host or a chip with"
            " io=semihost was wanted", name, soc->name);
}

void gen_package(Gen *g)
{
    find(g->o->package)->put(g);
}
