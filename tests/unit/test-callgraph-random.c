/* SPDX-License-Identifier: BSD-3-Clause */
/* The call-graph engine against a naive one, on random profiles. */
#include <perun/lib/callgraph.h>

#include "check.h"

enum {
	FUNCTIONS = 12,
	LOCATIONS = 18,
	MAPPINGS = 3,
	MAX_LINES = 3,
	MAX_FRAMES = 7,
	SAMPLES = 60,
	KEY = 160,
	MAX_NODES = 4000
};

static struct perun_ctx *ctx;

static uint32_t random_below(uint32_t end)
{
	static uint64_t state = 20;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % end);
}

/* ---- the naive model -------------------------------------------------------------------------- */

struct line {
	int function, line; /* function -1: unknown */
};

struct location {
	int mapping, count; /* mapping -1: none */
	uint64_t address;
	bool hidden;
	struct line lines[MAX_LINES];
};

struct sample {
	int count, locations[MAX_FRAMES];
	int64_t values[2];
	int label;
	bool dropped;
};

struct model {
	char names[FUNCTIONS][8], files[FUNCTIONS][16];
	int start_lines[FUNCTIONS];
	char objects[MAPPINGS][8];
	struct location locations[LOCATIONS];
	struct sample samples[SAMPLES];
	perun_id location_ids[LOCATIONS];
	struct perun_profile *profile;
};

/* Short words of a few letters, so that patterns of one letter match often. */
static void make_word(char *word, uint32_t letters, bool empty)
{
	uint32_t length = empty && random_below(6) == 0 ? 0 : 1 + random_below(2);

	for (uint32_t i = 0; i < length; i++)
		word[i] = (char)('a' + random_below(letters));
	word[length] = '\0';
}

static void make_model(struct model *m)
{
	int least = random_below(2) ? -3 : 0;

	memset(m, 0, sizeof *m);
	for (int i = 0; i < FUNCTIONS; i++) {
		make_word(m->names[i], 6, true);
		make_word(m->files[i], 3, true);
		m->start_lines[i] = (int)random_below(2);
	}
	for (int i = 0; i < MAPPINGS; i++)
		make_word(m->objects[i], 12, true);
	for (int i = 0; i < LOCATIONS; i++) {
		struct location *l = &m->locations[i];

		l->mapping = (int)random_below(MAPPINGS + 1) - 1;
		l->count = (int)random_below(MAX_LINES + 1);
		l->address = 16 + random_below(6);
		for (int k = 0; k < l->count; k++)
			l->lines[k] =
				(struct line){(int)random_below(FUNCTIONS), (int)random_below(3)};
	}
	for (int i = 0; i < SAMPLES; i++) {
		struct sample *s = &m->samples[i];

		s->count = (int)random_below(MAX_FRAMES + 1);
		for (int k = 0; k < s->count; k++)
			s->locations[k] = (int)random_below(LOCATIONS);
		s->values[0] = (int64_t)random_below(7) + least;
		s->values[1] = random_below(3) ? 0 : (int64_t)random_below(100);
		s->label = (int)random_below(3);
	}
	for (int i = 0; i + 1 < SAMPLES; i += 5) /* some equal stacks */
		memcpy(m->samples[i + 1].locations, m->samples[i].locations,
		       sizeof m->samples[i].locations),
			m->samples[i + 1].count = m->samples[i].count;
}

static void add_pools(struct model *m, struct perun_builder *builder)
{
	perun_id functions[FUNCTIONS], mappings[MAPPINGS];

	for (int i = 0; i < FUNCTIONS; i++) {
		struct perun_function f = {.source_id = (uint64_t)i + 1,
					   .start_line = m->start_lines[i]};

		f.name = perun_builder_text(builder, m->names[i]);
		f.file = perun_builder_text(builder, m->files[i]);
		functions[i] = perun_builder_function(builder, &f);
	}
	for (int i = 0; i < MAPPINGS; i++) {
		struct perun_mapping mapping = {.source_id = (uint64_t)i + 1};

		mapping.file = perun_builder_text(builder, m->objects[i]);
		mappings[i] = perun_builder_mapping(builder, &mapping);
	}
	for (int i = 0; i < LOCATIONS; i++) {
		const struct location *l = &m->locations[i];
		struct perun_line lines[MAX_LINES];
		struct perun_location location = {.mapping = l->mapping < 0 ? PERUN_NO_ID
									    : mappings[l->mapping],
						  .address = l->address,
						  .source_id = (uint64_t)i + 1,
						  .line_count = (uint32_t)l->count,
						  .lines = lines};

		for (int k = 0; k < l->count; k++)
			lines[k] = (struct perun_line){functions[l->lines[k].function],
						       l->lines[k].line, 0};
		m->location_ids[i] = perun_builder_location(builder, &location);
	}
}

