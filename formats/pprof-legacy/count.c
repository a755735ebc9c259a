/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of stacks as text: goroutine, threadcreate and other profiles of Go. */
#include <string.h>

#include "legacy.h"

/* "TYPE profile: total N" */
static bool parse_header(struct legacy_text line, struct legacy_text *type)
{
	struct legacy_text rest = line;

	while (rest.at < rest.end && (!legacy_is_blank(*rest.at) || *rest.at == '\v'))
		rest.at++;
	*type = (struct legacy_text){line.at, rest.at};
	if (type->at == type->end || !legacy_take(&rest, " profile: total "))
		return false;
	if (rest.at == rest.end)
		return false;
	legacy_take_digits(&rest);
	return rest.at == rest.end;
}

bool legacy_is_count(struct legacy_text line)
{
	struct legacy_text type;

	return parse_header(line, &type);
}

/* "N @ 0x1 0x2": exactly this. */
static int read_row(struct legacy_profile *profile, const struct legacy_lines *lines)
{
	struct legacy_text rest = lines->line, number = legacy_take_digits(&rest);
	struct legacy_text addresses = {rest.at, rest.end};
	bool good = number.at < number.end && legacy_take(&addresses, " @");
	int64_t count = 0;
	int status;

	rest = addresses;
	good &= rest.at < rest.end;
	while (good && rest.at < rest.end) {
		good = legacy_take(&rest, " 0x") && rest.at < rest.end &&
		       legacy_is_small_hex(*rest.at);
		while (good && rest.at < rest.end && legacy_is_small_hex(*rest.at))
			rest.at++;
	}
	if (!good || !legacy_number(number, &count)) {
		char *quoted = legacy_quote(lines->line);

		status = legacy_fail(lines, "expected \"COUNT @ 0xADDRESS 0xADDRESS\", found %s",
				     quoted);
		perun_free(quoted);
		return status;
	}
	status = legacy_push_addresses(profile, lines, addresses);
	if (!status)
		status = legacy_add_sample(profile, LEGACY_ALL_RETURNS,
					   &(struct legacy_sample){.values = {count}});
	return status;
}

int legacy_read_count(struct legacy_profile *profile, struct legacy_lines *lines)
{
	struct legacy_text type;
	char *clean;
	int status;

	parse_header(lines->line, &type);
	profile->word = perun_strndup(type.at, legacy_length(type));
	clean = perun_printable(profile->word);
	status = strcmp(clean, profile->word) == 0 && strlen(clean) == legacy_length(type)
			 ? PERUN_OK
			 : legacy_fail(lines, "the type \"%s\" is not made of letters", clean);
	perun_free(clean);
	if (status)
		return status;
	legacy_add_type(profile, profile->word, "count");
	profile->period_type = profile->word;
	profile->period_unit = "count";
	profile->period = 1;
	while (legacy_skip_empty(lines) && !legacy_starts(lines->line, "---")) {
		status = read_row(profile, lines);
		if (status)
			return status;
	}
	return legacy_find_map(profile, lines);
}
