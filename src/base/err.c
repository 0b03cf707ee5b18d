/* Two ways to stop: err() is the user's fault and says what to do about it;
 * die() is ours and leaves a core to look at. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

Trouble trouble;
void (*err_hook)(const Trouble *t);
bool quiet;

void err_file(const char *path)
{
    trouble.file = path;
}

_Noreturn void err(int status, const char *fmt, ...)
{
    va_list ap;

    trouble.status = status;
    va_start(ap, fmt);
    vsnprintf(trouble.message, sizeof trouble.message, fmt, ap);
    va_end(ap);
    if (status == ERR_USAGE || status == ERR_TOOL)
        trouble.file = NULL; /* the fault is not the input's */
    if (err_hook)
        err_hook(&trouble);
    fflush(stdout);
    if (trouble.file)
        fprintf(stderr, "%s: ", trouble.file);
    fprintf(stderr, "%s\n", trouble.message);
    exit(status);
}

void warn(const char *fmt, ...)
{
    va_list ap;

    if (quiet)
        return;
    fputs("warning: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

_Noreturn void die_at(const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "%s:%d: ", file, line);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputs(" (a mistake in tilewright: please report it)\n", stderr);
    abort();
}
