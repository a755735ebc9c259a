/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of the host for what its user can do. */
#include "perun/lib/advice.h"

static const char *const *host_words;
static size_t host_count;

void perun_advice_set(const char *const words[], size_t count)
{
	host_words = words;
	host_count = count;
}

const char *perun_advice(enum perun_advice advice)
{
	return (size_t)advice < host_count && host_words[advice] ? host_words[advice] : "";
}
