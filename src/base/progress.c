/* One line that says how far a long piece of work has come. */
#include "base/base.h"

#include <unistd.h>

static bool shown;

void progress(const char *what, int64_t done, int64_t all)
{
    if (quiet || !isatty(2))
        return;
    fprintf(stderr, "\r\033[K%s %lld/%lld", what, (long long)done,
            (long long)all);
    shown = true;
}

void progress_end(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
