/* Two ways to stop: err() is the user's fault and says what to do about it;
 * die() is ours and leaves a core to look at. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

Trouble trouble;
void (*err_hook)(const Trouble *t);
bool quiet;

static int (*last)(int status, void *arg);
static void *last_arg;

void end_with(int (*fn)(int status, void *arg), void *arg)
{
    last = fn;
    last_arg = arg;
}

int end_status(int status)
{
    int (*fn)(int status, void *arg) = last;

    progress_end();
    last = NULL;
    return fn ? fn(status, last_arg) : status;
}

void say(const char *who, const char *message)
{
    Arena *a = arena_new();
    Str out = {.mem = a};

    progress_end();
    if (who) {
        str_safe(&out, who, "");
        str_put(&out, ": ");
    }
    str_safe(&out, message, "\n\t");
    str_put(&out, "\n");
    fputs(out.s, stderr);
    arena_end(a);
}

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
    say(trouble.file, trouble.message);
    exit(end_status(status));
}

void warn(const char *fmt, ...)
{
    char message[sizeof trouble.message];
    va_list ap;

    if (quiet)
        return;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    say("warning", message);
}

_Noreturn void die_at(const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    progress_end();
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputs(" (a mistake in tilewright: please report it)\n", stderr);
    abort();
}
