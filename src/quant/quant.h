/* quant: QDQ and QLinear networks -> exact integer arithmetic. */
#ifndef QUANT_H
#define QUANT_H

#include "ir/ir.h"

/* Rewrites quantize/dequantize chains and the QLinear family, as front leaves
 * them, into integer operators with requantization; what cannot be rewritten
 * stays float between explicit quantize and dequantize. */
void quant_lower(Graph *g);

#endif
