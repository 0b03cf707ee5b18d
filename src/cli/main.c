/* The command line: a table of contents. */
#include "base/base.h"

int main(void)
{
    return 0;
}
