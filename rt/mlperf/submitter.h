/* What MLPerf Tiny's harness asks of a device (github.com/mlcommons/tiny,
 * benchmark/api/submitter_implemented.h), and what it gives.
 *
 * protocol.c answers its text protocol here; the organisers' own
 * internally_implemented.cpp may take its place: functions have the same names.
 * port.c is what a board does its way: bytes in and out, and the time. */
#ifndef SUBMITTER_H
#define SUBMITTER_H

#include <stddef.h>
#include <stdint.h>

#define TH_VENDOR_NAME_STRING "tilewright"
enum { MAX_DB_INPUT_SIZE = 27648 };

#ifdef __cplusplus
extern "C" {
#endif

extern const char th_model_version[]; /* "kws01", "vww01", "ic01", "ad01" */

/* NAME_submitter.c */
void th_final_initialize(void); /* the model is made ready */
void th_load_tensor(void);      /* what was loaded becomes the input */
void th_infer(void);            /* one inference, and nothing else */
void th_results(void);          /* prints a line of scores */

/* port.c */
void th_serialport_initialize(void);
int th_getchar(void);           /* waits for a byte; -1: none will come */
void th_printf(const char *fmt, ...); /* %s %c %d %u %lu %x, %02x, %03d */
void th_timestamp_initialize(void);
void th_timestamp(void);        /* prints the time in microseconds */

/* protocol.c */
void ee_benchmark_initialize(void);
void ee_serial_callback(char c); /* each byte that arrives */
/* The bytes of the last `db load`: how many of them were put to `to`. */
size_t ee_get_buffer(uint8_t *to, size_t most);

#ifdef __cplusplus
}
#endif
#endif
