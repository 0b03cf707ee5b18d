/* The constants of the network: NAME_weights.h, .c, or .bin and .S.
 *
 * Up to 64 elements are lists that can be read.  More are string literals:
 * gcc takes 0.1 s for a megabyte of them, 0.4 s for 64-bit words, 1.5 s for
 * a list of bytes.  The bytes are in little endian order, as all targets. */
#include "gen/gen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LIST = 64, LINE = 72, LARGE = 4 << 20 };

static int64_t element(Type t, const void *data, int64_t i)
{
    switch (t) {
    case T_s8: return ((const int8_t *)data)[i];
    case T_s16: return ((const int16_t *)data)[i];
    case T_u16: return ((const uint16_t *)data)[i];
    case T_s32: return ((const int32_t *)data)[i];
    case T_u32: return ((const uint32_t *)data)[i];
    case T_s64: return ((const int64_t *)data)[i];
    case T_u64: return (int64_t)((const uint64_t *)data)[i];
    default: return ((const uint8_t *)data)[i];
    }
}

static int put_float(FILE *f, float v)
{
    char s[40];

    if (isnan(v))
        return fprintf(f, "NAN");
    if (isinf(v))
        return fprintf(f, v < 0 ? "-INFINITY" : "INFINITY");
    snprintf(s, sizeof s, "%.9g", (double)v);
    return fprintf(f, s[strcspn(s, ".e")] ? "%sf" : "%s.0f", s);
}

static int put_element(FILE *f, Type t, const void *data, int64_t i)
{
    int64_t v;

    if (t == T_f32)
        return put_float(f, ((const float *)data)[i]);
    v = element(t, data, i);
    if (t == T_u64)
        return fprintf(f, "%" PRIu64 "u", (uint64_t)v);
    if (v == INT64_MIN)
        return fprintf(f, "INT64_MIN");
    if (v == INT32_MIN)
        return fprintf(f, "INT32_MIN");
    return fprintf(f, "%" PRId64, v);
}

static void put_list(FILE *f, Type t, const void *data, int64_t n)
{
    int column = LINE;
    int64_t i;

    if (!n)
        fputs("0", f);
    for (i = 0; i < n; i++) {
        if (column >= LINE - 8)
            column = fprintf(f, "\n    ") - 1;
        else
            column += fprintf(f, " ");
        column += put_element(f, t, data, i) + 1;
        fputs(i + 1 < n ? "," : "", f);
    }
}

static bool is_plain(unsigned c)
{
    return c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?';
}

/* Puts one byte as octal digits, as few as say it: what comes behind is another
 * escape, or the end of the literal. */
static char *put_octal(char *s, unsigned c)
{
    *s++ = '\\';
    if (c >= 64)
        *s++ = (char)('0' + (c >> 6));
    if (c >= 8)
        *s++ = (char)('0' + (c >> 3 & 7));
    *s++ = (char)('0' + (c & 7));
    return s;
}

static void put_string(FILE *f, const unsigned char *p, int64_t n)
{
    char line[LINE + 16], *s;
    int64_t i = 0;
    bool plain;

    while (i < n) {
        s = line;
        for (plain = true; i < n && s - line < LINE - 5; i++) {
            plain = plain && is_plain(p[i]);
            if (plain)
                *s++ = (char)p[i];
            else
                s = put_octal(s, p[i]);
        }
        fprintf(f, "\n    \"%.*s\"", (int)(s - line), line);
    }
}

/* The element type its array is declared with. */
static const char *array_type(Type t, int64_t bytes)
{
    return bytes / type_info[t].bytes > LIST ? "char" : type_info[t].ctype;
}

static int64_t array_length(Type t, int64_t bytes)
{
    int64_t n = bytes / type_info[t].bytes;

    return n > LIST ? bytes : MAX(n, 1);
}

