/* The same interface on a machine with an operating system. */
#include "../rt.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *files[4];

int rt_open(const char *path, int write)
{
    int i;

    for (i = 0; i < 4 && files[i]; i++)
        ;
    if (i == 4)
        return -1;
    files[i] = fopen(path, write ? "wb" : "rb");
    return files[i] ? i : -1;
}

int rt_read(int file, void *p, int n)
{
    return (int)fread(p, 1, (size_t)n, files[file]);
}

int rt_write(int file, const void *p, int n)
{
    return (int)fwrite(p, 1, (size_t)n, files[file]);
}

void rt_close(int file)
{
    (void)fclose(files[file]);
    files[file] = NULL;
}

void rt_print(const char *s)
{
    (void)fputs(s, stdout);
}

void rt_print_hex(const char *name, uint32_t v)
{
    (void)printf("%s%08lx", name, (unsigned long)v);
}

void rt_exit(int status)
{
    exit(status);
}

void rt_paint(void)
{
}

int32_t rt_stack_used(void)
{
    return -1;
}
