/* External memory from a file of the machine that debugs or emulates us. */
#include "ext.h"
#include "../rt.h"

static int read(void *file, void *p, int n)
{
    return rt_read(*(const int *)file, p, n);
}

int pulp_ext_load_file(const char *path, uint32_t ext, uint32_t n, void *room,
                       uint32_t size)
{
    int f = rt_open(path, 0), bad;

    if (f < 0)
        return 1;
    bad = pulp_ext_load(ext, n, room, size, read, &f);
    rt_close(f);
    return bad;
}
