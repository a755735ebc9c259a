/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of several parameters whose powers are any numbers. */
#ifndef PERUN_CORE_MODEL_POWERS_H
#define PERUN_CORE_MODEL_POWERS_H

#include "core/model/form-fitting.h"

/* Add them to the others. */
void perun_form_add_powers(struct perun_form_fitting *fitting);

#endif
