/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters by name, as pprof has them: focus, ignore, hide, show, show_from. */
#include "core/callgraph/stacks.h"

/* Which strings of the profile match an expression; each is tried once, when it is first met. */
struct names {
	struct perun_profile *profile;
	struct perun_regex *regex; /* NULL: there is nothing to match */
	uint8_t *known;            /* 1: matches, 2: does not */
};

static void names_init(struct names *names, struct perun_profile *profile,
		       struct perun_regex *regex)
{
	names->profile = profile;
	names->regex = regex;
	names->known = regex ? perun_alloc_zero(perun_profile_strings(profile) + 1, 1) : NULL;
}

static bool name_matches(struct names *names, perun_id id)
{
	uint8_t *known = &names->known[id];

	if (*known == 0) {
		size_t length;
		const char *text = perun_profile_string(names->profile, id, &length);

		*known = perun_regex_matches(names->regex, text, length) ? 1 : 2;
	}
	return *known == 1;
}

static bool line_matches(struct names *names, const struct perun_line *line)
{
	const struct perun_function *function =
		perun_profile_function(names->profile, line->function);

	return function &&
	       (name_matches(names, function->name) || name_matches(names, function->file));
}

static bool mapping_matches(struct names *names, perun_id location)
{
	const struct perun_mapping *mapping = perun_profile_mapping(
		names->profile, perun_profile_location(names->profile, location)->mapping);

	return mapping && name_matches(names, mapping->file);
}

static bool any_matches(struct names *names, perun_id location, const struct perun_left_lines *left)
{
	for (uint32_t i = 0; i < left->count; i++) {
		if (line_matches(names, &left->lines[i]))
			return true;
	}
	return mapping_matches(names, location);
}

/* Keep the lines that match (or that do not). Lines without a function match neither way. */
static void keep_lines(struct perun_stacks *stacks, struct names *names, perun_id location,
		       bool matching)
{
	const struct perun_left_lines *left = &stacks->lines[location];
	struct perun_line *lines;
	size_t count = 0;

	if (mapping_matches(names, location)) {
		if (!matching)
			perun_stacks_set_lines(stacks, location, NULL, 0, false);
		return;
	}
	lines = perun_alloc(left->count * sizeof *lines + 1);
	for (uint32_t i = 0; i < left->count; i++) {
		bool named = left->lines[i].function != PERUN_NO_ID;

		if (!named || line_matches(names, &left->lines[i]) == matching)
			lines[count++] = left->lines[i];
	}
	if (count == left->count)
		perun_free(lines);
	else
		perun_stacks_set_lines(stacks, location, lines, count, true);
}

/* ---- focus, ignore, hide, show ---------------------------------------------------------------- */

enum verdict { NEITHER, FOCUSED, IGNORED };

struct name_filter {
	struct perun_stacks *stacks;
	struct names focus, ignore, hide, show;
	struct perun_name_found found;
	uint8_t *verdicts; /* of locations */
};

static void judge_location(struct name_filter *filter, perun_id location)
{
	struct perun_left_lines *left = &filter->stacks->lines[location];
	bool hidden = left->hidden;

	if (hidden) /* no sample has it any more */
		return;
	if (filter->ignore.regex && any_matches(&filter->ignore, location, left)) {
		filter->found.ignore = true;
		filter->verdicts[location] = IGNORED;
	} else if (!filter->focus.regex || any_matches(&filter->focus, location, left)) {
		filter->found.focus = true;
		filter->verdicts[location] = FOCUSED;
	}
	if (filter->hide.regex && any_matches(&filter->hide, location, left)) {
		filter->found.hide = true;
		keep_lines(filter->stacks, &filter->hide, location, false);
		hidden = left->count == 0;
	}
	if (filter->show.regex) {
		keep_lines(filter->stacks, &filter->show, location, true);
		if (left->count == 0)
			hidden = true;
		else
			filter->found.show = true;
	}
	left->hidden = hidden;
}

static void judge_stack(struct name_filter *filter, perun_id stack)
{
	struct perun_cut *cut = &filter->stacks->cuts[stack];
	const perun_id *locations = perun_stacks_locations(filter->stacks, stack);
	bool focused = false, ignored = false, left = false;

	if (cut->first == PERUN_CUT_DROPPED)
		return;
	for (uint32_t i = cut->first; i < cut->end; i++) {
		focused |= filter->verdicts[locations[i]] == FOCUSED;
		ignored |= filter->verdicts[locations[i]] == IGNORED;
		left |= !filter->stacks->lines[locations[i]].hidden;
	}
	if (!focused || ignored || !left)
		cut->first = PERUN_CUT_DROPPED;
}

void perun_stacks_filter(struct perun_stacks *stacks, const struct perun_name_filter *by,
			 struct perun_name_found *found)
{
	struct name_filter filter = {.stacks = stacks};

	if (found)
		*found = (struct perun_name_found){.focus = true};
	if (!by->focus && !by->ignore && !by->hide && !by->show)
		return;
	names_init(&filter.focus, stacks->profile, by->focus);
	names_init(&filter.ignore, stacks->profile, by->ignore);
	names_init(&filter.hide, stacks->profile, by->hide);
	names_init(&filter.show, stacks->profile, by->show);
	filter.verdicts = perun_alloc_zero(stacks->location_count + 1, 1);
	perun_stacks_own_lines(stacks);
	perun_stacks_own_cuts(stacks);
	for (size_t i = 0; i < stacks->location_count; i++)
		judge_location(&filter, (perun_id)i);
	for (size_t i = 0; i < stacks->stack_count; i++)
		judge_stack(&filter, (perun_id)i);
	if (found)
		*found = filter.found;
	perun_free(filter.focus.known);
	perun_free(filter.ignore.known);
	perun_free(filter.hide.known);
	perun_free(filter.show.known);
	perun_free(filter.verdicts);
}

/* ---- show_from -------------------------------------------------------------------------------- */

/* Cut the lines above the last match; a match of the mapping keeps all. */
static bool shows_from(struct perun_stacks *stacks, struct names *names, perun_id location)
{
	const struct perun_left_lines *left = &stacks->lines[location];

	if (left->hidden)
		return false;
	if (mapping_matches(names, location))
		return true;
	for (uint32_t i = left->count; i-- > 0;) {
		if (line_matches(names, &left->lines[i])) {
			perun_stacks_set_lines(stacks, location, left->lines, i + 1, false);
			return true;
		}
	}
	return false;
}

bool perun_stacks_show_from(struct perun_stacks *stacks, struct perun_regex *regex)
{
	uint8_t *shown = perun_alloc_zero(stacks->location_count + 1, 1);
	bool found = false;
	struct names names;

	names_init(&names, stacks->profile, regex);
	perun_stacks_own_lines(stacks);
	perun_stacks_own_cuts(stacks);
	for (size_t i = 0; i < stacks->location_count; i++)
		found |= shown[i] = shows_from(stacks, &names, (perun_id)i);
	for (size_t i = 0; i < stacks->stack_count; i++) {
		struct perun_cut *cut = &stacks->cuts[i];
		const perun_id *locations = perun_stacks_locations(stacks, (perun_id)i);
		uint32_t end = cut->end;

		if (cut->first == PERUN_CUT_DROPPED)
			continue;
		while (end > cut->first && !shown[locations[end - 1]])
			end--;
		cut->end = end;
		if (end == cut->first)
			cut->first = PERUN_CUT_DROPPED;
	}
	perun_free(names.known);
	perun_free(shown);
	return found;
}
