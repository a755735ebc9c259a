/* SPDX-License-Identifier: BSD-3-Clause */
/* The stacks of all threads as text. */
#include "legacy.h"

/* "--- threadz N ---" anywhere in the line. */
static bool is_title(struct legacy_text line)
{
	const char *start;

	while ((start = legacy_find(line, "--- threadz ")) != NULL) {
		struct legacy_text rest = {start, line.end}, digits;

		legacy_take(&rest, "--- threadz ");
		digits = legacy_take_digits(&rest);
		if (digits.at < digits.end && legacy_starts(rest, " ---"))
			return true;
		line.at = start + 1;
	}
	return false;
}

/* "NAME/ID) stack: ---" */
static bool has_thread_end(struct legacy_text text)
{
	static const char mark[] = ") stack: ---";
	struct legacy_text rest = text;
	const char *found;

	while ((found = legacy_find(rest, mark)) != NULL) {
		const char *digit = found;

		while (digit > text.at && legacy_is_digit(digit[-1]))
			digit--;
		if (digit < found && digit > text.at && digit[-1] == '/')
			return true;
		rest.at = found + 1;
	}
	return false;
}

/* "--- Thread HEX (name: NAME/ID) stack: ---" anywhere in the line. */
static bool is_thread(struct legacy_text line)
{
	const char *start;

	while ((start = legacy_find(line, "--- Thread ")) != NULL) {
		struct legacy_text rest = {start, line.end};
		const char *digits;

		legacy_take(&rest, "--- Thread ");
		digits = rest.at;
		while (rest.at < rest.end && legacy_is_hex(*rest.at))
			rest.at++;
		if (rest.at > digits && legacy_take(&rest, " (name: "))
			return has_thread_end(rest);
		line.at = start + 1;
	}
	return false;
}

bool legacy_is_threads(struct legacy_text line)
{
	return is_title(line) || is_thread(line);
}

/*
 * The stack of a thread, on profile->stack. `*same`: it is that of the thread before. The lines are on
 * the one after it then, or are at the end.
 */
static int read_stack(struct legacy_profile *profile, struct legacy_lines *lines, bool *same,
		      bool *ended)
{
	*same = false;
	while (legacy_next_line(lines)) {
		struct legacy_text line = legacy_trim(lines->line);
		int status;

		if (legacy_starts(line, "---"))
			return PERUN_OK;
		if (legacy_find(line, "same as previous thread")) {
			*same = true;
			continue;
		}
		status = legacy_push_addresses(profile, lines, line);
		if (status)
			return status;
	}
	*ended = true;
	return PERUN_OK;
}

static int read_thread(struct legacy_profile *profile, struct legacy_lines *lines)
{
	bool same, ended = false;
	int status = read_stack(profile, lines, &same, &ended);

	if (status)
		return status;
	if (ended)
		return legacy_fail(lines, "the file ends where another thread or "
					  "\"--- Memory map: ---\" was expected");
	if (same || !profile->depth) {
		profile->depth = 0;
		if (profile->sample_count)
			profile->last.values[0]++;
		return PERUN_OK;
	}
	return legacy_add_sample(profile, LEGACY_CALLER_RETURNS,
				 &(struct legacy_sample){.values = {1}});
}

int legacy_read_threads(struct legacy_profile *profile, struct legacy_lines *lines)
{
	int status = PERUN_OK;

	legacy_add_type(profile, "thread", "count");
	profile->period_type = "thread";
	profile->period_unit = "count";
	profile->period = 1;
	if (is_title(lines->line)) {
		while (legacy_next_line(lines)) {
			if (legacy_starts(lines->line, "-") || legacy_is_map_start(lines->line))
				break;
		}
	}
	while (!status && !legacy_is_map_start(lines->line)) {
		struct legacy_text line = legacy_trim(lines->line);

		if (legacy_starts(line, "---- no stack trace for"))
			break;
		if (!is_thread(line)) {
			char *quoted = legacy_quote(line);

			status = legacy_fail(lines,
					     "expected \"--- Thread ID (name: NAME/NUMBER) "
					     "stack: ---\", found %s",
					     quoted);
			perun_free(quoted);
			return status;
		}
		status = read_thread(profile, lines);
	}
	if (!status)
		status = legacy_find_map(profile, lines);
	if (!status)
		legacy_remove_doubles(profile);
	return status;
}
