/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `heapmap`: a map of memory through the snapshots of a run. */
#include <config.h>

#include <string.h>

#include "heapmap.h"
#include "views/common/plugin.h"

static const struct perun_option heapmap_options[] = {
	{.name = "snapshot",
	 .aliases = "-s",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .help = "terminal and SVG: show this snapshot (default: be interactive; else that of the "
		 "most memory)"},
	{.name = "heat", .help = "colour memory by how often it was allocated until then"},
	{.name = "cell",
	 .metavar = "BYTES",
	 .type = PERUN_OPTION_SIZE,
	 .ranged = true,
	 .minimum = HEAP_MIN_CELL,
	 .maximum = 1099511627776.0,
	 .help = "how much memory a cell is, a power of 2 (default: as little as the height "
		 "allows)"},
	{.name = "height",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 100000,
	 .default_value = "24",
	 .help = "terminal: at most N lines of the map"},
	VIEWS_TABLE_OPTIONS,
	{0}};

static int heapmap_open(struct perun_ctx *ctx, const struct perun_options *options,
			const char *subcommand, void **instance)
{
	const uint64_t cell = perun_option_size(options, "cell");

	(void)subcommand;
	if (cell & (cell - 1))
		return perun_fail(ctx, PERUN_USAGE, "--cell %s: not a power of 2",
				  perun_option_string(options, "cell"));
	*instance = (void *)options;
	return PERUN_OK;
}

static bool wants_interaction(struct perun_ctx *ctx, const struct heapmap *heapmap,
			      const struct perun_canvas *canvas)
{
	if (!canvas->interactive || perun_option_given(heapmap->options, "snapshot"))
		return false;
	if (!heapmap_can_interact())
		perun_note(ctx, "built without ncurses: one snapshot is printed, --snapshot N says "
				"which; -o map.html makes a page that plays");
	return heapmap_can_interact();
}

static int heapmap_show(void *instance, struct perun_ctx *ctx,
			struct perun_profile *const *profiles, const char *const *names,
			size_t count, const struct perun_canvas *canvas)
{
	struct heapmap heapmap = {.options = instance};
	struct heap heap;
	int status = heap_open(ctx, profiles[0], names[0], heapmap.options, &heap);

	(void)count;
	heapmap.heat = perun_option_flag(heapmap.options, "heat");
	if (status)
		status = perun_fail(ctx, PERUN_OK, "heapmap");
	else if (canvas->form == PERUN_FORM_JSON)
		status = heapmap_write_json(&heap, canvas);
	else if (canvas->form == PERUN_FORM_HTML)
		status = heapmap_write_html(&heap, &heapmap, canvas);
	else if (canvas->form == PERUN_FORM_SVG)
		status = heapmap_write_svg(&heap, &heapmap, canvas);
	else if (wants_interaction(ctx, &heapmap, canvas))
		status = heapmap_interact(ctx, &heap, &heapmap, canvas);
	else
		status = heapmap_write_text(&heap, &heapmap, canvas);
	heap_close(&heap);
	return status;
}

VIEW_PLUGIN(heapmap, "heapmap", "a map of memory through a run", heapmap_options,
	    .open = heapmap_open,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	    .minimum = 1, .maximum = 1, .show = heapmap_show, .interactive = true);