static void make_profile(struct model *m)
{
	static const char *const names[] = {"stack", "labels", "a", "b"};
	static const enum perun_type types[] = {PERUN_TYPE_STACK, PERUN_TYPE_LABELS,
						PERUN_TYPE_INT64, PERUN_TYPE_INT64};
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *columns[4];
	perun_id path[MAX_FRAMES];

	add_pools(m, builder);
	for (int i = 0; i < 4; i++) {
		struct perun_column_info info = {.name = names[i], .type = types[i]};

		columns[i] = perun_table_add_column(table, &info);
	}
	for (int i = 0; i < SAMPLES; i++) {
		const struct sample *s = &m->samples[i];
		struct perun_label label = {.key = perun_builder_text(builder, "k"),
					    .text = PERUN_NO_ID,
					    .number = s->label};

		for (int k = 0; k < s->count; k++)
			path[k] = m->location_ids[s->locations[k]];
		perun_column_set_id(columns[0], PERUN_TYPE_STACK,
				    perun_builder_stack(builder, path, (size_t)s->count));
		if (s->label)
			perun_column_set_id(columns[1], PERUN_TYPE_LABELS,
					    perun_builder_labels(builder, &label, 1));
		perun_column_set_int64(columns[2], s->values[0]);
		perun_column_set_int64(columns[3], s->values[1]);
		perun_table_end_row(table);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &m->profile), 0);
}

/* ---- naive filters ---------------------------------------------------------------------------- */

static bool line_has(const struct model *m, const struct line *line, char c)
{
	return strchr(m->names[line->function], c) || strchr(m->files[line->function], c);
}

static bool object_has(const struct model *m, const struct location *l, char c)
{
	return l->mapping >= 0 && strchr(m->objects[l->mapping], c);
}

static bool location_has(const struct model *m, const struct location *l, char c)
{
	for (int i = 0; i < l->count; i++) {
		if (line_has(m, &l->lines[i], c))
			return true;
	}
	return object_has(m, l, c);
}

static void remove_lines(const struct model *m, struct location *l, char c, bool matching)
{
	int count = 0;

	if (object_has(m, l, c)) {
		l->count = matching ? 0 : l->count;
		return;
	}
	for (int i = 0; i < l->count; i++) {
		if (line_has(m, &l->lines[i], c) != matching)
			l->lines[count++] = l->lines[i];
	}
	l->count = count;
}

/* Letters; 0 = not given. */
static void naive_filter(struct model *m, char focus, char ignore, char hide, char show)
{
	int verdicts[LOCATIONS] = {0};

	for (int i = 0; i < LOCATIONS; i++) {
		struct location *l = &m->locations[i];

		if (ignore && location_has(m, l, ignore))
			verdicts[i] = -1;
		else if (!focus || location_has(m, l, focus))
			verdicts[i] = 1;
		if (hide && location_has(m, l, hide)) {
			remove_lines(m, l, hide, true);
			l->hidden |= l->count == 0;
		}
		if (show) {
			remove_lines(m, l, show, false);
			l->hidden |= l->count == 0;
		}
	}
	for (int i = 0; i < SAMPLES; i++) {
		struct sample *s = &m->samples[i];
		bool focused = false, ignored = false;
		int count = 0;

		for (int k = 0; k < s->count; k++) {
			focused |= verdicts[s->locations[k]] == 1;
			ignored |= verdicts[s->locations[k]] == -1;
			if (!m->locations[s->locations[k]].hidden)
				s->locations[count++] = s->locations[k];
		}
		s->count = count;
		s->dropped |= !focused || ignored || count == 0;
	}
}

static void naive_show_from(struct model *m, char c)
{
	bool matched[LOCATIONS] = {false};

	for (int i = 0; i < LOCATIONS; i++) {
		struct location *l = &m->locations[i];

		if (l->hidden)
			continue;
		matched[i] = object_has(m, l, c);
		for (int k = l->count; k-- > 0 && !matched[i];) {
			matched[i] = line_has(m, &l->lines[k], c);
			if (matched[i])
				l->count = k + 1;
		}
	}
	for (int i = 0; i < SAMPLES; i++) {
		struct sample *s = &m->samples[i];

		while (s->count > 0 && !matched[s->locations[s->count - 1]])
			s->count--;
		s->dropped |= s->count == 0;
	}
}

static void drop_first(struct sample *s, int count)
{
	s->count -= count;
	memmove(s->locations, s->locations + count, (size_t)s->count * sizeof *s->locations);
}

