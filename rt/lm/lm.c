/* Positions: what the caches of a network hold. */
#include "lm.h"

#include <string.h>

void tilewright_lm_init(struct tilewright_lm *lm,
                        const struct tilewright_lm_model *model, void *net)
{
    lm->model = model;
    lm->net = net;
    tilewright_lm_reset(lm);
}

void tilewright_lm_reset(struct tilewright_lm *lm)
{
    lm->model->reset(lm->net);
    lm->position = 0;
}

int32_t tilewright_lm_left(const struct tilewright_lm *lm)
{
    return lm->model->context - lm->position;
}

const float *tilewright_lm_prefill(struct tilewright_lm *lm,
                                   const int32_t *token, int32_t n)
{
    int32_t part;

    if (n < 1 || n > tilewright_lm_left(lm))
        return NULL;
    for (; n; n -= part, token += part) {
        part = n < lm->model->chunk ? n : lm->model->chunk;
        lm->model->run(lm->net, token, part, lm->position);
        lm->position += part;
    }
    return lm->model->logits(lm->net);
}

const float *tilewright_lm_step(struct tilewright_lm *lm, int32_t token)
{
    return tilewright_lm_prefill(lm, &token, 1);
}

/* What lies behind a position is never read. */
int tilewright_lm_rewind(struct tilewright_lm *lm, int32_t n)
{
    if (n < 0 || n > lm->position)
        return 0;
    lm->position = n;
    return 1;
}

void tilewright_lm_save(const struct tilewright_lm *lm, void *to)
{
    memcpy(to, &lm->position, 4);
    lm->model->save(lm->net, (char *)to + 4);
}

int tilewright_lm_load(struct tilewright_lm *lm, const void *from)
{
    int32_t position;

    memcpy(&position, from, 4);
    if (position < 0 || position > lm->model->context)
        return 0;
    lm->model->load(lm->net, (const char *)from + 4);
    lm->position = position;
    return 1;
}
