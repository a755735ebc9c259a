/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a few digits, sooner than a format makes them. Internal. */
#ifndef PERUN_CORE_CONTEXT_ROUNDED_H
#define PERUN_CORE_CONTEXT_ROUNDED_H

#include <perun/context.h>

/* Add a whole number with that many of its digits after the point, without those at its end that are 0. */
void perun_buffer_add_decimal(struct perun_buffer *buffer, unsigned number, unsigned places);
/* Add a number as "%.*g" has it with up to 9 digits, which is what decides wherever it is not clear. */
void perun_buffer_add_rounded(struct perun_buffer *buffer, double value, unsigned digits);

#endif