static void naive_prune(struct model *m, char drop, char keep)
{
	int verdicts[LOCATIONS] = {0}; /* 1: the whole location, 2: what lies below a line */

	for (int i = 0; i < LOCATIONS; i++) {
		struct location *l = &m->locations[i];
		int k = l->count;

		while (--k >= 0) {
			const char *name = m->names[l->lines[k].function];

			if (*name && strchr(name, drop) && !(keep && strchr(name, keep)))
				break;
		}
		if (k < 0 || l->hidden)
			continue;
		verdicts[i] = k == l->count - 1 ? 1 : 2;
		if (verdicts[i] == 1)
			continue;
		memmove(l->lines, l->lines + k + 1, (size_t)(l->count - k - 1) * sizeof *l->lines);
		l->count -= k + 1;
	}
	for (int i = 0; i < SAMPLES; i++) {
		struct sample *s = &m->samples[i];
		bool user = false;

		for (int k = s->count; k-- > 0;) {
			int verdict = verdicts[s->locations[k]];

			if (verdict && user) {
				drop_first(s, verdict == 1 ? k + 1 : k);
				break;
			}
			user |= !verdict;
		}
	}
}

static void naive_prune_from(struct model *m, char c)
{
	bool matched[LOCATIONS] = {false};

	for (int i = 0; i < LOCATIONS; i++) {
		struct location *l = &m->locations[i];

		for (int k = 0; k < l->count && !matched[i]; k++) {
			if (!strchr(m->names[l->lines[k].function], c))
				continue;
			matched[i] = true;
			l->count -= k;
			memmove(l->lines, l->lines + k, (size_t)l->count * sizeof *l->lines);
		}
	}
	for (int i = 0; i < SAMPLES; i++) {
		struct sample *s = &m->samples[i];

		for (int k = 0; k < s->count; k++) {
			if (matched[s->locations[k]]) {
				drop_first(s, k);
				break;
			}
		}
	}
}

/* ---- naive graph ------------------------------------------------------------------------------ */

struct naive_node {
	char key[MAX_FRAMES * MAX_LINES * 40];
	int64_t flat[2], cumulative[2];
	bool inlined, seen;
};

struct naive_edge {
	int caller, callee;
	int64_t values[2];
	bool residual, inlined, seen;
};

struct naive {
	const struct model *model;
	enum perun_granularity by;
	bool no_inlines, lose_leaves;
	const struct naive *kept; /* whose nodes with `seen` are kept; NULL: all */
	struct naive_node nodes[MAX_NODES];
	struct naive_edge edges[MAX_NODES];
	int count, edge_count;
};

static void add_key(const struct naive *n, const struct location *l, const struct line *line,
		    char *key)
{
	const struct model *m = n->model;
	const char *name = line ? m->names[line->function] : "";
	const char *file = line ? m->files[line->function] : "";
	const char *object = l->mapping < 0 ? "" : m->objects[l->mapping];
	enum perun_granularity by = n->by;
	int number = line && (by == PERUN_BY_LINE || by == PERUN_BY_ADDRESS) ? line->line : 0;

	if (by == PERUN_BY_FILE)
		name = "";
	if (by == PERUN_BY_FUNCTION)
		file = "";
	if (line && (*name || (by == PERUN_BY_FILE && *file)))
		object = "";
	sprintf(key, "%s|%s|%s|%d|%d", name, file, object, number,
		by == PERUN_BY_ADDRESS ? (int)l->address : 0);
}

static int naive_node(struct naive *n, const char *key)
{
	for (int i = 0; i < n->count; i++) {
		if (strcmp(n->nodes[i].key, key) == 0)
			return i;
	}
	memset(&n->nodes[n->count], 0, sizeof *n->nodes);
	strcpy(n->nodes[n->count].key, key);
	n->nodes[n->count].inlined = true;
	return n->count++;
}

/* The frames of a sample from the root on; returns their number. */
static int naive_frames(const struct naive *n, const struct sample *s, char (*keys)[KEY],
			bool *inlined)
{
	int count = 0;

	for (int i = s->count; i-- > 0;) {
		const struct location *l = &n->model->locations[s->locations[i]];

		if (l->count == 0) {
			inlined[count] = false;
			add_key(n, l, NULL, keys[count++]);
		}
		for (int k = l->count; k-- > 0;) {
			inlined[count] = k != l->count - 1 && !n->no_inlines;
			add_key(n, l, &l->lines[k], keys[count++]);
			if (n->no_inlines)
				break;
		}
	}
	return count;
}

