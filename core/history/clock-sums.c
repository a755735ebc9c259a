/* SPDX-License-Identifier: BSD-3-Clause */
/* Processor times that are the sums of their parts. */
#include <math.h>
#include <string.h>

#include "core/history/clock-strands.h"

static size_t runs_of(const struct perun_strand *strand, size_t version)
{
	return strand->starts[version + 1] - strand->starts[version];
}

/* The sums of the runs of a version, or that of both values where these are of other runs. */
static void add_version(struct perun_strand_builder *sum, const struct perun_strand *user,
			const struct perun_strand *kernel, size_t version)
{
	const double *one = user->repeats + user->starts[version];
	const double *other = kernel->repeats + kernel->starts[version];
	size_t count = runs_of(user, version);
	double *sums;

	if (isnan(user->values[version]) || isnan(kernel->values[version])) {
		perun_strand_pad(sum, version + 1);
		return;
	}
	if (count == 0 || count != runs_of(kernel, version)) {
		perun_strand_add(sum, &(double){user->values[version] + kernel->values[version]},
				 1);
		return;
	}
	sums = perun_alloc(count * sizeof *sums);
	for (size_t i = 0; i < count; i++)
		sums[i] = one[i] + other[i];
	perun_strand_add(sum, sums, count);
	perun_free(sums);
}

/* Sessions are those of the parts, where all runs are. */
static void take_sessions(struct perun_strand_builder *sum, const struct perun_strand *user)
{
	if (sum->repeat_count != user->starts[user->count])
		return;
	for (size_t i = 0; i < user->session_count; i++) {
		PERUN_GROW(sum->sessions, sum->session_count, sum->session_capacity);
		sum->sessions[sum->session_count++] = user->sessions[i];
	}
}

static void add_sum(struct perun_history *sums, const struct perun_strand *user,
		    const struct perun_strand *kernel)
{
	struct perun_strand_builder *sum = perun_history_add_strand(
		sums, user->command, HISTORY_SUMS, user->unit, user->location, user->machine);

	sum->strand.kind = user->kind;
	sum->strand.noise = user->noise;
	for (size_t version = 0; version < user->count; version++)
		add_version(sum, user, kernel, version);
	take_sessions(sum, user);
}

/* A history of the same versions, which it borrows. */
static struct perun_history *make_sums(const struct perun_history *history)
{
	struct perun_history *sums = perun_alloc_zero(1, sizeof *sums);

	sums->line = history->line;
	sums->few = history->few;
	sums->profiles = history->profiles;
	sums->thresholds = history->thresholds;
	return sums;
}

void history_sums_free(struct perun_history *sums)
{
	if (!sums)
		return;
	sums->line = NULL;
	sums->thresholds = NULL;
	perun_history_free(sums);
}

void history_sum_clocks(struct perun_history *history)
{
	struct clock_strands users = clock_strands_of(history, "time(user)");
	struct clock_strands kernels = clock_strands_of(history, "time(sys)");

	/* Its clocks have them. */
	if (history->clocks && history->clocks->sums)
		users.count = 0;
	for (size_t i = 0; kernels.count && i < users.count; i++) {
		const struct perun_strand *user = users.strands[i];
		const struct perun_strand *kernel = clock_strands_find(&kernels, user);

		if (!kernel || kernel->count != user->count ||
		    strcmp(kernel->unit, user->unit) != 0 || user->noise != PERUN_NOISE_TIMED)
			continue;
		if (!history->sums)
			history->sums = make_sums(history);
		add_sum(history->sums, user, kernel);
	}
	if (history->sums)
		perun_history_complete(history->sums);
	clock_strands_free(&users);
	clock_strands_free(&kernels);
}
