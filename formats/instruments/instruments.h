/* SPDX-License-Identifier: BSD-3-Clause */
/* What Xcode's Instruments exports: a deep copy of the call tree, and tables of xctrace. */
#ifndef INSTRUMENTS_H
#define INSTRUMENTS_H

#include "formats/common/stacks.h"

int instruments_read_copy(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks);
int instruments_read_xml(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks);

#endif