static void naive_add_edge(struct naive *n, int caller, int callee, const struct sample *s,
			   bool residual, bool inlined)
{
	struct naive_edge *e = n->edges;

	while (e < n->edges + n->edge_count && (e->caller != caller || e->callee != callee))
		e++;
	if (e == n->edges + n->edge_count) {
		n->edge_count++;
		*e = (struct naive_edge){.caller = caller, .callee = callee, .inlined = true};
	}
	if (e->seen)
		return;
	e->seen = true;
	e->residual |= residual;
	e->inlined &= inlined;
	e->values[0] += s->values[0];
	e->values[1] += s->values[1];
}

static int naive_kept_node(struct naive *n, const char *key)
{
	for (int i = 0; n->kept && i < n->kept->count; i++) {
		if (strcmp(n->kept->nodes[i].key, key) == 0 && !n->kept->nodes[i].seen)
			return -1;
	}
	return naive_node(n, key);
}

static void naive_add_sample(struct naive *n, const struct sample *s)
{
	char keys[MAX_FRAMES * MAX_LINES][KEY];
	bool inlined[MAX_FRAMES * MAX_LINES], residual = false;
	int count = naive_frames(n, s, keys, inlined), parent = -1;

	for (int i = 0; i < n->count; i++)
		n->nodes[i].seen = false;
	for (int i = 0; i < n->edge_count; i++)
		n->edges[i].seen = false;
	for (int i = 0; i < count; i++) {
		int node = naive_kept_node(n, keys[i]);

		if (node < 0) {
			residual = true;
			continue;
		}
		for (int w = 0; w < 2 && !n->nodes[node].seen; w++)
			n->nodes[node].cumulative[w] += s->values[w];
		n->nodes[node].seen = true;
		if (parent >= 0 && parent != node)
			naive_add_edge(n, parent, node, s, residual, inlined[i]);
		parent = node;
		residual = false;
	}
	for (int w = 0; w < 2 && parent >= 0 && !(residual && n->lose_leaves); w++)
		n->nodes[parent].flat[w] += s->values[w];
}

static bool counts(const struct sample *s)
{
	return !s->dropped && (s->values[0] || s->values[1]);
}

static void naive_graph(struct naive *n, const struct model *m)
{
	n->model = m;
	n->count = n->edge_count = 0;
	for (int i = 0; i < SAMPLES; i++) {
		if (counts(&m->samples[i]))
			naive_add_sample(n, &m->samples[i]);
	}
}

/* ---- comparing -------------------------------------------------------------------------------- */

static struct perun_stacks *weighed(struct model *m)
{
	const struct perun_table *table = perun_resources(m->profile);
	struct perun_weight weights[2] = {{perun_table_column(table, "a"), NULL},
					  {perun_table_column(table, "b"), NULL}};
	struct perun_stacks *stacks = NULL;

	CHECK_INT(perun_stacks_new(ctx, m->profile, &stacks), 0);
	CHECK_INT(perun_stacks_weigh(ctx, stacks, weights, 2, 0), 0);
	return stacks;
}

static void weigh_again(struct model *m, struct perun_stacks *stacks)
{
	const struct perun_table *table = perun_resources(m->profile);
	struct perun_weight weights[2] = {{perun_table_column(table, "a"), NULL},
					  {perun_table_column(table, "b"), NULL}};

	CHECK_INT(perun_stacks_weigh(ctx, stacks, weights, 2, 0), 0);
}

static void frame_key(const struct model *m, const struct perun_frame *f, char *key)
{
	sprintf(key, "%s|%s|%s|%d|%d", perun_profile_string(m->profile, f->name, NULL),
		perun_profile_string(m->profile, f->file, NULL),
		perun_profile_string(m->profile, f->object, NULL), (int)f->line, (int)f->address);
}

static void compare_edges(const struct perun_callgraph *graph, const struct naive *n,
			  const int *naive_of)
{
	size_t count, found = 0;
	const struct perun_edge *edges = perun_callgraph_edges(graph, &count);

	CHECK_INT(count, n->edge_count);
	for (size_t i = 0; i < count; i++) {
		for (int k = 0; k < n->edge_count; k++) {
			const struct naive_edge *e = &n->edges[k];

			if (e->caller != naive_of[edges[i].caller] ||
			    e->callee != naive_of[edges[i].callee])
				continue;
			found++;
			CHECK_INT(edges[i].residual, e->residual);
			CHECK_INT(edges[i].inlined, e->inlined);
			for (size_t w = 0; w < 2; w++)
				CHECK_INT(perun_callgraph_edge_values(graph, w)[i], e->values[w]);
		}
	}
	CHECK_INT(found, count);
}

