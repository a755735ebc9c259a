/* SPDX-License-Identifier: BSD-3-Clause */
/* Caliper's JSON and its own .cali: what names of columns and attributes say. */
#ifndef CALIPER_H
#define CALIPER_H

#include "formats/common/stacks.h"

/* Ranks, threads and iterations are numbers, but not costs. */
bool caliper_is_label(const char *name);
/* Sums that hold those of callees. */
bool caliper_is_inclusive(const char *name);
const char *caliper_unit_of(const char *name);
int caliper_read_cali(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks);

#endif
