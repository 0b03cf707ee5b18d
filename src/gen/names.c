/* Names of ours that go into C: what a network is called there, and what must
 * not be taken for something else. */
#include "gen/gen.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Keywords of C and C++. */
static const char *const keywords[] = {
    "alignas", "alignof", "and", "asm", "auto", "bitand", "bitor", "bool",
    "break", "case", "catch", "char", "class", "compl", "concept", "const",
    "consteval", "constexpr", "constinit", "continue", "decltype",
    "default", "delete", "do", "double", "else", "enum", "explicit",
    "export", "extern", "false", "final", "float", "for", "friend", "goto",
    "if", "import", "inline", "int", "long", "module", "mutable",
    "namespace", "new", "noexcept", "not", "nullptr", "operator", "or",
    "override", "private", "protected", "public", "register", "requires",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct",
    "switch", "template", "this", "throw", "true", "try", "typedef",
    "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual",
    "void", "volatile", "while", "xor",
};

/* NAME.h would stand in for <name.h>, where folders are searched in order:
 * headers of C, C++ and POSIX, and those that newlib and picolibc have. */
static const char *const headers[] = {
    "alloca", "ar", "argz", "arm_acle", "arm_mve", "arm_neon", "assert",
    "byteswap", "cassert", "ccomplex", "cctype", "cerrno", "cfenv",
    "cfloat", "cinttypes", "climits", "clocale", "cmath", "complex", "cpio",
    "csetjmp", "csignal", "cstdarg", "cstdbool", "cstddef", "cstdint",
    "cstdio", "cstdlib", "cstring", "ctgmath", "ctime", "ctype", "cwchar",
    "cwctype", "devctl", "dirent", "elf", "endian", "envlock", "envz",
    "errno", "fastmath", "fcntl", "features", "fenv", "fnmatch", "getopt",
    "glob", "grp", "iconv", "ieeefp", "inttypes", "iso646", "langinfo",
    "libgen", "limits", "locale", "malloc", "math", "memory", "ndbm",
    "newlib", "paths", "picolibc", "pmsis", "poll", "pthread", "pwd",
    "reent", "regdef", "regex", "sched", "search", "semaphore", "semihost",
    "setjmp", "signal", "spawn", "stdalign", "stdarg", "stdatomic",
    "stdbit", "stdbool", "stdckdint", "stddef", "stdfix", "stdint", "stdio",
    "stdlib", "stdnoreturn", "string", "strings", "tar", "termios",
    "tgmath", "threads", "time", "uchar", "unctrl", "unistd", "unwind",
    "utime", "utmp", "varargs", "wchar", "wctype", "windows", "wordexp",
};

/* Macros of C libraries and compilers; what they call NAME_init; files and
 * folders of a project. */
static const char *const taken[] = {
    "atomic", "build", "cnd", "eof", "far", "host", "io", "kern", "linux",
    "main", "mark", "mtx", "nan", "null", "own", "rt", "run", "sem",
    "stderr", "stdin", "stdout", "team", "unix",
};

/* File systems may not tell capitals apart. */
static bool is_in(const char *const *list, size_t n, const char *s)
{
    size_t i;

    for (i = 0; i < n && strcasecmp(list[i], s); i++)
        ;
    return i < n;
}

/* Headers are guarded by their names, ours as well as NAME.h. Those in folders
 * of kernels never meet it: kernels alone include them. */
static bool is_our_header(const char *s)
{
    size_t n = strlen(s);
    int i;

    for (i = 0; i < npacked; i++) {
        const char *path = packed[i].path, *base = path_base(path);

        if (str_starts(path, "kern/") && strchr(path + 5, '/'))
            continue;
        if (str_ends(base, ".h") && strlen(base) == n + 2 &&
            !strncasecmp(base, s, n))
            return true;
    }
    return false;
}

/* What functions of NAME.c have beside numbers. */
static const char *const ours[] = {
    "net", "io", "dims", "value", "i", "n_", "offset", "bytes", "from", "to",
    "p",
};

char *gen_word(Arena *a, const char *s)
{
    Str w = {.mem = a};

    str_put(&w, isdigit((unsigned char)*s) || !*s ? "n" : "");
    for (; *s; s++)
        str_fmt(&w, "%c", isalnum((unsigned char)*s) ? *s : '_');
    if (is_in(keywords, LEN(keywords), w.s) || is_in(ours, LEN(ours), w.s))
        str_put(&w, "_");
    return w.s;
}

/* NULL: nobody. */
static const char *who_has(const char *s)
{
    if (is_in(keywords, LEN(keywords), s))
        return "a keyword of C or C++";
    if (is_in(headers, LEN(headers), s))
        return "a header of C's libraries";
    if (is_in(taken, LEN(taken), s) || is_our_header(s))
        return "a name of our files or of C's libraries";
    return NULL;
}

char *gen_name(Arena *a, const char *path, const char **taken_by)
{
    char *s = arena_str(a, path_base(path)), *dot = strrchr(s, '.');

    if (dot && dot > s)
        *dot = 0;
    s = str_ident(a, s);
    if (*s == '_')
        s = arena_fmt(a, "net%s", s);
    *taken_by = who_has(s);
    return *taken_by ? arena_fmt(a, "%s_net", s) : s;
}

char *gen_caps(Arena *a, const char *s)
{
    char *caps = arena_str(a, s), *p;

    for (p = caps; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return caps;
}

const char *gen_comment(Gen *g, const char *s)
{
    Str t = {.mem = g->mem};
    char *p;

    str_safe(&t, s, "");
    for (p = t.s; *p; p++)
        if ((*p == '*' && p[1] == '/') || (*p == '/' && p[1] == '*'))
            *p = ' ';
    return t.s;
}

void gen_quote(const char *s, Str *out)
{
    str_put(out, "\"");
    for (; *s; s++)
        if (strchr("\"\\?", *s))
            str_fmt(out, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            str_fmt(out, "\\%03o", (unsigned)(unsigned char)*s);
        else
            str_mem(out, s, 1);
    str_put(out, "\"");
}

const char *gen_mem(const Gen *g, int mem)
{
    char *s = str_ident(g->mem, g->p->soc->mems[mem].name), *p;

    for (p = s; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return s;
}