static void compare_graph(const struct model *m, const struct perun_callgraph *graph,
			  const struct naive *n)
{
	size_t count;
	const struct perun_frame *nodes = perun_callgraph_nodes(graph, &count);
	int *naive_of = perun_alloc_zero(count + 1, sizeof *naive_of);
	bool *met = perun_alloc_zero((size_t)n->count + 1, 1);
	size_t live = 0;

	for (size_t i = 0; i < count; i++) {
		char key[KEY];
		int k = 0;

		frame_key(m, &nodes[i], key);
		while (k < n->count && strcmp(n->nodes[k].key, key) != 0)
			k++;
		naive_of[i] = k;
		live++;
		if (k == n->count) {
			CHECK_FAIL("there should be no node %s", key);
			continue;
		}
		CHECK(!met[k]);
		met[k] = true;
		for (size_t w = 0; w < 2; w++) {
			CHECK_INT(perun_callgraph_flat(graph, w)[i], n->nodes[k].flat[w]);
			CHECK_INT(perun_callgraph_cumulative(graph, w)[i],
				  n->nodes[k].cumulative[w]);
		}
	}
	CHECK_INT(live, n->count);
	compare_edges(graph, n, naive_of);
	perun_free(naive_of);
	perun_free(met);
}

static const enum perun_granularity granularities[] = {
	PERUN_BY_FUNCTION, PERUN_BY_FILE_FUNCTION, PERUN_BY_FILE, PERUN_BY_LINE, PERUN_BY_ADDRESS};

/* A random part of the graph, too. */
static void compare_part(const struct model *m, const struct perun_callgraph *graph,
			 struct naive *whole)
{
	static struct naive part;
	size_t count;
	const struct perun_frame *nodes = perun_callgraph_nodes(graph, &count);
	uint64_t *keep = perun_alloc_zero(count / 64 + 1, sizeof *keep);
	struct perun_callgraph *kept = NULL;

	for (int i = 0; i < whole->count; i++)
		whole->nodes[i].seen = random_below(3) > 0;
	for (size_t i = 0; i < count; i++) {
		char key[KEY];

		frame_key(m, &nodes[i], key);
		for (int k = 0; k < whole->count; k++) {
			if (strcmp(whole->nodes[k].key, key) == 0 && whole->nodes[k].seen)
				keep[i / 64] |= UINT64_C(1) << i % 64;
		}
	}
	part.by = whole->by;
	part.no_inlines = whole->no_inlines;
	part.kept = whole;
	part.lose_leaves = random_below(2);
	naive_graph(&part, m);
	CHECK_INT(perun_callgraph_keep(ctx, graph, keep, part.lose_leaves, &kept), 0);
	/* Nodes that are kept are there also when only lost leaves lead to them. */
	compare_graph(m, kept, &part);
	perun_callgraph_free(kept);
	perun_free(keep);
}

/* What is inlined, told from the edges. */
static void compare_inlining(const struct perun_callgraph *graph)
{
	int64_t least = random_below(3) ? 0 : random_below(20);
	uint64_t keep[MAX_NODES / 64];
	uint8_t how[MAX_NODES];
	size_t count;

	memset(keep, 0xff, sizeof keep);
	CHECK_INT(perun_callgraph_inlining(ctx, graph, keep, least, how), 0);
	perun_callgraph_nodes(graph, &count);
	for (uint32_t i = 0; i < count; i++) {
		size_t edge_count;
		const uint32_t *callers = perun_callgraph_callers(graph, i, &edge_count);
		int expected = PERUN_NOT_INLINED;

		for (size_t k = 0; k < edge_count; k++) {
			int64_t value = perun_callgraph_edge_values(graph, 0)[callers[k]];

			if (llabs(value) >= least &&
			    perun_callgraph_edges(graph, NULL)[callers[k]].inlined)
				expected = PERUN_INLINED;
		}
		for (size_t k = 0; k < edge_count && expected; k++) {
			int64_t value = perun_callgraph_edge_values(graph, 0)[callers[k]];

			if (llabs(value) >= least &&
			    !perun_callgraph_edges(graph, NULL)[callers[k]].inlined)
				expected = PERUN_PARTLY_INLINED;
		}
		CHECK_INT(how[i], expected);
	}
}

static void compare_all(const struct model *m, const struct perun_stacks *stacks)
{
	static struct naive naive;

	for (size_t i = 0; i < sizeof granularities / sizeof *granularities; i++) {
		struct perun_graph_options options = {.struct_size = sizeof options,
						      .granularity = granularities[i],
						      .no_inlines = random_below(3) == 0};
		struct perun_callgraph *graph = NULL;

		naive.by = options.granularity;
		naive.no_inlines = options.no_inlines;
		naive_graph(&naive, m);
		CHECK_INT(perun_callgraph_new(ctx, stacks, &options, &graph), 0);
		compare_graph(m, graph, &naive);
		compare_part(m, graph, &naive);
		compare_inlining(graph);
		perun_callgraph_free(graph);
	}
}

