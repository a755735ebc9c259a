/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a benchmark has no value: what the file says failed, by the names that tools give. */
#include <string.h>

#include <perun/json.h>

#include "core/history/history.h"

/* Whether the rest of a name is that of a part ("/n=10"), or a number that the tool leaves out of failures ("-8"). */
static bool is_rest(const char *rest)
{
	if (*rest == '-')
		return rest[1] && !rest[1 + strspn(rest + 1, "0123456789")];
	return !*rest || *rest == '/';
}

/* "p.BenchmarkSort*" is that benchmark and what is in it, "p.*" all of a package. */
static bool is_of(const char *location, const char *failed, size_t length)
{
	return length > 1 && failed[length - 1] == '*' &&
	       strncmp(location, failed, length - 1) == 0 &&
	       (failed[length - 2] == '.' || is_rest(location + length - 1));
}

struct perun_json *perun_failure_patterns(const struct perun_json *failed)
{
	struct perun_json *patterns = perun_json_object();

	for (size_t i = 0; i < perun_json_count(failed); i++) {
		size_t length;
		const char *name = perun_json_key_at(failed, i, &length);

		if (length && name[length - 1] == '*')
			perun_json_set_n(patterns, name, length,
					 perun_json_clone(perun_json_at(failed, i)));
	}
	return patterns;
}

const char *perun_failure_of(const struct perun_json *failed, const struct perun_json *patterns,
			     const char *location)
{
	const struct perun_json *why = perun_json_get(failed, location);

	for (size_t i = 0; !why && i < perun_json_count(patterns); i++) {
		size_t length;
		const char *name = perun_json_key_at(patterns, i, &length);

		if (is_of(location, name, length))
			why = perun_json_at(patterns, i);
	}
	return perun_json_as_string(why, NULL);
}
