/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * history-facts METRIC: what the library's reader of histories says of the store here, as JSON: the values of each
 * strand, its changes, and its latest version. What commands print is compared with it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/history.h>

static void print_text(const char *key, const char *text)
{
	struct perun_buffer quoted = {0};

	perun_json_quote(&quoted, text, strlen(text));
	printf("\"%s\": %s, ", key, quoted.data);
	perun_buffer_free(&quoted);
}

static void print_values(const struct perun_strand *strand, const char *const *versions)
{
	const char *separator = "";

	printf("\"values\": [");
	for (size_t i = 0; i < strand->count; i++) {
		double low, high;

		if (isnan(strand->values[i]))
			continue;
		perun_strand_interval(strand, i, &low, &high);
		printf("%s[\"%s\", %.17g, [%.17g, %.17g], %zu]", separator, versions[i],
		       strand->values[i], low, high, strand->starts[i + 1] - strand->starts[i]);
		separator = ", ";
	}
	printf("], ");
}

static void print_changes(const struct perun_version_line *line, const struct perun_strand *strand,
			  const struct perun_acknowledgements *acknowledgements)
{
	const char *const *versions = perun_version_line_checksums(line);

	printf("\"changes\": [");
	for (size_t i = 0; i < strand->changes->count; i++) {
		const struct perun_change_point *point = &strand->changes->points[i];
		char *known = perun_acknowledged_change(acknowledgements, line, strand, point);

		printf("%s[\"%s\", \"%s\", %.17g, %.17g, %.17g, %s]", i ? ", " : "",
		       versions[point->index],
		       perun_result_name(perun_strand_result(strand, point)), point->before,
		       point->after, point->p, known ? "true" : "false");
		perun_free(known);
	}
	printf("], ");
}

static void print_latest(const struct perun_history *history, const struct perun_strand *strand)
{
	static const char *const answers[] = {[PERUN_VERDICT_SAME] = "same",
					      [PERUN_VERDICT_INCREASE] = "more",
					      [PERUN_VERDICT_DECREASE] = "less",
					      [PERUN_VERDICT_UNDECIDED] = "undecided"};
	struct perun_latest latest;

	perun_history_latest(history, strand, 0, &latest);
	if (latest.before == SIZE_MAX)
		printf("\"latest\": null}");
	else
		printf("\"latest\": [\"%s\", %.17g]}", answers[latest.answer], latest.level);
}

int main(int count, char **words)
{
	const struct perun_history_options options = {.struct_size = sizeof options,
						      .metric = count > 1 ? words[1] : NULL};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_acknowledgements *acknowledgements = NULL;
	struct perun_history *history = NULL;
	struct perun_store *store = NULL;
	int status = perun_store_open(ctx, NULL, &store);

	if (!status)
		status = perun_history_load(ctx, store, &options, &history);
	if (!status)
		status = perun_history_find_changes(ctx, history, NULL, PERUN_HISTORY_DISCOVERIES);
	if (!status)
		status = perun_acknowledgements_load(ctx, store, &acknowledgements);
	printf("[");
	for (size_t i = 0; !status && i < perun_history_count(history); i++) {
		const struct perun_strand *strand = perun_history_strand(history, i);
		const struct perun_version_line *line = perun_history_line(history);

		printf("%s{", i ? ",\n" : "");
		print_text("command", strand->command);
		print_text("location", strand->location);
		print_values(strand, perun_version_line_checksums(line));
		print_changes(line, strand, acknowledgements);
		print_latest(history, strand);
	}
	printf("]\n");
	if (status)
		fprintf(stderr, "history-facts: %s\n", perun_ctx_error(ctx));
	perun_acknowledgements_free(acknowledgements);
	perun_history_free(history);
	perun_store_close(store);
	perun_ctx_free(ctx);
	return status;
}