/* ---- tests ------------------------------------------------------------------------------------ */

static struct perun_regex *letter(char c)
{
	char text[2] = {c, '\0'};
	struct perun_regex *regex = NULL;

	if (c)
		CHECK_INT(perun_regex_new(ctx, text, PERUN_REGEX_RE2, &regex), 0);
	return regex;
}

static char random_letter(uint32_t often)
{
	return random_below(often) ? '\0' : (char)('a' + random_below(6));
}

static void filter_both(struct model *m, struct perun_stacks *stacks)
{
	char focus = random_letter(3), ignore = random_letter(4), hide = random_letter(3),
	     show = random_letter(4);
	struct perun_name_filter filter = {letter(focus), letter(ignore), letter(hide),
					   letter(show)};

	if (focus || ignore || hide || show)
		naive_filter(m, focus, ignore, hide, show);
	perun_stacks_filter(stacks, &filter, NULL);
	perun_regex_free(filter.focus);
	perun_regex_free(filter.ignore);
	perun_regex_free(filter.hide);
	perun_regex_free(filter.show);
}

static void cut_both(struct model *m, struct perun_stacks *stacks)
{
	char c = (char)('a' + random_below(6)), keep = random_letter(2);
	struct perun_regex *regex = letter(c), *but = letter(keep);

	switch (random_below(4)) {
	case 0:
		naive_show_from(m, c);
		perun_stacks_show_from(stacks, regex);
		break;
	case 1:
		naive_prune(m, c, keep);
		perun_stacks_prune(stacks, regex, but);
		break;
	case 2:
		naive_prune_from(m, c);
		perun_stacks_prune_from(stacks, regex);
		break;
	default:
		break;
	}
	perun_regex_free(regex);
	perun_regex_free(but);
}

TEST(test_graphs)
{
	static struct model m;

	for (int round = 0; round < 150 && !check_bad; round++) {
		struct perun_stacks *stacks;
		struct perun_profile *left = NULL;

		make_model(&m);
		make_profile(&m);
		stacks = weighed(&m);
		if (round % 2)
			filter_both(&m, stacks);
		for (int i = 0; i < round % 3; i++)
			cut_both(&m, stacks);
		weigh_again(&m, stacks);
		compare_all(&m, stacks);
		/* The same once more from what is left as a profile. */
		CHECK_INT(perun_stacks_to_profile(ctx, stacks, &left), 0);
		perun_stacks_free(stacks);
		perun_profile_unref(m.profile);
		m.profile = left;
		stacks = weighed(&m);
		compare_all(&m, stacks);
		perun_stacks_free(stacks);
		perun_profile_unref(m.profile);
	}
}

/* The path of a tree's node as the naive tree has it. */
static void path_key(const struct model *m, const struct perun_calltree *tree, uint32_t node,
		     char *key)
{
	const struct perun_tree_node *nodes = perun_calltree_nodes(tree, NULL);
	char part[KEY];

	*key = '\0';
	if (node == 0)
		return;
	path_key(m, tree, nodes[node].parent, key);
	frame_key(m, &perun_calltree_frames(tree, NULL)[nodes[node].frame], part);
	strcat(strcat(key, ">"), part);
}

static void naive_tree(struct naive *n, const struct model *m, bool inverted)
{
	char keys[MAX_FRAMES * MAX_LINES][KEY], path[sizeof n->nodes[0].key];
	bool inlined[MAX_FRAMES * MAX_LINES];

	n->model = m;
	n->count = 0;
	for (int i = 0; i < SAMPLES; i++) {
		const struct sample *s = &m->samples[i];
		int count = counts(s) ? naive_frames(n, s, keys, inlined) : -1;
		int node = count >= 0 ? naive_node(n, "") : 0;

		*path = '\0';
		for (int k = 0; k <= count; k++) {
			int at = inverted ? count - k : k - 1;

			if (k > 0) {
				strcat(strcat(path, ">"), keys[at]);
				node = naive_node(n, path);
				n->nodes[node].inlined &=
					inverted ? k > 1 && inlined[at + 1] : inlined[at];
			}
			for (int w = 0; w < 2; w++)
				n->nodes[node].cumulative[w] += s->values[w];
		}
		for (int w = 0; w < 2 && count >= 0; w++)
			n->nodes[node].flat[w] += s->values[w];
	}
}

