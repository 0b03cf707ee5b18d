/* Files and console of the machine that debugs or emulates us: Arm
 * semihosting, which RISC-V took over.  The start-up code has rt_semihost(), the
 * trap itself: an operation and its block of arguments. */
#include "rt.h"

#ifndef RT_SESSION /* a debugger's host: session.c */
enum {
    SYS_OPEN = 1, SYS_CLOSE, SYS_WRITE0 = 4, SYS_WRITE, SYS_READ,
    SYS_EXIT_EXTENDED = 0x20
};

intptr_t rt_semihost(intptr_t op, const void *block);

static intptr_t length(const char *s)
{
    const char *p = s;

    while (*p != 0)
        p++;
    return p - s;
}

int rt_open(const char *path, int write)
{
    intptr_t block[3];

    block[0] = (intptr_t)path;
    block[1] = write ? 5 : 1; /* as fopen's "wb" and "rb" */
    block[2] = length(path);
    return (int)rt_semihost(SYS_OPEN, block);
}

/* The operation says how many bytes were left over. */
static int move(intptr_t op, int file, const void *p, int n)
{
    intptr_t block[3];

    block[0] = file;
    block[1] = (intptr_t)p;
    block[2] = n;
    return n - (int)rt_semihost(op, block);
}

int rt_read(int file, void *p, int n)
{
    return move(SYS_READ, file, p, n);
}

int rt_write(int file, const void *p, int n)
{
    return move(SYS_WRITE, file, p, n);
}

void rt_close(int file)
{
    intptr_t block = file;

    (void)rt_semihost(SYS_CLOSE, &block);
}

void rt_print(const char *s)
{
    (void)rt_semihost(SYS_WRITE0, s);
}
#endif

void rt_print_hex(const char *name, uint32_t v)
{
    char s[12];
    int i;

    for (i = 0; i < 8; i++)
        s[i] = "0123456789abcdef"[(v >> (28 - 4 * i)) & 15u];
    s[8] = 0;
    rt_print(name);
    rt_print(s);
}

#ifndef RT_SESSION
/* Unless the start-up code knows another way. */
__attribute__((weak)) void rt_exit(int status)
{
    intptr_t block[2];

    block[0] = 0x20026; /* the application has ended */
    block[1] = status;
    for (;;)
        (void)rt_semihost(SYS_EXIT_EXTENDED, block);
}
#endif
