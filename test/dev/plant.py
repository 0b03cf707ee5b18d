#!/usr/bin/env python3
"""plant.py KERNEL HOW: the kernel, preferred to all others, with a mistake.
value: it computes something else; address: its result lies 32 bytes behind its
place; buffer: it writes 16 bytes of what lies behind its
result of bytes; constant: it writes the first byte of its second operand."""
import re
import sys

path, how = sys.argv[1:]
text = re.sub(r" \* cycles.*", " * cycles   1", open(path).read())
if how == "value":
    wrong = text.replace("2 * sum + count,", "2 * sum + 199 * count,")
    assert wrong != text
    print(wrong)
    sys.exit()
begin = re.search(r"\n(MAP1|POOL_EACH)\(", text)
dims = {"MAP1": "map", "POOL_EACH": "pool"}[begin.group(1)]
body = {"address": """    struct io other = *io;

    other.out[0] = (char *)io->out[0] + 32;
    honest(k, &other);
""", "buffer": """    char *p = io->out[0];
    int i, bytes = 1;

    honest(k, io);
    for (i = 0; i < (int)(sizeof k->n / sizeof k->n[0]); i++)
        bytes *= k->n[i];
    p += bytes;
    for (i = 0; i < 16; i++)
        p[i] ^= 85;
""", "constant": """    honest(k, io);
    *(char *)(uintptr_t)io->in[1] ^= 85;
"""}[how]
print(text[:begin.start()] + """
#pragma push_macro("FN")
#undef FN
#define FN static honest""" + text[begin.start():] + """
#pragma pop_macro("FN")

void FN(const struct %s_dims *k, const struct io *io)
{
%s}""" % (dims, body))