static void compare_tree(const struct model *m, const struct perun_calltree *tree,
			 const struct naive *n)
{
	size_t count;
	const struct perun_tree_node *nodes = perun_calltree_nodes(tree, &count);

	CHECK_INT(count, n->count > 0 ? n->count : 1);
	for (uint32_t i = 0; i < count && n->count > 0; i++) {
		char key[sizeof n->nodes[0].key];
		int k = 0;

		path_key(m, tree, i, key);
		while (k < n->count && strcmp(n->nodes[k].key, key) != 0)
			k++;
		if (k == n->count) {
			CHECK_FAIL("there should be no path %s", key);
			continue;
		}
		CHECK(i == 0 || nodes[i].inlined == n->nodes[k].inlined);
		for (size_t w = 0; w < 2; w++) {
			CHECK_INT(perun_calltree_self(tree, w)[i], n->nodes[k].flat[w]);
			CHECK_INT(perun_calltree_total(tree, w)[i], n->nodes[k].cumulative[w]);
		}
	}
}

/* Values add up, and boxes of small nodes represent all that is not there. */
static void check_small(const struct perun_stacks *stacks, struct perun_tree_options options,
			int full)
{
	struct perun_calltree *tree = NULL;
	const struct perun_tree_node *nodes;
	size_t count, all = 0;

	options.minimum_share = 0.05;
	CHECK_INT(perun_calltree_new(ctx, stacks, &options, &tree), 0);
	nodes = perun_calltree_nodes(tree, &count);
	for (uint32_t i = 0; i < count; i++) {
		int64_t sum[2] = {perun_calltree_self(tree, 0)[i], perun_calltree_self(tree, 1)[i]};

		all += nodes[i].rest ? nodes[i].merged : 1;
		for (uint32_t c = nodes[i].first_child; c; c = nodes[c].next_sibling) {
			CHECK_INT(nodes[c].parent, i);
			CHECK(c > i);
			sum[0] += perun_calltree_total(tree, 0)[c];
			sum[1] += perun_calltree_total(tree, 1)[c];
		}
		CHECK_INT(perun_calltree_total(tree, 0)[i], sum[0]);
		CHECK_INT(perun_calltree_total(tree, 1)[i], sum[1]);
	}
	CHECK_INT(all, full);
	perun_calltree_free(tree);
}

TEST(test_trees)
{
	static struct model m;
	static struct naive naive;

	for (int round = 0; round < 100 && !check_bad; round++) {
		struct perun_tree_options options = {.struct_size = sizeof options,
						     .granularity = granularities[round % 5],
						     .inverted = random_below(2)};
		struct perun_stacks *stacks;
		struct perun_calltree *tree = NULL;

		make_model(&m);
		make_profile(&m);
		stacks = weighed(&m);
		filter_both(&m, stacks);
		weigh_again(&m, stacks);
		naive.by = options.granularity;
		naive.no_inlines = options.no_inlines = random_below(3) == 0;
		naive_tree(&naive, &m, options.inverted);
		CHECK_INT(perun_calltree_new(ctx, stacks, &options, &tree), 0);
		compare_tree(&m, tree, &naive);
		check_small(stacks, options, naive.count > 0 ? naive.count : 1);
		perun_calltree_free(tree);
		perun_stacks_free(stacks);
		perun_profile_unref(m.profile);
	}
}

static bool keep_labels(void *data, perun_id labels)
{
	const struct model *m = data;
	size_t count;

	if (labels == PERUN_NO_ID)
		return false;
	return perun_profile_labels(m->profile, labels, &count)->number == 2;
}

TEST(test_labels)
{
	static struct model m;
	struct perun_stacks *stacks;

	make_model(&m);
	make_profile(&m);
	stacks = weighed(&m);
	perun_stacks_filter_labels(stacks, keep_labels, &m);
	for (int i = 0; i < SAMPLES; i++) {
		perun_id stack;
		size_t first, end;

		m.samples[i].dropped |= m.samples[i].label != 2;
		CHECK_INT(perun_stacks_row(stacks, (size_t)i, &stack, &first, &end),
			  !m.samples[i].dropped);
	}
	weigh_again(&m, stacks);
	compare_all(&m, stacks);
	perun_stacks_free(stacks);
	perun_profile_unref(m.profile);
}

/* ---- stacks that have little in common, by one thread and by several ---- */

enum { MANY_STACKS = 70000, MANY_LOCATIONS = 900, LONG_STACK = 24 };

