/* The longest --context that fits, for the error of one that does not. */
#include "cli/cli.h"

#include <string.h>

static Job *asked;

/* The longest of fewer than `high`, two trials at a time; 0: none fits. */
static int64_t longest(Job *j, int64_t high)
{
    int64_t low = 0;

    while (high - low > 1) {
        int64_t third = MAX((high - low) / 3, 1);
        Trial t[2] = {{.context = low + third},
                      {.context = MIN(low + 2 * third, high - 1)}};

        trials_run(j, t, 2);
        if (!t[1].got.status)
            low = t[1].context;
        else if (!t[0].got.status)
            low = t[0].context, high = t[1].context;
        else
            high = t[0].context;
    }
    return low;
}

/* Ends what is said of memory that is too small. */
static void tell_longest(const Trouble *t)
{
    size_t n = strlen(t->message);
    int64_t most;

    err_hook = NULL;
    if (t->status != ERR_FIT)
        return;
    most = longest(asked, asked->g->context);
    snprintf(trouble.message + n, sizeof trouble.message - n,
             "; the longest --context that fits: %s",
             most ? arena_fmt(asked->o.mem, "%lld", (long long)most) : "none");
}

/* Integers throughout would be calibrated for each trial: minutes. */
void longest_begin(Job *j)
{
    if (!j->g->context || j->trial || j->o.lm.fixed)
        return;
    asked = j;
    err_hook = tell_longest;
}

void longest_end(void)
{
    err_hook = NULL;
}
