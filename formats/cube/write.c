/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing an experiment: a file with one location for each point and repetition. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/hash.h>

#include "formats/common/losses.h"
#include "cube.h"

/* A node of the call tree; the first one is above all roots. */
struct node {
	size_t parent, region, first_child, last_child, next; /* SIZE_MAX = none */
	uint32_t position;
	bool overlaps,
		counts; /* whether some metric overlaps with other nodes, and some does not */
};

/* A hash table of indices + 1; 0 = free. */
struct slots {
	size_t *places, room;
};

/* A measurement of a series. */
struct measured {
	size_t series, measurement;
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
	struct slots nodes_by_key, regions_by_name;
	struct measured *measured; /* point by point, and at each metric by metric */
	size_t *starts;            /* of each point in `measured`, and the end */
};

/* ---- the call tree ---------------------------------------------------------------------------- */

/* Make room for one more than `count`; true when all are to be entered again. */
static bool grow_slots(struct slots *slots, size_t count)
{
	if (count * 2 < slots->room)
		return false;
	slots->room = slots->room ? slots->room * 2 : 64;
	perun_free(slots->places);
	slots->places = perun_alloc_zero(slots->room, sizeof *slots->places);
	return true;
}

static size_t *region_slot(const struct writing *writing, const char *name, size_t length)
{
	const struct slots *slots = &writing->regions_by_name;
	size_t i = (size_t)perun_hash_text(name, length) & (slots->room - 1);

	for (; slots->places[i]; i = (i + 1) & (slots->room - 1)) {
		const char *other = writing->regions[slots->places[i] - 1];

		if (strncmp(other, name, length) == 0 && other[length] == '\0')
			break;
	}
	return &slots->places[i];
}

static size_t find_region(struct writing *writing, const char *name, size_t length)
{
	size_t *slot;

	if (grow_slots(&writing->regions_by_name, writing->region_count))
		for (size_t i = 0; i < writing->region_count; i++)
			*region_slot(writing, writing->regions[i], strlen(writing->regions[i])) =
				i + 1;
	slot = region_slot(writing, name, length);
	if (*slot)
		return *slot - 1;
	PERUN_GROW(writing->regions, writing->region_count, writing->region_room);
	writing->regions[writing->region_count] = perun_strndup(name, length);
	*slot = ++writing->region_count;
	return *slot - 1;
}

static size_t *node_slot(const struct writing *writing, size_t parent, size_t region)
{
	const struct slots *slots = &writing->nodes_by_key;
	size_t i =
		(size_t)perun_hash_number(perun_hash_number(parent) ^ region) & (slots->room - 1);

	for (; slots->places[i]; i = (i + 1) & (slots->room - 1)) {
		const struct node *node = &writing->nodes[slots->places[i] - 1];

		if (node->parent == parent && node->region == region)
			break;
	}
	return &slots->places[i];
}

static size_t find_child(struct writing *writing, size_t parent, const char *name, size_t length)
{
	struct node own = {.parent = parent,
			   .region = find_region(writing, name, length),
			   .first_child = SIZE_MAX,
			   .last_child = SIZE_MAX,
			   .next = SIZE_MAX};
	size_t *slot;

	if (grow_slots(&writing->nodes_by_key, writing->node_count))
		for (size_t i = 1; i < writing->node_count; i++)
			*node_slot(writing, writing->nodes[i].parent, writing->nodes[i].region) =
				i + 1;
	slot = node_slot(writing, parent, own.region);
	if (*slot)
		return *slot - 1;
	PERUN_GROW(writing->nodes, writing->node_count, writing->node_room);
	if (writing->nodes[parent].last_child == SIZE_MAX)
		writing->nodes[parent].first_child = writing->node_count;
	else
		writing->nodes[writing->nodes[parent].last_child].next = writing->node_count;
	writing->nodes[parent].last_child = writing->node_count;
	writing->nodes[writing->node_count] = own;
	*slot = ++writing->node_count;
	return *slot - 1;
}

