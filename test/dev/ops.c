/* Small operators, for test/dev/shell.t. */
#include <stdint.h>

static int counter;
int32_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int32_t zeros[16];

int add(int a, int b)
{
    return a + b;
}

int six(int a, int b, int c, int d, int e, int f)
{
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}

int count(void)
{
    return ++counter;
}

int sum(const int32_t *v, int n)
{
    int s = 0;

    while (n--)
        s += *v++;
    return s;
}

int invert(const uint8_t *x, uint8_t *y, int n)
{
    int i;

    for (i = 0; i < n; i++)
        y[i] = (uint8_t)~x[i];
    return n;
}

int turns(int n)
{
    volatile int i;

    for (i = 0; i < n; i++)
        ;
    return n;
}

int hang(void)
{
    for (;;)
        __asm__ volatile("" ::: "memory");
}

int wild(void)
{
    return *(volatile int *)0xffffff00;
}
