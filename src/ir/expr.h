/* expr: what expr.c reads and expr_value.c works out. */
#ifndef IR_EXPR_H
#define IR_EXPR_H

#include "ir/ir.h"

typedef enum Action {
    NUMBER, WORD, WORDS, REAL,          /* WORDS: element a of an array */
    HAS, LEAST, MOST, COUNT, BYTES,     /* of operand v */
    ACC_LEAST, ACC_MOST, SCALED_LEAST, SCALED_MOST, ROUNDS, ROOM,
    NEGATE, NOT, INVERT,
    OR, AND, BITOR, BITXOR, BITAND, EQUAL, DIFFERENT, LESS, GREATER, UPTO,
    FROM, LEFT, RIGHT, PLUS, MINUS, TIMES, OVER, MODULO, MINIMUM, MAXIMUM,
    CHOICE
} Action;

typedef struct Expr Expr;
typedef struct Term Term;
struct Term {
    Action what;
    int len;        /* of a field that is an array */
    int64_t v;      /* a number, the offset of a field, or an operand */
    Term *a, *b, *c;
    const Expr *in; /* that it is of, if it may fail; else NULL */
    int at;         /* where it ends in the text of that */
    uint64_t asked; /* of the question that it is worked out for: */
    int64_t now;
    Term *next;     /* of its slot */
};

/* What names mean depends on the types line and on the family. */
struct Expr {
    const Kern *k;
    const char *text;
    const KernSig *sig;
    const DimsInfo *info;
    Term *root;
    Expr *next;
};

/* Err: what is wrong at s, in the text of e. */
_Noreturn void expr_fail(const Expr *e, const char *s, const char *what);
/* A term's value; of this question it is worked out once. */
int64_t expr_value(const Asked *x, Term *t);

#endif
