/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing an experiment: a file with one location for each point and repetition. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>

#include "cube.h"

/* A node of the call tree; the first one is above all roots. */
struct node {
	size_t region, first_child, last_child, next; /* SIZE_MAX = none */
	uint32_t position;
	char *name;
};

struct writing {
	struct perun_ctx *ctx;
	const struct perun_experiment *experiment;
	struct perun_repetitions all;
	struct node *nodes;
	size_t node_count, node_room;
	size_t *node_of; /* of each series */
	char **regions;
	size_t region_count, region_room, replaced;
	size_t *measured; /* of each series and point: the measurement, SIZE_MAX = none */
};

/* ---- the call tree ---------------------------------------------------------------------------- */

static size_t find_region(struct writing *writing, const char *name)
{
	for (size_t i = writing->region_count; i-- > 0;)
		if (strcmp(writing->regions[i], name) == 0)
			return i;
	PERUN_GROW(writing->regions, writing->region_count, writing->region_room);
	writing->regions[writing->region_count] = perun_strdup(name);
	return writing->region_count++;
}

static size_t find_child(struct writing *writing, size_t parent, const char *name, size_t length)
{
	size_t child = writing->nodes[parent].first_child, last = SIZE_MAX;
	struct node own = {.first_child = SIZE_MAX, .last_child = SIZE_MAX, .next = SIZE_MAX};

	for (; child != SIZE_MAX; last = child, child = writing->nodes[child].next)
		if (strncmp(writing->nodes[child].name, name, length) == 0 &&
		    writing->nodes[child].name[length] == '\0')
			return child;
	own.name = perun_strndup(name, length);
	own.region = find_region(writing, own.name);
	child = writing->node_count;
	PERUN_GROW(writing->nodes, writing->node_count, writing->node_room);
	writing->nodes[writing->node_count++] = own;
	if (last == SIZE_MAX)
		writing->nodes[parent].first_child = child;
	else
		writing->nodes[last].next = child;
	return child;
}

static void make_tree(struct writing *writing)
{
	const struct perun_experiment *experiment = writing->experiment;

	PERUN_GROW(writing->nodes, writing->node_count, writing->node_room);
	writing->nodes[writing->node_count++] =
		(struct node){.first_child = SIZE_MAX, .next = SIZE_MAX};
	for (size_t i = 0; i < experiment->series_count; i++) {
		const char *path = experiment->callpath_names[experiment->series[i].callpath];
		size_t node = 0;

		for (;;) {
			const char *arrow = strstr(path, "->");
			size_t length = arrow ? (size_t)(arrow - path) : strlen(path);

			node = find_child(writing, node, path, length);
			if (!arrow)
				break;
			path = arrow + 2;
		}
		writing->node_of[i] = node;
	}
}

/* ---- anchor.xml ------------------------------------------------------------------------------- */

/* XML has no words for most control characters. */
static void add_text(struct writing *writing, struct perun_buffer *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\t' || c == '\n' ||
		    c == '\r') {
			perun_buffer_printf(out, "&#%u;", (unsigned)c);
		} else if (c < ' ') {
			perun_buffer_add_char(out, '?');
			writing->replaced++;
		} else {
			perun_buffer_add_char(out, *text);
		}
	}
}

static void add_element(struct writing *writing, struct perun_buffer *out, const char *name,
			const char *text)
{
	perun_buffer_printf(out, "<%s>", name);
	add_text(writing, out, text);
	perun_buffer_printf(out, "</%s>", name);
}

/* Nodes get their positions in the order of a walk. */
static void add_nodes(struct writing *writing, struct perun_buffer *out, size_t parent,
		      uint32_t *next)
{
	for (size_t i = writing->nodes[parent].first_child; i != SIZE_MAX;
	     i = writing->nodes[i].next) {
		writing->nodes[i].position = *next;
		perun_buffer_printf(out, "<cnode id=\"%u\" calleeId=\"%zu\">", (unsigned)(*next)++,
				    writing->nodes[i].region);
		add_nodes(writing, out, i, next);
		perun_buffer_add_text(out, "</cnode>\n");
	}
}