/* Some functions call themselves, some are inlined. */
static struct perun_profile *make_apart(void)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	struct perun_column_builder *stacks = perun_table_add_column(table, &info), *value;
	perun_id path[LONG_STACK];
	struct perun_profile *profile;

	info = (struct perun_column_info){
		.name = "cpu", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};
	value = perun_table_add_column(table, &info);
	for (uint32_t i = 0; i < MANY_LOCATIONS; i++) {
		struct perun_line lines[2];
		struct perun_location location = {.mapping = PERUN_NO_ID,
						  .address = i + 1,
						  .line_count = 1 + (i % 5 == 0),
						  .lines = lines};

		for (uint32_t k = 0; k < 2; k++) {
			char name[16];
			struct perun_function function = {.source_id = 0};

			snprintf(name, sizeof name, "f%u", random_below(200));
			function.name = perun_builder_text(builder, name);
			lines[k] = (struct perun_line){perun_builder_function(builder, &function),
						       (int64_t)random_below(9), 0};
		}
		CHECK_INT(perun_builder_location(builder, &location), i);
	}
	for (uint32_t i = 0; i < MANY_STACKS; i++) {
		uint32_t length = 1 + random_below(LONG_STACK);

		for (uint32_t k = 0; k < length; k++)
			path[k] = random_below(random_below(2) ? 20 : MANY_LOCATIONS);
		perun_column_set_id(stacks, PERUN_TYPE_STACK,
				    perun_builder_stack(builder, path, length));
		perun_column_set_int64(value, (int64_t)random_below(5) - 1);
		perun_table_end_row(table);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), 0);
	return profile;
}

static void check_same(const struct perun_callgraph *one, const struct perun_callgraph *other)
{
	size_t nodes, edges, others;
	const struct perun_frame *frames = perun_callgraph_nodes(one, &nodes);
	const struct perun_frame *other_frames = perun_callgraph_nodes(other, &others);
	const struct perun_edge *calls = perun_callgraph_edges(one, &edges), *other_calls;

	CHECK_INT(nodes, others);
	other_calls = perun_callgraph_edges(other, &others);
	CHECK_INT(edges, others);
	if (check_bad)
		return;
	CHECK(memcmp(frames, other_frames, nodes * sizeof *frames) == 0);
	CHECK(memcmp(perun_callgraph_flat(one, 0), perun_callgraph_flat(other, 0), nodes * 8) == 0);
	CHECK(memcmp(perun_callgraph_cumulative(one, 0), perun_callgraph_cumulative(other, 0),
		     nodes * 8) == 0);
	CHECK(memcmp(perun_callgraph_edge_values(one, 0), perun_callgraph_edge_values(other, 0),
		     edges * 8) == 0);
	for (size_t i = 0; i < edges; i++)
		CHECK(calls[i].caller == other_calls[i].caller &&
		      calls[i].callee == other_calls[i].callee &&
		      calls[i].residual == other_calls[i].residual &&
		      calls[i].inlined == other_calls[i].inlined);
}

/* A graph, and a part of it. */
static void make_graphs(struct perun_profile *profile, const char *threads,
			struct perun_graph_options options, struct perun_stacks **stacks,
			struct perun_callgraph *graphs[2])
{
	struct perun_weight weight = {.values =
					      perun_table_column(perun_resources(profile), "cpu")};
	size_t count;
	uint64_t *keep;

	setenv("PERUN_THREADS", threads, 1);
	CHECK_INT(perun_stacks_new(ctx, profile, stacks), 0);
	CHECK_INT(perun_stacks_weigh(ctx, *stacks, &weight, 1, 0), 0);
	CHECK_INT(perun_callgraph_new(ctx, *stacks, &options, &graphs[0]), 0);
	perun_callgraph_nodes(graphs[0], &count);
	keep = perun_alloc_zero(count / 64 + 1, sizeof *keep);
	for (size_t i = 0; i < count; i += 3)
		keep[i / 64] |= UINT64_C(1) << i % 64;
	CHECK_INT(perun_callgraph_keep(ctx, graphs[0], keep, options.no_edges, &graphs[1]), 0);
	perun_free(keep);
	unsetenv("PERUN_THREADS");
}

TEST(test_threads)
{
	struct perun_profile *profile = make_apart();

	REQUIRE(profile);
	for (int round = 0; round < 4; round++) {
		struct perun_graph_options options = {.struct_size = sizeof options,
						      .granularity = round % 2 ? PERUN_BY_FUNCTION
									       : PERUN_BY_LINE,
						      .no_edges = round > 1};
		struct perun_stacks *stacks[2];
		struct perun_callgraph *one[2], *two[2];

		make_graphs(profile, "1", options, &stacks[0], one);
		make_graphs(profile, "2", options, &stacks[1], two);
		check_same(one[0], two[0]);
		check_same(one[1], two[1]);
		for (int i = 2; i-- > 0;) {
			perun_callgraph_free(one[i]);
			perun_callgraph_free(two[i]);
		}
		perun_stacks_free(stacks[0]);
		perun_stacks_free(stacks[1]);
	}
	perun_profile_unref(profile);
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
