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
    lm->position = lm->taken = lm->layer = 0;
}

int32_t tilewright_lm_left(const struct tilewright_lm *lm)
{
    return lm->model->context - lm->position;
}

const float *tilewright_lm_prefill(struct tilewright_lm *lm,
                                   const int32_t *token, int32_t n)
{
    int32_t part;

    lm->taken = 0;
    if (n < 1 || n > tilewright_lm_left(lm))
        return NULL;
    for (; n; n -= part, token += part) {
        part = n < lm->model->chunk ? n : lm->model->chunk;
        lm->model->set(lm->net, token, part, lm->position);
        lm->model->run(lm->net);
        lm->position += part;
    }
    return lm->model->logits(lm->net);
}

const float *tilewright_lm_step(struct tilewright_lm *lm, int32_t token)
{
    return tilewright_lm_prefill(lm, &token, 1);
}

int tilewright_lm_begin(struct tilewright_lm *lm, const int32_t *token,
                        int32_t n)
{
    lm->taken = 0;
    if (n < 1 || n > tilewright_lm_left(lm) || n > lm->model->chunk)
        return 0;
    lm->model->set(lm->net, token, n, lm->position);
    lm->taken = n;
    lm->layer = 0;
    return 1;
}

const float *tilewright_lm_work(struct tilewright_lm *lm)
{
    if (!lm->taken)
        return NULL;
    lm->model->layer(lm->net, ++lm->layer);
    if (lm->layer < lm->model->layers)
        return NULL;
    lm->position += lm->taken;
    lm->taken = 0;
    return lm->model->logits(lm->net);
}

const float *tilewright_lm_renew(struct tilewright_lm *lm, int32_t keep,
                                 const int32_t *token, int32_t n)
{
    if (n < 1 || n > lm->model->context - keep ||
        !tilewright_lm_rewind(lm, keep))
        return NULL;
    return tilewright_lm_prefill(lm, token, n);
}

/* What lies behind a position is never read. */
int tilewright_lm_rewind(struct tilewright_lm *lm, int32_t n)
{
    if (n < 0 || n > lm->position)
        return 0;
    lm->position = n;
    lm->taken = 0;
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
    lm->taken = 0;
    return 1;
}
