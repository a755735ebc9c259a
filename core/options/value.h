/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers, sizes and durations as users write them; private to core/options. */
#ifndef PERUN_CORE_OPTIONS_VALUE_H
#define PERUN_CORE_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* Each takes the whole text and says whether it was one; `*value` is unchanged if not. */
bool option_parse_integer(const char *text, int64_t *value);
bool option_parse_number(const char *text, double *value);
/* "4096", "10k", "1.5M", "2G", "1T", with an optional "B" or "iB" after; powers of 1024. */
bool option_parse_size(const char *text, uint64_t *value);
/* Seconds: "0.5", "10s", "20ms", "5us", "5m", "2h", "1d". */
bool option_parse_duration(const char *text, double *value);
/* "true", "yes", "on", "1" and their opposites. */
bool option_parse_flag(const char *text, bool *value);

#endif
