/* Text from outside, made fit to be shown: names in models, names of files.
 *
 * A terminal obeys control characters, and an editor shows what stands between
 * bidirectional ones in another order than a compiler reads it (Boucher and
 * Anderson, "Trojan Source", 2021). */
#include "base/base.h"

#include <string.h>

/* Controls, marks and overrides of direction, what has no width, tags. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x00, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
};

static bool is_hidden(uint32_t c)
{
    size_t i;

    for (i = 0; i < LEN(hidden); i++)
        if (c >= hidden[i].first && c <= hidden[i].last)
            return true;
    return false;
}

/* Bytes of the UTF-8 character that begins with this one; 0: none does. */
static int length(unsigned char b)
{
    return b < 0x80 ? 1 : b < 0xc2 ? 0 : b < 0xe0 ? 2 : b < 0xf0 ? 3
         : b < 0xf5 ? 4 : 0;
}

bool text_char(const char *s, uint32_t *c, int *len)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)s;
    int i, n = length(*p);
    uint32_t v = n > 1 ? *p & (0x7fu >> n) : *p;

    *len = 1;
    *c = *p;
    for (i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return false;
        v = v << 6 | (p[i] & 0x3f);
    }
    if (!n || v < least[n] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
        return false;
    *len = n;
    *c = v;
    return !is_hidden(v);
}

bool text_is_safe(const char *s)
{
    uint32_t c;
    int n;

    for (; *s; s += n)
        if (!text_char(s, &c, &n))
            return false;
    return true;
}

void str_safe(Str *b, const char *s, const char *keep)
{
    uint32_t c;
    int n;

    str_put(b, "");
    for (; *s; s += n)
        if (text_char(s, &c, &n) || strchr(keep, *s))
            str_mem(b, s, (size_t)n);
        else
            str_fmt(b, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
}
