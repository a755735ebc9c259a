/* SPDX-License-Identifier: BSD-3-Clause */
/* The commits of a search: which may be guilty, and which to try next. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/vcs.h>

#include "cli/bisect.h"
#include "cli/facts.h"

/* So many places are tried for one that halves the suspects. */
#define MOST_TRIED 256

/* ---- loading --------------------------------------------------------------------------------- */

/* Parents by name, until all versions are known. */
struct loading {
	struct search *search;
	struct names {
		char **items;
		size_t count;
	} * parents;
	size_t capacity;
};

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct loading *loading = data;
	struct search *search = loading->search;
	struct names names = {.count = version->parent_count};
	size_t place = search->count;

	PERUN_GROW(search->commits, search->count, search->capacity);
	search->commits[place] = (struct commit){.checksum = perun_strdup(version->checksum),
						 .subject = cli_subject(version->description),
						 .suspect = true};
	PERUN_GROW(loading->parents, search->count, loading->capacity);
	names.items = perun_alloc_zero(names.count + 1, sizeof *names.items);
	for (size_t i = 0; i < names.count; i++)
		names.items[i] = perun_strdup(version->parents[i]);
	loading->parents[place] = names;
	search->count++;
	return PERUN_OK;
}

/* Parents come behind their children, mostly not far. */
static size_t find_commit(const struct search *search, const char *checksum, size_t start)
{
	for (size_t i = 0; i < search->count; i++) {
		size_t at = (start + i) % search->count;

		if (strcmp(search->commits[at].checksum, checksum) == 0)
			return at;
	}
	return SIZE_MAX;
}

static void link_parents(struct loading *loading)
{
	struct search *search = loading->search;

	for (size_t i = 0; i < search->count; i++) {
		struct commit *commit = &search->commits[i];
		struct names *names = &loading->parents[i];

		commit->parents = perun_alloc_zero(names->count + 1, sizeof *commit->parents);
		for (size_t k = 0; k < names->count; k++) {
			size_t parent = find_commit(search, names->items[k], i);

			if (parent != SIZE_MAX)
				commit->parents[commit->parent_count++] = parent;
			perun_free(names->items[k]);
		}
		perun_free(names->items);
	}
	perun_free(loading->parents);
}

int cli_bisect_load(struct search *search, const char *good, const char *bad)
{
	struct loading loading = {.search = search};
	int status = perun_vcs_walk_range(search->cli->ctx, search->vcs, good, bad, keep_version,
					  &loading);

	link_parents(&loading);
	if (status)
		return status;
	search->last = search->count ? find_commit(search, bad, 0) : SIZE_MAX;
	if (search->last == SIZE_MAX)
		return perun_fail(search->cli->ctx, PERUN_USAGE,
				  "there is no commit between %.8s and %.8s: the good version "
				  "comes first",
				  good, bad);
	return PERUN_OK;
}

void cli_bisect_free(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		perun_free(search->commits[i].checksum);
		perun_free(search->commits[i].subject);
		perun_free(search->commits[i].parents);
	}
	perun_free(search->commits);
	perun_free(search->steps);
}

/* ---- narrowing ------------------------------------------------------------------------------- */

/* Mark a suspect and those of its ancestors that are; how many these are. */
static size_t mark(const struct search *search, size_t from, bool *marks)
{
	size_t *stack = perun_alloc_zero(search->count + 1, sizeof *stack), count = 0, height = 0;

	memset(marks, 0, search->count * sizeof *marks);
	stack[height++] = from;
	marks[from] = true;
	while (height) {
		const struct commit *commit = &search->commits[stack[--height]];

		count += commit->suspect;
		for (size_t i = 0; i < commit->parent_count; i++) {
			size_t parent = commit->parents[i];

			if (!marks[parent]) {
				marks[parent] = true;
				stack[height++] = parent;
			}
		}
	}
	perun_free(stack);
	return count;
}

static size_t count_suspects(const struct search *search)
{
	size_t count = 0;

	for (size_t i = 0; i < search->count; i++)
		count += search->commits[i].suspect;
	return count;
}

