/* SPDX-License-Identifier: BSD-3-Clause */
/* The map as a page: the blocks as data, which a script draws snapshot by snapshot. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "heapmap.h"
#include "views/common/chart-draw.h"
#include "views/common/template.h"

enum { MAX_FRAMES = 64, RAMP = 16 };
/* Regions have bases of their own, so that offsets are exact as a script's numbers. */
static const uint64_t region_gap = (uint64_t)1 << 26, region_round = (uint64_t)1 << 20;

/* ---- tables of the page ---------------------------------------------------------------------- */

/* Frames, each once: by the addresses of their texts, which are interned. */
struct frames {
	struct perun_buffer json;
	struct entry {
		struct views_frame frame;
		uint32_t number; /* + 1; 0 = free */
	} * slots;
	size_t mask, count;
};

static size_t slot_of(const struct frames *frames, const struct views_frame *frame)
{
	const uint64_t key = (uint64_t)(uintptr_t)frame->function * 31 +
			     (uint64_t)(uintptr_t)frame->file * 17 + (uint64_t)frame->line;
	size_t at = (size_t)perun_hash_number(key) & frames->mask;

	while (frames->slots[at].number && (frames->slots[at].frame.function != frame->function ||
					    frames->slots[at].frame.file != frame->file ||
					    frames->slots[at].frame.line != frame->line))
		at = (at + 1) & frames->mask;
	return at;
}

static void grow(struct frames *frames)
{
	struct frames larger = {.mask = 2 * frames->mask + 1};

	larger.slots = perun_alloc_zero(larger.mask + 1, sizeof *larger.slots);
	for (size_t i = 0; frames->slots && i <= frames->mask; i++) {
		if (frames->slots[i].number)
			larger.slots[slot_of(&larger, &frames->slots[i].frame)] = frames->slots[i];
	}
	perun_free(frames->slots);
	frames->slots = larger.slots;
	frames->mask = larger.mask;
}

static void add_frame(struct perun_buffer *out, const struct views_frame *frame)
{
	perun_buffer_add_char(out, '[');
	views_add_script_text(out, frame->function);
	perun_buffer_add_char(out, ',');
	views_add_script_text(out, frame->file);
	perun_buffer_printf(out, ",%" PRId64 "]", frame->line);
}

static uint32_t frame_number(struct frames *frames, const struct views_frame *frame)
{
	size_t slot;

	if (2 * (frames->count + 1) > frames->mask)
		grow(frames);
	slot = slot_of(frames, frame);
	if (!frames->slots[slot].number) {
		frames->slots[slot].frame = *frame;
		frames->slots[slot].number = (uint32_t)++frames->count;
		if (frames->count > 1)
			perun_buffer_add_char(&frames->json, ',');
		add_frame(&frames->json, frame);
	}
	return frames->slots[slot].number - 1;
}