void gen_array(FILE *f, const char *name, Type t, const void *data,
               int64_t bytes, int align, const char *in)
{
    int64_t n = bytes / type_info[t].bytes;

    fprintf(f, "ALIGN(%d)%s%s\nconst %s %s[%" PRId64 "] =%s", MAX(align, 1),
            in ? " " : "", in ? in : "",
            array_type(t, bytes), name, array_length(t, bytes),
            n > LIST ? "" : " {");
    if (n > LIST)
        put_string(f, data, bytes);
    else
        put_list(f, t, data, n);
    fputs(n > LIST ? ";\n\n" : "\n};\n\n", f);
}

static FILE *create(Gen *g, const char *path)
{
    FILE *f = fopen(gen_path(g, path), "wb");

    if (!f)
        err(ERR_TOOL, "cannot write %s/%s", g->dir, path);
    return f;
}

static void finish(Gen *g, FILE *f)
{
    bool bad = ferror(f) != 0;

    if (fclose(f) || bad)
        err(ERR_TOOL, "cannot write into %s: is the disk full?", g->dir);
}

static bool is_array(const Gen *g, int buf)
{
    const Buf *u = &g->p->buf[buf];

    return u->kind == BUF_const && !gen_in_image(g, u);
}

/* NAME_w3_conv1_weight: numbered, so that no two are the same. */
static void name_weights(Gen *g)
{
    int i, n = 0;

    g->weight = NEWN(g->mem, const char *, g->p->nbuf + 1);
    for (i = 0; i < g->p->nbuf; i++)
        if (is_array(g, i))
            g->weight[i] = arena_fmt(g->mem, "%s_w%d_%.40s", g->name, ++n,
                str_ident(g->mem, g->p->buf[i].name));
}

static void put_declarations(Gen *g)
{
    Str b = {.mem = g->mem};
    int i;

    str_fmt(&b, "/* The constants of %s.  Arrays of char hold elements of the"
            " type beside them. */\n#ifndef %s_WEIGHTS_H\n"
            "#define %s_WEIGHTS_H\n\n#include <stdint.h>\n\n",
            g->name, g->caps, g->caps);
    for (i = 0; i < g->p->nbuf; i++) {
        const Buf *u = &g->p->buf[i];

        if (is_array(g, i))
            str_fmt(&b, "extern const %s %s[%" PRId64 "]; /* %s */\n",
                    array_type(u->val->type, u->size), g->weight[i],
                    array_length(u->val->type, u->size),
                    type_info[u->val->type].name);
    }
    str_put(&b, "\n#endif\n");
    gen_file(g, arena_fmt(g->mem, "%s_weights.h", g->name), &b);
}

/* The section of a constant, in a memory other than that of the code; NULL:
 * it lies beside the code. */
static const char *section_of(const Gen *g, const Buf *u)
{
    const Mem *m = &g->p->soc->mems[u->mem];

    if (u->val->port)
        return SOC_WEIGHTS;
    return m == soc_code(g->p->soc) ? NULL : soc_weights_section(g->mem, m);
}

/* The macro that has it: of a memory for anybody to define otherwise. */
static const char *macro_of(const Gen *g, const Buf *u)
{
    if (u->val->port)
        return "PORT";
    return section_of(g, u) ? arena_fmt(g->mem, "IN_%s", gen_caps(g->mem,
                              gen_mem(g, u->mem))) : NULL;
}

static void put_sections(const Gen *g, FILE *f)
{
    bool done[16] = {false}; /* by memory */
    int i;

    for (i = 0; i < g->p->nbuf; i++) {
        const Buf *u = &g->p->buf[i];
        const char *in;

        if (!is_array(g, i) || done[u->mem] || !(in = macro_of(g, u)))
            continue;
        done[u->mem] = true;
        if (u->val->port)
            fputs("/* Of an accelerator's weight port, in its memory. */\n",
                  f);
        else
            fprintf(f, "/* In %s, where the linker script has the section;"
                    " yours may be another. */\n", g->p->soc->mems[u->mem].name);
        fprintf(f, "#ifndef %s\n#ifdef __ELF__\n"
                "#define %s __attribute__((section(\"%s\")))\n"
                "#else\n#define %s\n#endif\n#endif\n", in, in,
                section_of(g, u), in);
    }
}

