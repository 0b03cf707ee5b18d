/* The kinds of devices there are.  Each announces itself before main(). */
#include "sim/chip.h"

#include <string.h>

enum { MODELS = 64 };

static const Model *models[MODELS];
static int nmodel;

void model_add(const Model *m)
{
    if (nmodel == MODELS)
        die("more than %d device models", MODELS);
    models[nmodel++] = m;
}

const Model *model_find(const char *name)
{
    int i;

    for (i = 0; i < nmodel; i++)
        if (!strcmp(models[i]->name, name))
            return models[i];
    return NULL;
}
