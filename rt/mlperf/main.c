/* A device under test: it answers until no byte will come. */
#include "submitter.h"

int main(void)
{
    int c;

    ee_benchmark_initialize();
    while ((c = th_getchar()) >= 0)
        ee_serial_callback((char)c);
    return 0;
}
