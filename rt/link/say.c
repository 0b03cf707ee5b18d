/* What went wrong between chips, as a message for people. */
#include "link.h"

static char *add_text(char *p, const char *end, const char *s)
{
    while (*s && p + 1 < end)
        *p++ = *s++;
    *p = 0;
    return p;
}

static char *add_number(char *p, const char *end, int v)
{
    char s[12] = {0};
    int i = 11;

    do
        s[--i] = (char)('0' + v % 10);
    while ((v /= 10) && i);
    return add_text(p, end, s + i);
}

void link_say(const struct link_fault *f, const char *layer, char *text, int n)
{
    static const char *const what[] = {
        [LINK_OK] = "all is well with chip ",
        [LINK_LATE] = "nothing within the time limit from or to chip ",
        [LINK_CLOSED] = "no connection any more with chip ",
        [LINK_BROKEN] = "a broken message (checksum) of chip ",
        [LINK_ORDER] = "a message lost, twice there or of another layer, of "
                       "chip ",
        [LINK_PROTOCOL] = "another version of the protocol on chip ",
        [LINK_MODEL] = "another model, number of chips or way of exchange on "
                       "chip ",
        [LINK_ROOM] = "too little room for messages on chip ",
        [LINK_OTHER] = "a message for or of another chip where it is joined "
                       "with chip ",
        [LINK_PLACE] = "a program for another place or number of chips runs on "
                       "chip ",
    };
    const char *end = text + n;
    char *p = add_text(text, end, "chip ");

    p = add_number(p, end, f->chip);
    p = add_text(p, end, ": ");
    p = add_text(p, end, what[f->error]);
    p = add_number(p, end, f->peer);
    p = add_text(p, end, f->tag == LINK_AGREEMENT ? ", at the start" : ", layer ");
    if (f->tag != LINK_AGREEMENT && layer)
        add_text(p, end, layer);
    else if (f->tag != LINK_AGREEMENT)
        add_number(p, end, (int)f->tag);
}