static void make_anchor(struct writing *writing, struct perun_buffer *out)
{
	const struct perun_experiment *experiment = writing->experiment;
	const struct perun_json *metrics =
		perun_json_get(perun_profile_document(experiment->profile), "metrics");
	uint32_t next = 0;

	perun_buffer_add_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
				   "<cube version=\"4.4\">\n<metrics title=\"Metric tree\">\n");
	for (size_t i = 0; i < experiment->metric_count; i++) {
		const char *name = experiment->metrics[i];
		const char *unit = perun_json_as_string(
			perun_json_get(perun_json_get(metrics, name), "unit"), NULL);

		perun_buffer_printf(out, "<metric id=\"%zu\" type=\"EXCLUSIVE\">", i);
		add_element(writing, out, "disp_name", name);
		add_element(writing, out, "uniq_name", name);
		perun_buffer_add_text(out, "<dtype>DOUBLE</dtype>");
		add_element(writing, out, "uom", unit ? unit : "");
		perun_buffer_add_text(out, "<val></val><url></url><descr></descr></metric>\n");
	}
	perun_buffer_add_text(out, "</metrics>\n<program>\n");
	for (size_t i = 0; i < writing->region_count; i++) {
		perun_buffer_printf(out, "<region id=\"%zu\" mod=\"\" begin=\"-1\" end=\"-1\">", i);
		add_element(writing, out, "name", writing->regions[i]);
		add_element(writing, out, "mangled_name", writing->regions[i]);
		perun_buffer_add_text(out, "<paradigm>user</paradigm><role>function</role><url>"
					   "</url><descr></descr></region>\n");
	}
	add_nodes(writing, out, 0, &next);
	perun_buffer_add_text(
		out,
		"</program>\n<system>\n<systemtreenode Id=\"0\"><name>machine</name><class>machine"
		"</class><locationgroup Id=\"0\"><name>process</name><rank>0</rank><type>process"
		"</type><location Id=\"0\"><name>thread</name><rank>0</rank><type>thread</type>"
		"</location></locationgroup></systemtreenode>\n</system>\n</cube>\n");
}

/* ---- values ----------------------------------------------------------------------------------- */

static void add_little(struct perun_buffer *out, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		perun_buffer_add_char(out, (char)(value >> 8 * i & 0xff));
}

/* The value of a series, or false when it has fewer repetitions at the point. */
static bool value_of(const struct writing *writing, size_t series, size_t point, size_t repetition,
		     double *value)
{
	size_t i = writing->measured[series * writing->experiment->points + point];

	if (i == SIZE_MAX || writing->all.starts[i] + repetition >= writing->all.starts[i + 1])
		return false;
	*value = writing->all.values[writing->all.starts[i] + repetition];
	return true;
}

/* "N.index" and "N.data" of a metric; false when it was not measured. */
static bool make_metric(const struct writing *writing, uint32_t metric, size_t point,
			size_t repetition, struct perun_buffer *index, struct perun_buffer *data)
{
	const struct perun_experiment *experiment = writing->experiment;
	struct perun_buffer positions = {0};
	size_t rows = 0;

	perun_buffer_add(data, "CUBEX.DATA", 10);
	for (size_t i = 0; i < experiment->series_count; i++) {
		double value;
		uint64_t word;

		if (experiment->series[i].metric != metric ||
		    !value_of(writing, i, point, repetition, &value))
			continue;
		memcpy(&word, &value, sizeof word);
		add_little(data, word, 8);
		add_little(&positions, writing->nodes[writing->node_of[i]].position, 4);
		rows++;
	}
	perun_buffer_add(index, "CUBEX.INDEX", 11);
	add_little(index, 1, 4);
	add_little(index, 0, 3);
	add_little(index, rows, 4);
	perun_buffer_add(index, positions.data ? positions.data : "", positions.length);
	perun_buffer_free(&positions);
	return rows > 0;
}

static struct cube_member member(char *name, struct perun_buffer *content)
{
	size_t size = content->length;

	return (struct cube_member){name, (unsigned char *)perun_buffer_take(content), size, 0};
}

static int write_file(struct writing *writing, const struct perun_buffer *anchor, size_t point,
		      size_t repetition, struct perun_output *output)
{
	size_t metrics = writing->experiment->metric_count, count = 0;
	struct cube_member *members = perun_alloc_zero(1 + 2 * metrics, sizeof *members);
	int status;

	members[count++] = (struct cube_member){perun_strdup("anchor.xml"),
						(unsigned char *)anchor->data, anchor->length, 0};
	for (size_t i = 0; i < metrics; i++) {
		struct perun_buffer index = {0}, data = {0};

		if (make_metric(writing, (uint32_t)i, point, repetition, &index, &data)) {
			members[count++] = member(perun_format("%zu.index", i), &index);
			members[count++] = member(perun_format("%zu.data", i), &data);
		}
		perun_buffer_free(&index);
		perun_buffer_free(&data);
	}
	status = cube_write_archive(writing->ctx, members, count, output);
	for (size_t i = 0; i < count; i++) {
		perun_free(members[i].name);
		if (i)
			perun_free(members[i].data);
	}
	perun_free(members);
	return status;
}

/* ---- points ----------------------------------------------------------------------------------- */

