/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries (--output-format=json): "profiles" of tools, each with the metrics of all parts in "total". */
#include <string.h>

#include "gungraun.h"

/* Names of metrics as they are printed, so that text and summaries are one history; others stay. */
static const char *printed_name(const char *key)
{
	static const struct {
		const char *key, *name;
	} names[] = {{"Ir", "Instructions"},
		     {"L1hits", "L1 Hits"},
		     {"LLhits", "LL Hits"},
		     {"RamHits", "RAM Hits"},
		     {"TotalRW", "Total read+write"},
		     {"EstimatedCycles", "Estimated Cycles"},
		     {"I1MissRate", "I1 Miss Rate"},
		     {"LLiMissRate", "LLi Miss Rate"},
		     {"D1MissRate", "D1 Miss Rate"},
		     {"LLdMissRate", "LLd Miss Rate"},
		     {"LLMissRate", "LL Miss Rate"},
		     {"L1HitRate", "L1 Hit Rate"},
		     {"LLHitRate", "LL Hit Rate"},
		     {"RamHitRate", "RAM Hit Rate"},
		     {"TotalBytes", "Total bytes"},
		     {"TotalBlocks", "Total blocks"},
		     {"AtTGmaxBytes", "At t-gmax bytes"},
		     {"AtTGmaxBlocks", "At t-gmax blocks"},
		     {"AtTEndBytes", "At t-end bytes"},
		     {"AtTEndBlocks", "At t-end blocks"},
		     {"MaximumBytes", "Maximum bytes"},
		     {"MaximumBlocks", "Maximum blocks"},
		     {"ReadsBytes", "Reads bytes"},
		     {"WritesBytes", "Writes bytes"},
		     {"SuppressedErrors", "Suppressed Errors"},
		     {"SuppressedContexts", "Suppressed Contexts"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(key, names[i].key) == 0)
			return names[i].name;
	return key;
}

/* {"Left": {"Int": 6}}, {"Both": [{"Int": 6}, {"Int": 5}]}: the new value; {"Right": ...} has only the old one. */
static bool new_value(const struct perun_json *metrics, double *value)
{
	const struct perun_json *found = perun_json_get(metrics, "Left");
	const struct perun_json *both = perun_json_get(metrics, "Both");

	if (!found && both)
		found = perun_json_type(both) == PERUN_JSON_TYPE_ARRAY
				? perun_json_at(both, 0)
				: perun_json_get(both, "left");
	if (!found)
		return false;
	if (perun_json_type(found) != PERUN_JSON_TYPE_OBJECT)
		return perun_json_as_double(found, value);
	return perun_json_as_double(perun_json_get(found, "Int"), value) ||
	       perun_json_as_double(perun_json_get(found, "Float"), value);
}

static void add_metric(struct benchmark *benchmark, const char *uid, const char *tool,
		       const char *key, const struct perun_json *metric)
{
	double value;

	if (new_value(perun_json_get(metric, "metrics"), &value))
		gungraun_add(benchmark, uid, tool, printed_name(key), value);
}

/* Metrics are sorted by name there; what the tool prints first comes first, as it is the leading one. */
static void add_metrics(struct benchmark *benchmark, const char *uid, const char *tool,
			const struct perun_json *metrics)
{
	static const char *const first[] = {"Ir", "TotalBytes", "Errors"};
	const char *leading = NULL;

	for (size_t i = 0; !leading && i < sizeof first / sizeof *first; i++)
		leading = perun_json_get(metrics, first[i]) ? first[i] : NULL;
	if (leading)
		add_metric(benchmark, uid, tool, leading, perun_json_get(metrics, leading));
	for (size_t i = 0; i < perun_json_count(metrics); i++) {
		const char *key;
		const struct perun_json *metric = perun_json_pass(metrics, i, &key);

		if (!leading || strcmp(key, leading) != 0)
			add_metric(benchmark, uid, tool, key, metric);
	}
}

static void add_profile(struct benchmark *benchmark, const char *uid,
			const struct perun_json *profile)
{
	const struct perun_json *summary = perun_json_get(
		perun_json_get(perun_json_get(profile, "summaries"), "total"), "summary");
	const char *tool = perun_json_as_string(perun_json_get(profile, "tool"), NULL);

	for (size_t i = 0; i < perun_json_count(summary); i++)
		add_metrics(benchmark, uid, tool ? tool : "", perun_json_pass(summary, i, NULL));
}

void gungraun_read_summary(struct benchmark *benchmark, const struct perun_json *document)
{
	const struct perun_json *profiles = perun_json_get(document, "profiles");
	const char *module = perun_json_as_string(perun_json_get(document, "module_path"), NULL);
	const char *id = perun_json_as_string(perun_json_get(document, "id"), NULL);
	const char *details = perun_json_as_string(perun_json_get(document, "details"), NULL);
	char *uid;

	if (!module || !profiles)
		return;
	uid = perun_format("%s%s%s%s%s", module, id ? " " : "", id ? id : "",
			   id && details ? ":" : "", id && details ? details : "");
	for (size_t i = 0; i < perun_json_count(profiles); i++)
		add_profile(benchmark, uid, perun_json_pass(profiles, i, NULL));
	perun_free(uid);
}
