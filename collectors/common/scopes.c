/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of addresses that lie within each other, sorted, each with the one around it. */
#include <config.h>

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/common/scopes.h"

/* Scopes do not move once they are there: others point to them. */
enum { BLOCK = 1024, MAX_DEPTH = 256 };

struct block {
	struct block *before;
	size_t count;
	struct scope items[BLOCK];
};

/* [low, high) of a scope, which may have several. */
struct range {
	Dwarf_Addr low, high;
	struct scope *scope;
	size_t depth;
	size_t around; /* the range that holds this one, and 1; 0: none */
};

struct scopes {
	struct block *blocks;
	struct range *ranges; /* by address, those around others first */
	size_t count, capacity;
};

static struct scope *add_scope(struct scopes *scopes, const Dwarf_Die *die, struct scope *parent)
{
	struct block *block = scopes->blocks;
	struct scope *scope;

	if (!block || block->count == BLOCK) {
		block = perun_alloc_zero(1, sizeof *block);
		block->before = scopes->blocks;
		scopes->blocks = block;
	}
	scope = &block->items[block->count++];
	*scope = (struct scope){.die = *die, .parent = parent};
	return scope;
}

/* The ranges of a DIE, of which it becomes a scope; NULL: it has none, as a declaration. */
static struct scope *add_ranges(struct scopes *scopes, Dwarf_Die *die, struct scope *parent,
				size_t depth)
{
	size_t first = scopes->count;
	Dwarf_Addr base, low, high;
	struct scope *scope;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		PERUN_GROW(scopes->ranges, scopes->count, scopes->capacity);
		scopes->ranges[scopes->count++] = (struct range){low, high, NULL, depth, 0};
	}
	if (scopes->count == first)
		return NULL;
	scope = add_scope(scopes, die, parent);
	for (; first < scopes->count; first++)
		scopes->ranges[first].scope = scope;
	return scope;
}

/* What may hold functions. */
static bool is_entered(int tag)
{
	switch (tag) {
	case DW_TAG_module:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_entry_point:
		return true;
	default:
		return false;
	}
}

/* Children of a DIE. A file may be nested more deeply than any program. */
static void walk(struct scopes *scopes, Dwarf_Die *die, struct scope *parent, size_t depth)
{
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(die, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		bool function = tag == DW_TAG_subprogram;

		if (function || tag == DW_TAG_inlined_subroutine) {
			struct scope *scope =
				add_ranges(scopes, &child, function ? NULL : parent, depth);

			if (scope)
				walk(scopes, &child, scope, depth + 1);
		} else if (is_entered(tag)) {
			walk(scopes, &child, parent, depth + 1);
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int by_place(const void *one, const void *other)
{
	const struct range *a = one, *b = other;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return (a->depth > b->depth) - (a->depth < b->depth);
}

/* Each range gets the last one before it that has not ended where it begins. */
static void nest(struct scopes *scopes)
{
	for (size_t i = 1; i < scopes->count; i++) {
		size_t around = i;

		while (around && scopes->ranges[around - 1].high <= scopes->ranges[i].low)
			around = scopes->ranges[around - 1].around;
		scopes->ranges[i].around = around;
	}
}

struct scopes *scopes_new(Dwarf_Die *unit)
{
	struct scopes *scopes = perun_alloc_zero(1, sizeof *scopes);

	walk(scopes, unit, NULL, 0);
	if (scopes->count)
		qsort(scopes->ranges, scopes->count, sizeof *scopes->ranges, by_place);
	nest(scopes);
	return scopes;
}

void scopes_free(struct scopes *scopes)
{
	if (!scopes)
		return;
	for (struct block *block = scopes->blocks, *before; block; block = before) {
		before = block->before;
		for (size_t i = 0; i < block->count; i++)
			perun_free(block->items[i].name);
		perun_free(block);
	}
	perun_free(scopes->ranges);
	perun_free(scopes);
}

struct scope *scopes_find(struct scopes *scopes, Dwarf_Addr address)
{
	size_t low = 0, high = scopes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scopes->ranges[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && scopes->ranges[low - 1].high <= address)
		low = scopes->ranges[low - 1].around;
	return low ? scopes->ranges[low - 1].scope : NULL;
}
