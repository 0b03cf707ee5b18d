/* Finds a file packed into the binary; build/packed.c is made by tools/pack. */
#include "base/base.h"

#include <string.h>

const Packed *packed_find(const char *path)
{
    int i;

    for (i = 0; i < npacked; i++)
        if (!strcmp(packed[i].path, path))
            return &packed[i];
    return NULL;
}
