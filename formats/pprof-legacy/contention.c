/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for locks as text: contentionz of C++, mutex and block profiles of Go. */
#include <string.h>

#include "legacy.h"

bool legacy_is_contention(struct legacy_text line)
{
	return legacy_starts(line, "--- contentionz ") || legacy_starts(line, "--- mutex:") ||
	       legacy_starts(line, "--- contention:");
}

/* NAME = VALUE. `*known`: it is an attribute at all. */
static int read_attribute(struct legacy_profile *profile, const struct legacy_lines *lines,
			  int64_t *frequency, bool *known)
{
	struct legacy_text line = legacy_trim(lines->line), name, value;
	const char *equals = memchr(line.at, '=', legacy_length(line));
	int64_t number = 0;

	*known = equals != NULL;
	if (!equals)
		return PERUN_OK;
	name = legacy_trim((struct legacy_text){line.at, equals});
	value = legacy_trim((struct legacy_text){equals + 1, line.end});
	if (legacy_equals(name, "discarded samples"))
		return PERUN_OK;
	if (!legacy_equals(name, "cycles/second") && !legacy_equals(name, "sampling period") &&
	    !legacy_equals(name, "ms since reset")) {
		char *quoted = legacy_quote(name);
		int status = legacy_fail(lines,
					 "expected the attribute \"cycles/second\", "
					 "\"sampling period\", \"ms since reset\" or "
					 "\"discarded samples\", found %s",
					 quoted);

		perun_free(quoted);
		return status;
	}
	if (!legacy_number(value, &number)) {
		char *quoted = legacy_quote(value);
		int status = legacy_fail(lines, "expected a number of 64 bits after '=', found %s",
					 quoted);

		perun_free(quoted);
		return status;
	}
	if (legacy_equals(name, "cycles/second"))
		*frequency = number;
	else if (legacy_equals(name, "sampling period"))
		profile->period = number;
	else
		profile->duration = legacy_multiply(number, 1000000);
	return PERUN_OK;
}

/* "DELAY COUNT @" anywhere in the line; the two may be together as one number of several digits. */
static bool parse_row(struct legacy_text line, struct legacy_text *delay, struct legacy_text *count,
		      struct legacy_text *addresses)
{
	while (line.at < line.end) {
		struct legacy_text rest;

		*delay = legacy_take_digits(&line);
		if (delay->at == delay->end) {
			line.at++;
			continue;
		}
		rest = line;
		legacy_take_spaces(&rest);
		*count = legacy_take_digits(&rest);
		if (count->at == count->end && legacy_starts(line, " @") &&
		    legacy_length(*delay) > 1) {
			*count = (struct legacy_text){delay->end - 1, delay->end};
			delay->end--;
			rest = line;
		}
		if (count->at == count->end || !legacy_take(&rest, " @"))
			continue;
		addresses->at = addresses->end = rest.at;
		while (addresses->end < rest.end &&
		       (legacy_is_small_hex(*addresses->end) || *addresses->end == 'x' ||
			*addresses->end == ' '))
			addresses->end++;
		return true;
	}
	return false;
}

static int read_row(struct legacy_profile *profile, const struct legacy_lines *lines,
		    int64_t frequency)
{
	struct legacy_text delay_text, count_text, addresses;
	int64_t delay, count;
	int status;

	if (!parse_row(lines->line, &delay_text, &count_text, &addresses)) {
		char *quoted = legacy_quote(lines->line);

		status = legacy_fail(lines, "expected \"DELAY COUNT @ ADDRESSES\", found %s",
				     quoted);
		perun_free(quoted);
		return status;
	}
	if (!legacy_decimal(delay_text, &delay) || !legacy_decimal(count_text, &count))
		return legacy_fail(lines, "a number has more than 64 bits");
	/* The numbers are those of the samples, the delays are in cycles where their rate is known. */
	if (profile->period > 0) {
		if (frequency > 0)
			delay = legacy_integer((double)delay * (double)profile->period /
					       ((double)frequency / 1e9));
		count = legacy_multiply(count, profile->period);
	}
	status = legacy_push_addresses(profile, lines, addresses);
	if (!status)
		status = legacy_add_sample(profile, LEGACY_ALL_RETURNS,
					   &(struct legacy_sample){.values = {count, delay}});
	return status;
}

int legacy_read_contention(struct legacy_profile *profile, struct legacy_lines *lines)
{
	bool more, known = true;
	int64_t frequency = 0;
	int status = PERUN_OK;

	legacy_add_type(profile, "contentions", "count");
	legacy_add_type(profile, "delay", "nanoseconds");
	profile->period_type = "contentions";
	profile->period_unit = "count";
	profile->period = 1;
	while (known && (more = legacy_skip_empty(lines))) {
		if (legacy_starts(legacy_trim(lines->line), "---"))
			break;
		status = read_attribute(profile, lines, &frequency, &known);
		if (status)
			return status;
	}
	while (more && !legacy_starts(legacy_trim(lines->line), "---")) {
		status = read_row(profile, lines, frequency);
		if (status)
			return status;
		more = legacy_skip_empty(lines);
	}
	return legacy_find_map(profile, lines);
}
