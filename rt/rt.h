/* rt: what a program on a bare chip stands on.
 *
 * One folder per environment has the start-up code and marks; it calls main()
 * once memory is as C wants it, and ends the program with what main returns.
 * Files are those of the machine that runs or debugs the program. */
#ifndef RT_H
#define RT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Status of a program that stopped at a fault of the processor. */
enum { RT_FAULT = 103 };

int rt_open(const char *path, int write); /* less than 0: it cannot */
int rt_read(int file, void *p, int n);    /* bytes read */
int rt_write(int file, const void *p, int n);
void rt_close(int file);
void rt_print(const char *s);
void rt_print_hex(const char *name, uint32_t v);
void rt_exit(int status);

/* Of a chip that runs a network with others (rt/link): before the first run all
 * agree on protocol, model and number of chips, or the program ends with 5. */
void rt_link_begin(void);

/* The stack used below the caller of rt_paint() since then, in bytes; -1 where
 * it is not known, or nothing was left of the stack. */
void rt_paint(void);
int32_t rt_stack_used(void);

#ifdef __cplusplus
}
#endif
#endif