bool cli_bisect_next(const struct search *search, size_t *next)
{
	bool *marks = perun_alloc_zero(search->count + 1, sizeof *marks);
	size_t all = count_suspects(search), best = 0, stride = all / MOST_TRIED + 1, seen = 0;

	for (size_t i = 0; i < search->count; i++) {
		const struct commit *commit = &search->commits[i];
		size_t below, worth;

		if (!commit->suspect || commit->skipped || i == search->last)
			continue;
		if (seen++ % stride && best)
			continue;
		below = mark(search, i, marks);
		worth = below < all - below ? below : all - below;
		if (worth > best) {
			best = worth;
			*next = i;
		}
	}
	perun_free(marks);
	return best > 0;
}

void cli_bisect_take(struct search *search, const struct step *step)
{
	bool *marks = perun_alloc_zero(search->count + 1, sizeof *marks);

	mark(search, step->commit, marks);
	if (step->answer == STEP_SLOW)
		search->last = step->commit;
	for (size_t i = 0; i < search->count; i++) {
		if (step->answer == STEP_SLOW)
			search->commits[i].suspect &= marks[i];
		else if (step->answer == STEP_FAST)
			search->commits[i].suspect &= !marks[i];
	}
	if (step->answer == STEP_OPEN || step->answer == STEP_UNBUILT)
		search->commits[step->commit].skipped = true;
	perun_free(marks);
}

/* ---- telling --------------------------------------------------------------------------------- */

static const char *const answers[] = {"fast", "slow", "open", "skipped"};

static void print_commit(const struct search *search, const struct commit *commit)
{
	printf("%s%.8s%s ", cli_color(search->cli, CLI_YELLOW), commit->checksum,
	       cli_color_end(search->cli));
	cli_print_safe(commit->subject);
}

void cli_bisect_print_step(const struct search *search, const struct step *step)
{
	print_commit(search, &search->commits[step->commit]);
	if (step->answer == STEP_UNBUILT)
		printf(": does not build or run\n");
	else
		printf(": %s, %.4gx in %zu pairs of runs\n",
		       step->answer == STEP_FAST   ? "as fast as the good version"
		       : step->answer == STEP_SLOW ? "slower"
						   : "not decided",
		       step->rate, step->pairs);
	if (search->cli->terminal)
		fflush(stdout);
}

static json_t *fact_commit(const struct commit *commit)
{
	json_t *fact = json_object();

	json_object_set_new(fact, "version", cli_fact_text(commit->checksum));
	json_object_set_new(fact, "subject", cli_fact_text(commit->subject));
	return fact;
}

static void print_json(const struct search *search)
{
	json_t *document = json_object(), *suspects = json_array(), *steps = json_array();

	for (size_t i = 0; i < search->count; i++) {
		if (search->commits[i].suspect)
			json_array_append_new(suspects, fact_commit(&search->commits[i]));
	}
	for (size_t i = 0; i < search->step_count; i++) {
		const struct step *step = &search->steps[i];
		json_t *fact = fact_commit(&search->commits[step->commit]);

		json_object_set_new(fact, "result", json_string(answers[step->answer]));
		json_object_set_new(fact, "rate", cli_fact_number(step->rate));
		json_object_set_new(fact, "pairs", json_integer((json_int_t)step->pairs));
		json_array_append_new(steps, fact);
	}
	json_object_set_new(document, "good", cli_fact_text(perun_build_version(search->good)));
	json_object_set_new(document, "bad", cli_fact_text(perun_build_version(search->bad)));
	json_object_set_new(document, "suspects", suspects);
	json_object_set_new(document, "steps", steps);
	json_object_set_new(document, "comparison",
			    cli_fair_fact(search->interleave, &search->ends));
	cli_print_facts(document);
}

void cli_bisect_tell(const struct search *search)
{
	size_t suspects = count_suspects(search);

	if (search->json) {
		print_json(search);
		return;
	}
	if (suspects == 1)
		fputs("The slowdown came with ", stdout);
	else
		printf("The slowdown came with one of these %zu commits, which cannot be told "
		       "apart:\n",
		       suspects);
	for (size_t i = 0; i < search->count; i++) {
		if (!search->commits[i].suspect)
			continue;
		print_commit(search, &search->commits[i]);
		putchar('\n');
	}
}