static void make_tree(struct writing *writing)
{
	const struct perun_experiment *experiment = writing->experiment;

	PERUN_GROW(writing->nodes, writing->node_count, writing->node_room);
	writing->nodes[writing->node_count++] = (struct node){.parent = SIZE_MAX,
							      .first_child = SIZE_MAX,
							      .last_child = SIZE_MAX,
							      .next = SIZE_MAX};
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
		writing->nodes[node].overlaps |= experiment->series[i].overlaps;
		writing->nodes[node].counts |= !experiment->series[i].overlaps;
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
		if (writing->nodes[i].overlaps && !writing->nodes[i].counts)
			perun_buffer_add_text(out,
					      "<parameter partype=\"string\" parkey=\"" CUBE_OVERLAP
					      "\" parvalue=\"yes\"/>");
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

/* The value of a repetition, or false when there are not as many. */
static bool value_of(const struct writing *writing, size_t measurement, size_t repetition,
		     double *value)
{
	size_t at = writing->all.starts[measurement] + repetition;

	if (at >= writing->all.starts[measurement + 1])
		return false;
	*value = writing->all.values[at];
	return true;
}

/* "N.index" and "N.data" of a metric, whose measurements are [i, end); false when it was not measured. */
static bool make_metric(const struct writing *writing, size_t i, size_t end, size_t repetition,
			struct perun_buffer *index, struct perun_buffer *data)
{
	struct perun_buffer positions = {0};
	size_t rows = 0;

	perun_buffer_add(data, "CUBEX.DATA", 10);
	for (; i < end; i++) {
		const struct measured *measured = &writing->measured[i];
		double value;
		uint64_t word;

		if (!value_of(writing, measured->measurement, repetition, &value))
			continue;
		memcpy(&word, &value, sizeof word);
		add_little(data, word, 8);
		add_little(&positions, writing->nodes[writing->node_of[measured->series]].position,
			   4);
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
	const struct perun_experiment_series *series = writing->experiment->series;
	size_t next, end = writing->starts[point + 1], count = 0, room = 0;
	struct cube_member *members = NULL;
	int status;

	PERUN_GROW(members, count, room);
	members[count++] = (struct cube_member){perun_strdup("anchor.xml"),
						(unsigned char *)anchor->data, anchor->length, 0};
	for (size_t i = writing->starts[point]; i < end; i = next) {
		uint32_t metric = series[writing->measured[i].series].metric;
		struct perun_buffer index = {0}, data = {0};

		for (next = i + 1; next < end; next++)
			if (series[writing->measured[next].series].metric != metric)
				break;
		if (make_metric(writing, i, next, repetition, &index, &data)) {
			PERUN_GROW(members, count, room);
			members[count++] =
				member(perun_format("%u.index", (unsigned)metric), &index);
			PERUN_GROW(members, count, room);
			members[count++] = member(perun_format("%u.data", (unsigned)metric), &data);
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
	int status = PERUN_OK;

	for (size_t repetition = 0; !status; repetition++) {
		struct perun_output *folder, *file;
		bool any = false;
		double value;
		char *name;

		for (size_t i = writing->starts[point]; i < writing->starts[point + 1] && !any; i++)
			any = value_of(writing, writing->measured[i].measurement, repetition,
				       &value);
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
static int report_losses(struct writing *writing)
{
	const struct perun_experiment *experiment = writing->experiment;
	size_t constant = 0, missing = 0, repeated = 0;

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
	for (size_t i = 0; i < experiment->measurement_count; i++)
		repeated += writing->all.starts[i + 1] - writing->all.starts[i] > 1;
	if (repeated)
		perun_lost(writing->ctx, "repetitions apart (read back as their statistics)",
			   repeated);
	losses_of_experiment(writing->ctx, experiment, writing->all.summaries,
			     LOSSES_UNITS | LOSSES_OVERLAPS);
	return PERUN_OK;
}

/* The series of each metric one after another, in their own order. */
static size_t *order_by_metric(const struct perun_experiment *experiment)
{
	size_t *starts = perun_alloc_zero(experiment->metric_count + 1, sizeof *starts);
	size_t *order = perun_alloc_zero(experiment->series_count, sizeof *order);

	for (size_t i = 0; i < experiment->series_count; i++)
		starts[experiment->series[i].metric + 1]++;
	for (size_t m = 0; m < experiment->metric_count; m++)
		starts[m + 1] += starts[m];
	for (size_t i = 0; i < experiment->series_count; i++)
		order[starts[experiment->series[i].metric]++] = i;
	perun_free(starts);
	return order;
}

static void find_measurements(struct writing *writing)
{
	const struct perun_experiment *experiment = writing->experiment;
	size_t points = experiment->points, *order = order_by_metric(experiment);
	/* Of a point: where its next measurement goes, which is where the next point begins in the end. */
	size_t *starts = perun_alloc_zero(points + 2, sizeof *starts);

	writing->measured =
		perun_alloc_zero(experiment->measurement_count, sizeof *writing->measured);
	for (size_t i = 0; i < experiment->measurement_count; i++)
		starts[experiment->measurements[i].point + 2]++;
	for (size_t point = 0; point < points; point++)
		starts[point + 2] += starts[point + 1];
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_experiment_series *series = &experiment->series[order[i]];

		for (size_t k = series->first; k < series->first + series->count; k++)
			writing->measured[starts[experiment->measurements[k].point + 1]++] =
				(struct measured){order[i], k};
	}
	writing->starts = starts;
	perun_free(order);
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
	status = report_losses(&writing);
	if (writing.replaced)
		perun_lost(ctx, "control characters in names", writing.replaced);
	for (size_t point = 0; !status && point < experiment->points; point++)
		status = write_point(&writing, &anchor, point, output);
	perun_buffer_free(&anchor);
	for (size_t i = 0; i < writing.region_count; i++)
		perun_free(writing.regions[i]);
	perun_free(writing.nodes);
	perun_free(writing.regions);
	perun_free(writing.node_of);
	perun_free(writing.nodes_by_key.places);
	perun_free(writing.regions_by_name.places);
	perun_free(writing.measured);
	perun_free(writing.starts);
	perun_repetitions_clear(&writing.all);
	perun_experiment_free(experiment);
	return status;
}