/* "perun.p4n1.5.r1", which must be read as what it says. */
static int make_name(const struct writing *writing, size_t point, size_t repetition, char **result)
{
	const struct perun_experiment *experiment = writing->experiment;
	const double *values = experiment->coordinates + point * experiment->parameters;
	struct perun_buffer name = {0};
	struct perun_point_name parsed;
	bool same;

	perun_buffer_add_text(&name, "perun.");
	for (size_t p = 0; p < experiment->parameters; p++) {
		char text[PERUN_JSON_NUMBER_SIZE];

		perun_json_print_double(values[p], text);
		if (strlen(text) > 2 && strcmp(text + strlen(text) - 2, ".0") == 0)
			text[strlen(text) - 2] = '\0';
		perun_buffer_printf(&name, "%s%s", experiment->parameter_names[p], text);
	}
	perun_buffer_printf(&name, ".r%zu", repetition + 1);
	same = perun_point_name_parse(NULL, name.data, &parsed) == PERUN_OK &&
	       parsed.count == experiment->parameters && !strchr(name.data, '/') &&
	       name.length < 200;
	for (size_t p = 0; same && p < parsed.count; p++)
		same = parsed.values[p] == values[p] &&
		       strcmp(parsed.names[p], experiment->parameter_names[p]) == 0;
	perun_point_name_clear(&parsed);
	*result = perun_buffer_take(&name);
	if (same)
		return PERUN_OK;
	perun_fail(
		writing->ctx, PERUN_INPUT,
		"the directory %s would not name the point: names of parameters must be letters, "
		"values plain decimals",
		*result);
	perun_free(*result);
	*result = NULL;
	return PERUN_INPUT;
}

static int write_point(struct writing *writing, const struct perun_buffer *anchor, size_t point,
		       struct perun_output *output)
{
	const struct perun_experiment *experiment = writing->experiment;
	int status = PERUN_OK;

	for (size_t repetition = 0; !status; repetition++) {
		struct perun_output *folder, *file;
		bool any = false;
		double value;
		char *name;

		for (size_t i = 0; i < experiment->series_count && !any; i++)
			any = value_of(writing, i, point, repetition, &value);
		if (!any)
			break;
		status = make_name(writing, point, repetition, &name);
		if (status)
			break;
		status = perun_output_child(writing->ctx, output, name, true, &folder);
		if (!status)
			status = perun_output_child(writing->ctx, folder, "profile.cubex", false,
						    &file);
		if (!status)
			status = write_file(writing, anchor, point, repetition, file);
		perun_free(name);
	}
	return status;
}

/* What is read back is not the same: say what. */
static int tell_losses(struct writing *writing)
{
	const struct perun_experiment *experiment = writing->experiment;
	size_t constant = 0, missing = 0;

	for (size_t p = 0; p < experiment->parameters; p++) {
		bool varies = false;

		for (size_t i = 1; i < experiment->points; i++)
			varies |= experiment->coordinates[i * experiment->parameters + p] !=
				  experiment->coordinates[p];
		constant += !varies;
	}
	if (constant == experiment->parameters)
		return perun_fail(writing->ctx, PERUN_INPUT,
				  "no parameter has more than one value: names of directories "
				  "cannot express them");
	for (size_t i = 0; i < experiment->series_count; i++)
		missing += experiment->series[i].count != experiment->points;
	if (constant)
		perun_lost(writing->ctx, "parameters that never change", constant);
	if (missing)
		perun_lost(writing->ctx, "call paths that were not measured at every point",
			   missing);
	if (writing->all.summaries)
		perun_lost(writing->ctx, "statistics of measurements besides the mean",
			   writing->all.summaries);
	return PERUN_OK;
}

static void find_measurements(struct writing *writing)
{
	const struct perun_experiment *experiment = writing->experiment;
	size_t points = experiment->points, cells = points * experiment->series_count;

	writing->measured = perun_alloc_zero(cells + 1, sizeof *writing->measured);
	memset(writing->measured, 0xff, cells * sizeof *writing->measured);
	for (size_t i = 0; i < experiment->series_count; i++)
		for (size_t k = 0; k < experiment->series[i].count; k++) {
			size_t at = experiment->series[i].first + k;

			writing->measured[i * points + experiment->measurements[at].point] = at;
		}
}

int cube_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
	       struct perun_output *output)
{
	struct writing writing = {.ctx = ctx};
	struct perun_experiment *experiment;
	struct perun_buffer anchor = {0};
	int status = perun_experiment_new(ctx, profile, true, &experiment);

	(void)instance;
	if (status)
		return status;
	writing.experiment = experiment;
	writing.node_of = perun_alloc_zero(experiment->series_count, sizeof *writing.node_of);
	perun_experiment_repetitions(experiment, &writing.all);
	find_measurements(&writing);
	make_tree(&writing);
	make_anchor(&writing, &anchor);
	status = tell_losses(&writing);
	if (writing.replaced)
		perun_lost(ctx, "control characters in names", writing.replaced);
	for (size_t point = 0; !status && point < experiment->points; point++)
		status = write_point(&writing, &anchor, point, output);
	perun_buffer_free(&anchor);
	for (size_t i = 0; i < writing.node_count; i++)
		perun_free(writing.nodes[i].name);
	for (size_t i = 0; i < writing.region_count; i++)
		perun_free(writing.regions[i]);
	perun_free(writing.nodes);
	perun_free(writing.regions);
	perun_free(writing.node_of);
	perun_free(writing.measured);
	perun_repetitions_clear(&writing.all);
	perun_experiment_free(experiment);
	return status;
}