/* Stacks of the blocks, each once; the number of each block's stack in `numbers`. */
static void add_stacks(struct perun_buffer *out, const struct heap *heap, uint32_t *numbers)
{
	const struct views_allocations *allocations = &heap->allocations;
	const size_t known = perun_profile_stacks(allocations->profile);
	uint32_t *made = perun_alloc_zero(known + 1, sizeof *made), count = 0;
	struct frames frames = {.count = 0};

	perun_buffer_add_text(out, ",\n\"stacks\":[");
	for (size_t i = 0; i < heap->count; i++) {
		const struct views_allocation *one =
			&allocations->items[heap->blocks[i].allocation];
		struct views_frame *calls;
		size_t depth;

		if (one->stack != PERUN_NO_ID && made[one->stack]) {
			numbers[i] = made[one->stack] - 1;
			continue;
		}
		numbers[i] = count++;
		if (one->stack != PERUN_NO_ID)
			made[one->stack] = count;
		calls = views_allocation_frames(allocations, one, &depth);
		perun_buffer_add_text(out, count > 1 ? ",[" : "[");
		for (size_t k = 0; k < depth && k < MAX_FRAMES; k++)
			perun_buffer_printf(out, k ? ",%" PRIu32 : "%" PRIu32,
					    frame_number(&frames, &calls[k]));
		perun_buffer_add_char(out, ']');
		perun_free(calls);
	}
	perun_buffer_printf(out, "],\n\"frames\":[%s]", frames.json.length ? frames.json.data : "");
	perun_buffer_free(&frames.json);
	perun_free(frames.slots);
	perun_free(made);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static int compare_starts(const void *a, const void *b, void *data)
{
	const struct heap_block *blocks = data;
	const struct heap_block *x = &blocks[*(const uint32_t *)a];
	const struct heap_block *y = &blocks[*(const uint32_t *)b];

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Memory without large gaps; bases are texts, which a script makes large integers of. */
static void add_regions(struct perun_buffer *out, const struct heap *heap)
{
	uint32_t *order = perun_alloc_zero(heap->count + 1, sizeof *order), count = 0;
	uint32_t *region = perun_alloc_zero(heap->count + 1, sizeof *region);
	uint64_t *base = perun_alloc_zero(heap->count + 1, sizeof *base), end = 0;

	for (uint32_t i = 0; i < heap->count; i++)
		order[i] = i;
	qsort_r(order, heap->count, sizeof *order, compare_starts, heap->blocks);
	perun_buffer_add_text(out, ",\n\"regions\":[");
	for (size_t i = 0; i < heap->count; i++) {
		const struct heap_block *block = &heap->blocks[order[i]];

		if (!i || (block->start > end && block->start - end > region_gap)) {
			base[count++] = block->start / region_round * region_round;
			perun_buffer_printf(out, "%s\"0x%" PRIx64 "\"", i ? "," : "",
					    base[count - 1]);
		}
		region[order[i]] = count - 1;
		if (block->start + block->size > end)
			end = block->start + block->size;
	}
	perun_buffer_add_text(out, "],\n\"region\":[");
	for (size_t i = 0; i < heap->count; i++)
		perun_buffer_printf(out, i ? ",%" PRIu32 : "%" PRIu32, region[i]);
	perun_buffer_add_text(out, "],\n\"offset\":[");
	for (size_t i = 0; i < heap->count; i++)
		perun_buffer_printf(out, i ? ",%" PRIu64 : "%" PRIu64,
				    heap->blocks[i].start - base[region[i]]);
	perun_buffer_add_char(out, ']');
	perun_free(order);
	perun_free(region);
	perun_free(base);
}

enum member { SIZE, BORN, DIED, PLACE };

static void add_members(struct perun_buffer *out, const struct heap *heap, const char *name,
			enum member member)
{
	perun_buffer_printf(out, ",\n\"%s\":[", name);
	for (size_t i = 0; i < heap->count; i++) {
		const struct heap_block *block = &heap->blocks[i];
		const uint64_t value = member == SIZE   ? block->size
				       : member == BORN ? block->born
				       : member == DIED ? block->died
							: block->place;

		if (member == DIED && block->died >= heap->snapshot_count)
			perun_buffer_add_text(out, i ? ",-1" : "-1");
		else
			perun_buffer_printf(out, i ? ",%" PRIu64 : "%" PRIu64, value);
	}
	perun_buffer_add_char(out, ']');
}

static void add_kinds(struct perun_buffer *out, const struct heap *heap)
{
	const char *kinds[64];
	struct perun_buffer names = {0};
	size_t count = 0;

	perun_buffer_add_text(out, ",\n\"kind\":[");
	for (size_t i = 0; i < heap->count; i++) {
		const char *kind = heap->allocations.items[heap->blocks[i].allocation].kind;
		size_t number = 0;

		while (number < count && strcmp(kinds[number], kind) != 0)
			number++;
		/* Allocators are few; a profile that names more is a strange one. */
		if (number == count && count < sizeof kinds / sizeof *kinds) {
			kinds[count++] = kind;
			if (count > 1)
				perun_buffer_add_char(&names, ',');
			views_add_script_text(&names, kind);
		}
		perun_buffer_printf(out, i ? ",%zu" : "%zu", number < count ? number : 0);
	}
	perun_buffer_printf(out, "],\n\"kinds\":[%s]", names.length ? names.data : "");
	perun_buffer_free(&names);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void add_snapshots(struct perun_buffer *out, const struct heap *heap)
{
	perun_buffer_add_text(out, ",\n\"snapshots\":[");
	for (size_t i = 0; i < heap->snapshot_count; i++) {
		const struct heap_snapshot *snapshot = &heap->snapshots[i];

		perun_buffer_printf(out, "%s[%" PRId64 ",", i ? "," : "", snapshot->number);
		views_add_script_number(out, snapshot->time);
		perun_buffer_add_char(out, ',');
		views_add_script_number(out, snapshot->amount);
		perun_buffer_printf(out, ",%zu,%zu,%zu]", snapshot->blocks, snapshot->allocated,
				    snapshot->freed);
	}
	perun_buffer_add_char(out, ']');
}

static void add_places(struct perun_buffer *out, const struct heap *heap)
{
	perun_buffer_add_text(out, ",\n\"places\":[");
	for (size_t i = 0; i < heap->place_count; i++) {
		if (i)
			perun_buffer_add_char(out, ',');
		add_frame(out, &heap->places[i].frame);
	}
	perun_buffer_add_char(out, ']');
}

static void add_color(struct perun_buffer *out, struct views_rgb rgb, bool first)
{
	perun_buffer_printf(out, "%s\"#%02x%02x%02x\"", first ? "" : ",", rgb.red, rgb.green,
			    rgb.blue);
}

static void add_colors(struct perun_buffer *out)
{
	for (int dark = 0; dark < 2; dark++) {
		perun_buffer_add_text(out, dark ? "],\n\"dark\":[" : ",\n\"light\":[");
		for (unsigned i = 0; i <= HEAP_OTHERS; i++)
			add_color(out, views_palette(i, dark), i == 0);
	}
	perun_buffer_add_text(out, "],\n\"ramp\":[");
	for (int i = 0; i < RAMP; i++)
		add_color(out, views_ramp(0.1 + 0.9 * i / (RAMP - 1.0)), i == 0);
	perun_buffer_add_char(out, ']');
}

static void add_data(struct perun_buffer *out, const struct heap *heap,
		     const struct heapmap *heapmap)
{
	uint32_t *stacks = perun_alloc_zero(heap->count + 1, sizeof *stacks);

	perun_buffer_printf(out, "{\"heat\":%s,\"cell\":%" PRIu64, heapmap->heat ? "true" : "false",
			    perun_option_size(heapmap->options, "cell"));
	add_colors(out);
	add_snapshots(out, heap);
	add_places(out, heap);
	add_regions(out, heap);
	add_members(out, heap, "size", SIZE);
	add_members(out, heap, "born", BORN);
	add_members(out, heap, "died", DIED);
	add_members(out, heap, "place", PLACE);
	add_kinds(out, heap);
	add_stacks(out, heap, stacks);
	perun_buffer_add_text(out, ",\n\"stack\":[");
	for (size_t i = 0; i < heap->count; i++)
		perun_buffer_printf(out, i ? ",%" PRIu32 : "%" PRIu32, stacks[i]);
	perun_buffer_add_text(out, "]}");
	perun_free(stacks);
}

static void add_summary(struct perun_buffer *out, const struct heap *heap)
{
	struct perun_buffer text = {0};

	perun_buffer_printf(&text, "%zu allocation%s in %zu snapshot%s, at most ", heap->count,
			    heap->count == 1 ? "" : "s", heap->snapshot_count,
			    heap->snapshot_count == 1 ? "" : "s");
	heap_add_bytes(&text, heap->peak);
	perun_buffer_add_text(&text, " in use");
	views_add_markup(out, text.data);
	perun_buffer_free(&text);
}

int heapmap_write_html(const struct heap *heap, const struct heapmap *heapmap,
		       const struct perun_canvas *canvas)
{
	struct views_template template = views_template(heapmap_page_html, heapmap_page_html_size);
	struct perun_buffer out = {0};
	int status;

	while (views_template_next(&template)) {
		perun_buffer_add(&out, template.piece, template.length);
		if (views_template_at(&template, "POLICY")) {
			views_add_policy(&out, heapmap_page_css, heapmap_page_css_size,
					 heapmap_page_js, heapmap_page_js_size);
		} else if (views_template_at(&template, "TITLE")) {
			perun_buffer_add_text(&out, "heap of ");
			views_add_markup(&out, heap->name);
		} else if (views_template_at(&template, "SUMMARY")) {
			add_summary(&out, heap);
		} else if (views_template_at(&template, "STYLE")) {
			perun_buffer_add(&out, heapmap_page_css, heapmap_page_css_size);
		} else if (views_template_at(&template, "SCRIPT")) {
			perun_buffer_add(&out, heapmap_page_js, heapmap_page_js_size);
		} else if (views_template_at(&template, "DATA")) {
			add_data(&out, heap, heapmap);
		}
	}
	status = perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}