static void put_c(Gen *g)
{
    const char *path = arena_fmt(g->mem, "%s_weights.c", g->name);
    FILE *f = create(g, path);
    int i;

    fprintf(f, "/* The constants of %s.  Long arrays are strings, which"
        " compile fastest: bytes in\n * little endian order. */\n"
        "#include \"%s_weights.h\"\n\n#include <math.h>\n\n"
        "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ !="
        " __ORDER_LITTLE_ENDIAN__\n"
        "#error \"these constants are little endian\"\n#endif\n\n"
        "#define ALIGN(n) __attribute__((aligned(n)))\n"
        "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n",
        g->name, g->name);
    put_sections(g, f);
    for (i = 0; i < g->p->nbuf; i++) {
        const Buf *u = &g->p->buf[i];

        progress("writing weights: constant", i + 1, g->p->nbuf);
        if (is_array(g, i))
            gen_array(f, g->weight[i], u->val->type, u->val->data, u->size,
                      u->align, macro_of(g, u));
    }
    finish(g, f);
    gen_source(g, path);
}

static void put_bytes(FILE *f, const Buf *u, int64_t *at)
{
    int64_t n = *at % u->align ? u->align - *at % u->align : 0;

    *at += n;
    while (n--)
        fputc(0, f);
    fwrite(u->val->data, 1, (size_t)u->size, f);
}

/* Where what follows belongs; NULL: beside the code. */
static void put_section(const Gen *g, const char *section, Str *b)
{
    str_put(b, "#ifdef __ELF__\n");
    if (section)
        str_fmt(b, "    .section %s, \"a\", %%progbits\n", section);
    else
        str_fmt(b, "    .section .rodata.%s_weights, \"a\", %%progbits\n",
                g->name);
    str_put(b, "#endif\n");
}

/* One .bin of everything, and symbols into it. */
static void put_bin(Gen *g)
{
    const char *bin = arena_fmt(g->mem, "%s_weights.bin", g->name);
    const char *path = arena_fmt(g->mem, "%s_weights.S", g->name);
    FILE *f = create(g, bin);
    Str b = {.mem = g->mem};
    int64_t at = 0;
    const char *was = NULL, *now;
    int i;

    str_fmt(&b, "/* The constants of %s, from %s. */\n"
        "#ifdef __ELF__\n"
        "    .section .note.GNU-stack, \"\", %%progbits\n"
        "    .section .rodata.%s_weights, \"a\", %%progbits\n#endif\n",
        g->name, bin, g->name);
    for (i = 0; i < g->p->nbuf; i++) {
        const Buf *u = &g->p->buf[i];

        if (!is_array(g, i))
            continue;
        put_bytes(f, u, &at);
        now = section_of(g, u);
        if (!was != !now || (was && strcmp(was, now)))
            put_section(g, now, &b);
        was = now;
        str_fmt(&b, "    .global %s\n    .balign %d\n%s:\n    .incbin"
                " \"%s\", %" PRId64 ", %" PRId64 "\n", g->weight[i], u->align,
                g->weight[i], bin, at, u->size);
        at += u->size;
    }
    finish(g, f);
    gen_file(g, path, &b);
    gen_source(g, path);
}

static bool is_bin(const Gen *g)
{
    int64_t bytes = 0;
    int i;

    for (i = 0; i < g->p->nbuf; i++)
        if (is_array(g, i))
            bytes += g->p->buf[i].size;
    return g->o->weights == WEIGHTS_bin ||
           (g->o->weights == WEIGHTS_by_size && bytes > LARGE);
}

void gen_weights(Gen *g)
{
    name_weights(g);
    put_declarations(g);
    g->bin = is_bin(g);
    if (g->bin)
        put_bin(g);
    else
        put_c(g);
}
