/* Windows of convolutions and pools. */
#include "front/tflite/window.h"

void window_same(Window *w, const int64_t *size)
{
    int i;

    for (i = 0; i < 2; i++) {
        int64_t k = (w->kernel[i] - 1) * w->dilation[i] + 1;
        int64_t n = (size[i] + w->stride[i] - 1) / w->stride[i];
        int64_t total = MAX(0, (n - 1) * w->stride[i] + k - size[i]);

        w->before[i] = total / 2;
        w->after[i] = total - total / 2;
    }
}

void window_check(const Call *c, const int64_t *v, const char *what)
{
    if (v[0] < 1 || v[1] < 1 || v[0] > 1 << 20 || v[1] > 1 << 20)
        call_err(c, "%s is %lld x %lld; wanted 1 to 2^20", what,
                 (long long)v[0], (long long)v[1]);
}

void window_pad(const Call *c, Window *w, int64_t padding,
                       const int64_t *size)
{
    window_check(c, w->kernel, "the window");
    window_check(c, w->stride, "the stride");
    window_check(c, w->dilation, "the dilation");
    if (padding == SAME)
        window_same(w, size);
    else if (padding != VALID)
        call_err(c, "padding %lld; wanted SAME or VALID", (long long)padding);
}

void window_set(Call *c, Node *n, const Window *w)
{
    int64_t pad[] = {w->before[0], w->before[1], w->after[0], w->after[1]};

    attr_set_list(c->g, n, A_stride, 2, w->stride);
    if (pad[0] || pad[1] || pad[2] || pad[3])
        attr_set_list(c->g, n, A_pad, 4, pad);
    if (w->dilation[0] != 1 || w->dilation[1] != 1)
        attr_set_list(c->g, n, A_dilation, 2, w->dilation);
}
