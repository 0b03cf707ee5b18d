/* base: what every part stands on.
 *
 * Memory is by lifetime: a thing lives as long as the arena it came from, is
 * zeroed when made, and is never freed alone.  Two ways to stop: err() for the
 * user's fault, die() for ours.  Parts that live long (sim, dev) return faults
 * as data and call neither. */
#ifndef BASE_H
#define BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define LEN(a) (sizeof(a) / sizeof *(a))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* arena.c */
typedef struct Arena Arena;
#define NEW(a, T) ((T *)arena_get(a, 1, sizeof(T)))
#define NEWN(a, T, n) ((T *)arena_get(a, n, sizeof(T)))
Arena *arena_new(void);
void arena_end(Arena *a);
void *arena_get(Arena *a, size_t n, size_t size); /* n * size zeroed bytes */
char *arena_str(Arena *a, const char *s);
char *arena_fmt(Arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
size_t arena_bytes(const Arena *a);
/* Makes room for element n of a growing array: v is at least n + 1 long. */
#define GROW(a, v, n) ((v) = arena_grow(a, v, n, sizeof *(v)))
/* The same where nobody else knows the array: what it was is free again. */
#define REGROW(a, v, n) ((v) = arena_regrow(a, v, n, sizeof *(v)))
void *arena_regrow(Arena *a, void *v, size_t n, size_t size);
/* Frees an array that arena_get gave from a, if it is large. */
void arena_drop(Arena *a, void *v, size_t n, size_t size);
void *arena_grow(Arena *a, void *v, size_t n, size_t size);

/* err.c: the exit codes of the contract */
enum { OK, ERR_MODEL, ERR_USAGE, ERR_FIT, ERR_DIFFER, ERR_TOOL };

/* What the last err() said; the command line writes it into --json. */
typedef struct Trouble {
    int status;
    const char *file;
    const char *node;
    char message[2048];
} Trouble;
extern Trouble trouble;
/* Called by err() and warn() users' reports in place of exit when set; must
 * not return (fuzzers and libraries jump out of it). */
extern void (*err_hook)(const Trouble *t);
extern bool quiet; /* warn() says nothing */

/* "file: message" on stderr, then exit(status).  err_file names the input
 * that is being read; NULL if none. */
void err_file(const char *path);
_Noreturn void err(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "who: message" on stderr; nothing in it moves the cursor.  who: or NULL. */
void say(const char *who, const char *message);
/* fn is called when the program ends, by err() or by main, which returns
 * end_status(status); it gives the status to end with. */
void end_with(int (*fn)(int status, void *arg), void *arg);
int end_status(int status);
/* A mistake of ours: file, line, abort. */
#define die(...) die_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void die_at(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* progress.c: what is being done, and how much of it is, on standard error if
 * that is a terminal, from the first second on; all: 0 if not known.  Whoever
 * says something else calls progress_end() first, which erases the line. */
void progress(const char *what, int64_t done, int64_t all);
void progress_end(void); /* safe in a signal handler */

/* str.c: text that grows in an arena */
typedef struct Str {
    Arena *mem;
    char *s; /* always ends in 0 once anything was put */
    size_t n;
    size_t room;
} Str;
void str_put(Str *b, const char *s);
void str_mem(Str *b, const void *p, size_t n);
void str_fmt(Str *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
char *str_ident(Arena *a, const char *s); /* a legal C name, near to s */

/* safe.c: text that came from outside.  Characters that move the cursor, turn
 * the direction of text, or are not seen, are written \x1b, \u202e; so are
 * bytes that are no UTF-8. */
bool text_is_safe(const char *s);
void str_safe(Str *b, const char *s, const char *keep); /* but these */
/* The first character of s and its length; false: not one that is shown. */
bool text_char(const char *s, uint32_t *c, int *len);
uint64_t hash_mem(const void *p, size_t n); /* FNV-1a */

/* file.c: all of these stop with err(ERR_MODEL) or, writing, err(ERR_TOOL) */
char *file_read(Arena *a, const char *path, size_t *n); /* 0 after the end */
char *file_read_input(Arena *a, size_t *n); /* standard input, whole */
/* A regular file, to be read; NULL: *why says why not. */
FILE *file_open(const char *path, const char **why);
void file_write(const char *path, const void *p, size_t n); /* `-`: stdout */
/* The same; 0, or the errno.  Of a regular file nothing half-written stays. */
int file_put(const char *path, const void *p, size_t n);
/* err(ERR_TOOL) now if path (or NULL) could not be written later. */
void file_check_output(const char *path);
bool file_exists(const char *path);
void dir_make(const char *path);   /* with parents */
void dir_remove(const char *path); /* with all it holds */
/* From now on the folder is removed at exit, however that comes; spared, it
 * stays after all. */
void dir_doom(const char *path);
void dir_spare(const char *path);
/* Signals that end us leave neither doomed folders nor a line of progress. */
void end_tidily(void);
/* Holds back the signals that end us, where one would come between making a
 * thing and remembering it; or lets them through again. */
void signals_hold(bool hold);
/* mkdtemp(), doomed from the start; false: errno says why. */
bool dir_new(char *path);
char *dir_temp(Arena *a);          /* a new folder, doomed */
/* If a signal ends us, the group of processes that this child leads is ended
 * first, so that it writes nothing into folders that go; 0: none runs. */
void jobs_doom(pid_t leader);
void jobs_end(void);              /* ends it and waits for all of it */
const char *path_base(const char *path);

/* pack.c: files packed into the binary ("kern/ref/conv_f32.c", ...) */
typedef struct Packed {
    const char *path;
    const char *data; /* 0 after the end */
    size_t n;
} Packed;
extern const Packed packed[];
extern const int npacked;
const Packed *packed_find(const char *path);

/* json.c: writes JSON; commas and indentation look after themselves */
typedef struct Json Json;
Json *json_new(Str *out);
void json_key(Json *j, const char *key);
void json_obj(Json *j);
void json_end(Json *j); /* of the innermost object or array */
/* `status` and `error`, the keys that every verb's --json begins with. */
void json_trouble(Json *j, int status);
/* FILE of --json FILE, wherever it stands, so that what is wrong before it
 * is told there too; NULL: not asked for. */
const char *json_option(int argc, char **argv);
/* Writes what a verb has to say, at the end; returns the status to end with:
 * ERR_TOOL if it cannot be written. `-`: stdout. */
int json_save(const char *path, const Str *text, int status);
void json_arr(Json *j);
void json_str(Json *j, const char *s); /* NULL: null */
void json_int(Json *j, int64_t v);
void json_num(Json *j, double v); /* not finite: null */
void json_bool(Json *j, bool v);
void json_null(Json *j);

/* jsonread.c: reads it; err(ERR_MODEL) where it is none */
typedef enum JsonKind {
    JSON_null, JSON_bool, JSON_num, JSON_str, JSON_arr, JSON_obj
} JsonKind;
typedef struct JsonVal {
    JsonKind kind;
    const char *key;       /* within an object */
    const char *s;         /* of a text */
    double num;            /* of a number; of true 1; else NaN */
    struct JsonVal *first, *next; /* what it holds; beside it */
} JsonVal;
JsonVal *json_read(Arena *mem, const char *text);
/* NULL: v is none or has no such key. */
const JsonVal *json_find(const JsonVal *v, const char *key);
double json_get(const JsonVal *v, const char *key);           /* NaN: none */
const char *json_text(const JsonVal *v, const char *key);     /* NULL: none */

/* npz.c: arrays as NumPy stores them, read through libzip */
typedef struct Array {
    char *name;
    char type[4]; /* "f4" "f8" "i1" "u1" ... "b1"; little endian */
    int rank;
    int64_t dim[8];
    int64_t n; /* elements */
    void *data; /* C order */
    struct Array *next;
} Array;
Array *npz_read(Arena *a, const char *path); /* .npz or .npy, in order */
Array *npy_parse(Arena *a, const char *name, const void *p, size_t n);
void npz_write(const char *path, const Array *list);
/* n files below dir, by those names, as a zip: same content, same bytes. */
void zip_files(const char *path, const char *dir, int n,
               const char *const *name);
double array_get(const Array *v, int64_t i);

#endif
