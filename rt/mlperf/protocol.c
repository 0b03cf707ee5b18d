/* The text protocol of MLPerf Tiny's runner: a command ends in `%`, its words
 * are one space apart; an answer is lines of `m-`, or one of `e-` for an error,
 * and always ends with `m-ready`. */
#include "submitter.h"

#include <string.h>

enum { MOST = 80, WORDS = 4 };

static char line[MOST + 1];
static int length;
static uint8_t buffer[MAX_DB_INPUT_SIZE];
static size_t wanted, loaded;

size_t ee_get_buffer(uint8_t *to, size_t most)
{
    size_t n = loaded < most ? loaded : most;

    memcpy(to, buffer, n);
    return n;
}

/* A number in decimal; -1: it is none. */
static long number_of(const char *s)
{
    long n = 0;

    if (!*s || strlen(s) > 8)
        return -1;
    for (; *s >= '0' && *s <= '9'; s++)
        n = 10 * n + (*s - '0');
    return *s ? -1 : n;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 'a' ^ 'A';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* ---- commands ---- */

static void say_name(void)
{
    th_printf("m-name-dut-[" TH_VENDOR_NAME_STRING "]\r\n");
}

static void say_profile(void)
{
    th_printf("m-profile-[ULPMark for tinyML Firmware V0.0.1]\r\n"
              "m-model-[%s]\r\n", th_model_version);
}

static void print_buffer(void)
{
    size_t i;

    for (i = 0; i < loaded; i++) {
        if (i % 8 == 0)
            th_printf(i ? "\r\nm-buffer" : "m-buffer");
        th_printf("-%02x", (unsigned)buffer[i]);
    }
    th_printf(loaded ? "\r\n" : "");
}

static void begin_load(const char *bytes)
{
    const long n = number_of(bytes);

    if (n < 1 || n > MAX_DB_INPUT_SIZE) {
        th_printf("e-[db load: 1 to %d bytes were wanted]\r\n",
                  MAX_DB_INPUT_SIZE);
        return;
    }
    wanted = (size_t)n;
    loaded = 0;
    th_printf("m-[Expecting %lu bytes]\r\n", (unsigned long)wanted);
}

/* All of a line, or nothing of it. */
static void load_hex(const char *s)
{
    const size_t n = strlen(s) / 2, was = loaded;
    size_t i;

    if (strlen(s) % 2 || n > wanted - loaded) {
        th_printf("e-[db: %lu bytes are left]\r\n",
                  (unsigned long)(wanted - loaded));
        return;
    }
    for (i = 0; i < n; i++, s += 2) {
        const int high = digit_of(s[0]), low = digit_of(s[1]);

        if (high < 0 || low < 0) {
            loaded = was;
            th_printf("e-[db: hexadecimal digits were wanted]\r\n");
            return;
        }
        buffer[loaded++] = (uint8_t)(high << 4 | low);
    }
    if (n && loaded == wanted)
        th_printf("m-load-done\r\n");
}

static void do_db(int n, char *word[])
{
    if (n == 3 && !strcmp(word[1], "load"))
        begin_load(word[2]);
    else if (n == 2 && !strcmp(word[1], "print"))
        print_buffer();
    else if (n == 2)
        load_hex(word[1]);
    else
        th_printf("e-[db: load N, print or hexadecimal was wanted]\r\n");
}

static void infer(long n, long warm)
{
    long i;

    th_load_tensor();
    th_printf("m-warmup-start-%d\r\n", (int)warm);
    for (i = 0; i < warm; i++)
        th_infer();
    th_printf("m-warmup-done\r\nm-infer-start-%d\r\n", (int)n);
    th_timestamp();
    for (i = 0; i < n; i++)
        th_infer();
    th_timestamp();
    th_printf("m-infer-done\r\n");
    th_results();
}

static void do_infer(int n, char *word[])
{
    const long runs = n > 1 ? number_of(word[1]) : 1;
    const long warm = n > 2 ? number_of(word[2]) : 10;

    if (runs < 1 || warm < 0)
        th_printf("e-[infer: a number of runs, 1 or more, and one of warm-ups"
                  " were wanted]\r\n");
    else if (!wanted || loaded != wanted)
        th_printf("e-[infer: no input is loaded]\r\n");
    else
        infer(runs, warm);
}

static void say_help(void)
{
    th_printf("m-[name, profile, timestamp, db load N, db HEX, db print,"
              " infer N WARMUPS, results, help]\r\n");
}

static void do_command(int n, char *word[])
{
    if (!strcmp(word[0], "name"))
        say_name();
    else if (!strcmp(word[0], "profile"))
        say_profile();
    else if (!strcmp(word[0], "timestamp"))
        th_timestamp();
    else if (!strcmp(word[0], "db"))
        do_db(n, word);
    else if (!strcmp(word[0], "infer"))
        do_infer(n, word);
    else if (!strcmp(word[0], "results"))
        th_results();
    else if (!strcmp(word[0], "help"))
        say_help();
    else
        th_printf("e-[%s: no command; see help]\r\n", word[0]);
}

/* ---- lines ---- */

static void ready(void)
{
    th_printf("m-ready\r\n");
}

static void take_line(void)
{
    char *word[WORDS] = {line}, *p;
    int n = 1;

    for (p = line; *p; p++)
        if (*p == ' ') {
            *p = 0;
            if (n < WORDS)
                word[n] = p + 1;
            n++;
        }
    if (n > WORDS)
        th_printf("e-[%s: too many words]\r\n", line);
    else
        do_command(n, word);
    ready();
}

void ee_serial_callback(char c)
{
    if (c == '%') {
        line[length < MOST ? length : MOST] = 0;
        if (length <= MOST) {
            take_line();
        } else {
            th_printf("e-[a command has %d characters at most]\r\n", MOST);
            ready();
        }
        length = 0;
    } else if (c != '\r' && c != '\n') {
        if (length < MOST)
            line[length] = c;
        length += length <= MOST;
    }
}

void ee_benchmark_initialize(void)
{
    th_serialport_initialize();
    th_timestamp_initialize();
    th_final_initialize();
    th_printf("m-init-done\r\n");
    ready();
}
