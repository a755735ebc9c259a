/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the history of a metric with its changes: history METRIC [REV..REV] */
#include <math.h>
#include <stdio.h>

#include <perun/lib/history.h>

static void print_change(const struct perun_version_line *line, const struct perun_strand *strand,
			 const struct perun_change_point *point, const char *known)
{
	const char *version = perun_version_line_checksums(line)[point->index];
	double percent = 100 * (point->after / point->before - 1);

	printf("  %s at %.8s: %g -> %g %s (%+.1f %%)%s%s\n",
	       (point->after > point->before) == strand->higher ? "better" : "worse", version,
	       point->before, point->after, strand->unit ? strand->unit : "", percent,
	       known ? ", known: " : "", known ? known : "");
}

static void print_strand(const struct perun_history *history,
			 const struct perun_acknowledgements *acknowledgements,
			 const struct perun_strand *strand)
{
	const struct perun_version_line *line = perun_history_line(history);

	printf("%s of %s, %s:\n", strand->metric, strand->command, strand->location);
	for (size_t i = 0; i < strand->count; i++) {
		if (!isnan(strand->values[i]))
			printf("  %.8s %g\n", perun_version_line_checksums(line)[i],
			       strand->values[i]);
	}
	for (size_t i = 0; i < strand->changes->count; i++) {
		const struct perun_change_point *point = &strand->changes->points[i];
		char *known = perun_acknowledged_change(acknowledgements, line, strand, point);

		print_change(line, strand, point, known);
		perun_free(known);
	}
}

int main(int count, char **words)
{
	struct perun_history_options options = {.struct_size = sizeof options,
						.metric = count > 1 ? words[1] : NULL,
						.range = count > 2 ? words[2] : NULL};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_acknowledgements *acknowledgements = NULL;
	struct perun_history *history = NULL;
	struct perun_store *store = NULL;
	int status;

	if (!(status = perun_store_open(ctx, NULL, &store)) &&
	    !(status = perun_history_load(ctx, store, &options, &history)) &&
	    !(status = perun_history_find_changes(ctx, history, NULL, 0.05)) &&
	    !(status = perun_acknowledgements_load(ctx, store, &acknowledgements))) {
		for (size_t i = 0; i < perun_history_count(history); i++)
			print_strand(history, acknowledgements, perun_history_strand(history, i));
	}
	if (status)
		fprintf(stderr, "history: %s\n", perun_ctx_error(ctx));
	perun_acknowledgements_free(acknowledgements);
	perun_history_free(history);
	perun_store_close(store);
	perun_ctx_free(ctx);
	return status;
}
