/* The board: here bytes and the time are those of the machine that debugs or
 * emulates the chip, or of this one.  On a board of your own, a UART and a
 * timer take the place of put, th_getchar and micros. */
#ifdef __linux__
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#endif

#include "submitter.h"
#include "../rt.h"

#include <stdarg.h>
#include <string.h>

#ifdef __linux__

static void put(const char *s)
{
    rt_print(s);
    fflush(stdout);
}

int th_getchar(void)
{
    return getchar();
}

static unsigned long micros(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long)t.tv_sec * 1000000 + (unsigned long)t.tv_nsec / 1000;
}

void th_serialport_initialize(void)
{
}
#else
enum { SYS_ELAPSED = 0x30, SYS_TICKFREQ = 0x31, MILLION = 1000000 };

intptr_t rt_semihost(intptr_t op, const void *block);

static int from, to; /* files of the console */

static void put(const char *s)
{
    rt_write(to, s, (int)strlen(s));
}

int th_getchar(void)
{
    char c;

    return rt_read(from, &c, 1) == 1 ? (unsigned char)c : -1;
}

static unsigned long micros(void)
{
    static uint32_t each; /* ticks of a microsecond */
    uint32_t ticks[2] = {0, 0};
    uint64_t all;

    if (!each)
        each = (uint32_t)rt_semihost(SYS_TICKFREQ, ticks) / MILLION;
    rt_semihost(SYS_ELAPSED, ticks);
    all = (uint64_t)ticks[1] << 32 | ticks[0];
    return (unsigned long)(all / (each ? each : 1));
}

void th_serialport_initialize(void)
{
    from = rt_open(":tt", 0);
    to = rt_open(":tt", 1);
}
#endif

void th_timestamp_initialize(void)
{
    th_printf("m-timestamp-mode-performance\r\n");
}

void th_timestamp(void)
{
    const unsigned long now = micros();

    th_printf("m-lap-us-%lu\r\n", now);
}

/* ---- text ---- */

/* v in a base, with at least `width` digits. */
static void put_number(unsigned long v, unsigned base, int width)
{
    char s[24], *p = s + sizeof s - 1;

    *p = 0;
    do {
        *--p = "0123456789abcdef"[v % base];
        v /= base;
        width--;
    } while (v || (width > 0 && p > s));
    put(p);
}

static void put_signed(int v, int width)
{
    if (v < 0)
        put("-");
    put_number(v < 0 ? 0ul - (unsigned long)v : (unsigned long)v, 10, width);
}

/* What stands behind a percent sign; the last character of that. */
static const char *put_item(const char *f, va_list *list)
{
    char one[2] = {0, 0};
    int width = 0, is_long = 0;

    for (; *f >= '0' && *f <= '9'; f++)
        width = 10 * width + (*f - '0');
    for (; *f == 'l'; f++)
        is_long = 1;
    if (*f == 's') {
        put(va_arg(*list, const char *));
    } else if (*f == 'd') {
        put_signed(va_arg(*list, int), width);
    } else if (*f == 'u' || *f == 'x') {
        const unsigned base = *f == 'u' ? 10 : 16;

        put_number(is_long ? va_arg(*list, unsigned long)
                           : va_arg(*list, unsigned), base, width);
    } else {
        one[0] = *f == 'c' ? (char)va_arg(*list, int) : *f;
        put(one);
    }
    return f;
}

void th_printf(const char *fmt, ...)
{
    char one[2] = {0, 0};
    va_list list;

    va_start(list, fmt);
    for (; *fmt; fmt++)
        if (*fmt == '%' && fmt[1]) {
            fmt = put_item(fmt + 1, &list);
        } else {
            one[0] = *fmt;
            put(one);
        }
    va_end(list);
}
