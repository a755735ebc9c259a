/* SPDX-License-Identifier: BSD-3-Clause */
/* How probable it is that a change is guilty, from machine code and costs. */
#ifndef PERUN_CORE_DISSECT_EVIDENCE_H
#define PERUN_CORE_DISSECT_EVIDENCE_H

#include "core/dissect/changes.h"
#include "core/dissect/costs.h"
#include "core/dissect/functions.h"

/* The name in the line that names a function: "static int name(long x)", "func (t *T) name() {"; false = none. */
bool evidence_function_name(const char *line, const char **name, size_t *length);
/*
 * Weights in any unit, one a change, and which changes are taken for innocent until others do not explain it all: those in
 * functions that are built to the same code, and those that alter blanks and comments only.
 */
void evidence_weigh(const struct changes *changes, const struct functions *functions,
		    const struct costs *costs, double *weights, bool *acquitted);
/* Whether a weight says that samples point to the change. */
bool evidence_points(double weight);

#endif
