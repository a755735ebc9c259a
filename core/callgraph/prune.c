/* SPDX-License-Identifier: BSD-3-Clause */
/* Cutting what lies below some frame, as pprof's drop_frames and -prune_from do. */
#include <string.h>

#include "core/callgraph/stacks.h"

struct prune {
	struct perun_stacks *stacks;
	struct perun_regex *drop, *keep;
	uint8_t *known; /* of function names: 1: matches, 2: does not */
};

/*
 * The name that is compared: without the leading dot of PowerPC, up to the first parenthesis that
 * does not belong to "(anonymous namespace)" or "operator()".
 */
static const char *simplify(const char *name, size_t *length)
{
	static const char anonymous[] = "(anonymous namespace)", call[] = "operator()";
	const char *p;

	if (*name == '.')
		name++;
	for (p = name; (p = strchr(p, '(')) != NULL;) {
		if (strncmp(p, anonymous, sizeof anonymous - 1) == 0)
			p += sizeof anonymous - 1;
		else if (p - name >= 8 && strncmp(p - 8, call, sizeof call - 1) == 0)
			p += 2;
		else
			break;
	}
	*length = p ? (size_t)(p - name) : strlen(name);
	return name;
}

static bool matches(struct prune *prune, const struct perun_line *line)
{
	const struct perun_profile *profile = prune->stacks->profile;
	const struct perun_function *function = perun_profile_function(profile, line->function);
	const char *name;
	size_t length;
	uint8_t *known;

	if (!function || function->name == 0)
		return false;
	known = &prune->known[function->name];
	if (*known == 0) {
		name = simplify(perun_profile_string(profile, function->name, NULL), &length);
		*known = perun_regex_matches(prune->drop, name, length) &&
					 !(prune->keep &&
					   perun_regex_matches(prune->keep, name, length))
				 ? 1
				 : 2;
	}
	return *known == 1;
}

enum location_verdict { STAYS, GOES, SHORTENED };

/* The outermost match: all goes if it is the outermost line, else it and what lies below. */
static uint8_t shorten_above(struct prune *prune, perun_id location)
{
	const struct perun_left_lines *left = &prune->stacks->lines[location];

	for (uint32_t i = left->count; i-- > 0;) {
		if (!matches(prune, &left->lines[i]))
			continue;
		if (i == left->count - 1)
			return GOES;
		perun_stacks_set_lines(prune->stacks, location, left->lines + i + 1,
				       left->count - i - 1, false);
		return SHORTENED;
	}
	return STAYS;
}

/* The innermost match: what lies below it goes. */
static uint8_t shorten_from(struct prune *prune, perun_id location)
{
	const struct perun_left_lines *left = &prune->stacks->lines[location];

	for (uint32_t i = 0; i < left->count; i++) {
		if (!matches(prune, &left->lines[i]))
			continue;
		perun_stacks_set_lines(prune->stacks, location, left->lines + i, left->count - i,
				       false);
		return SHORTENED;
	}
	return STAYS;
}

/* The first of the locations from the root that is cut, after one that stays. */
static void cut_below_user(struct perun_stacks *stacks, const uint8_t *verdicts, perun_id stack)
{
	const perun_id *locations = perun_stacks_locations(stacks, stack);
	struct perun_cut *cut = &stacks->cuts[stack];
	bool user = false;

	for (uint32_t i = cut->end; i-- > cut->first;) {
		uint8_t verdict = verdicts[locations[i]];

		if (perun_stacks_hidden(stacks, locations[i]))
			continue;
		if (verdict == STAYS) {
			user = true;
		} else if (user) {
			cut->first = verdict == GOES ? i + 1 : i;
			return;
		}
	}
}

static void cut_below_first(struct perun_stacks *stacks, const uint8_t *verdicts, perun_id stack)
{
	const perun_id *locations = perun_stacks_locations(stacks, stack);
	struct perun_cut *cut = &stacks->cuts[stack];

	for (uint32_t i = cut->first; i < cut->end; i++) {
		if (verdicts[locations[i]] == STAYS || perun_stacks_hidden(stacks, locations[i]))
			continue;
		cut->first = i;
		return;
	}
}

static void prune_all(struct prune *prune, uint8_t (*shorten)(struct prune *, perun_id),
		      void (*cut)(struct perun_stacks *, const uint8_t *, perun_id))
{
	struct perun_stacks *stacks = prune->stacks;
	uint8_t *verdicts = perun_alloc_zero(stacks->location_count + 1, 1);
	bool any = false;

	prune->known = perun_alloc_zero(perun_profile_strings(stacks->profile) + 1, 1);
	perun_stacks_own_lines(stacks);
	for (size_t i = 0; i < stacks->location_count; i++)
		any |= (verdicts[i] = shorten(prune, (perun_id)i)) != STAYS;
	if (any)
		perun_stacks_own_cuts(stacks);
	for (size_t i = 0; any && i < stacks->stack_count; i++) {
		if (stacks->cuts[i].first != PERUN_CUT_DROPPED)
			cut(stacks, verdicts, (perun_id)i);
	}
	perun_free(prune->known);
	perun_free(verdicts);
}

void perun_stacks_prune(struct perun_stacks *stacks, struct perun_regex *drop,
			struct perun_regex *keep)
{
	struct prune prune = {.stacks = stacks, .drop = drop, .keep = keep};

	prune_all(&prune, shorten_above, cut_below_user);
}

void perun_stacks_prune_from(struct perun_stacks *stacks, struct perun_regex *regex)
{
	struct prune prune = {.stacks = stacks, .drop = regex};

	prune_all(&prune, shorten_from, cut_below_first);
}
