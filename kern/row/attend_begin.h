/* Zero points of q and k in what sums of an attention begin with.  To be included
 * after
 *
 *     bytes_sum(x, n)         the sum of n bytes
 */
#ifndef ROW_ATTEND_BEGIN_H
#define ROW_ATTEND_BEGIN_H

/* With each key: (q - zero) (k - zero) is q k less sums of k and of q. */
static NOINLINE void take_begin(const struct attend_dims *k, const K *key,
                                int32_t *begin)
{
    const int32_t both = k->d * k->qzero * k->kzero;

    for (int32_t i = 0; i < k->n; i++, key += k->krow)
        begin[i] = both - k->qzero * bytes_sum(key, k->d);
}

#endif
