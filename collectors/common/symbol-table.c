/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbols of an ELF file by address. */
#include <stdlib.h>
#include <string.h>

#include <perun/context.h>

#include "collectors/common/symbol-table.h"

/* Functions that an address is in, and how far back they are looked for, so that no file takes long. */
enum { MAX_OVERLAPS = 64, MAX_STEPS = 1024 };

struct entry {
	GElf_Addr start, end;
	GElf_Addr reach; /* the last end of the entries up to this one */
	int number;      /* in the table of the file */
	unsigned char binding;
	const char *name;
};

struct symbol_table {
	Dwfl_Module *module;
	struct entry *entries; /* those that have a size, by start */
	size_t count, room;
	GElf_Addr *labels; /* starts of those without a size, sorted */
	size_t label_count, label_room;
};

/* The more is the better. */
static unsigned char rank(unsigned char info)
{
	switch (GELF_ST_BIND(info)) {
	case STB_GLOBAL:
		return 3;
	case STB_WEAK:
		return 2;
	case STB_LOCAL:
		return 1;
	default:
		return 0;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return one->number - other->number;
}

static int by_value(const void *a, const void *b)
{
	const GElf_Addr *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

static void add(struct symbol_table *table, int number)
{
	GElf_Word section;
	GElf_Addr value;
	GElf_Sym symbol;
	const char *name = dwfl_module_getsym_info(table->module, number, &symbol, &value, &section,
						   NULL, NULL);
	int type = GELF_ST_TYPE(symbol.st_info);

	if (!name || !*name || symbol.st_shndx == SHN_UNDEF || type == STT_SECTION ||
	    type == STT_FILE || type == STT_TLS)
		return;
	if (symbol.st_size) {
		PERUN_GROW(table->entries, table->count, table->room);
		table->entries[table->count++] = (struct entry){.start = value,
								.end = value + symbol.st_size,
								.number = number,
								.binding = rank(symbol.st_info),
								.name = name};
	} else {
		PERUN_GROW(table->labels, table->label_count, table->label_room);
		table->labels[table->label_count++] = value;
	}
}

struct symbol_table *symbol_table_new(Dwfl_Module *module)
{
	struct symbol_table *table = perun_alloc_zero(1, sizeof *table);
	int count = dwfl_module_getsymtab(module);
	GElf_Addr reach = 0;

	table->module = module;
	for (int i = 1; i < count; i++)
		add(table, i);
	if (table->count)
		qsort(table->entries, table->count, sizeof *table->entries, by_start);
	if (table->label_count)
		qsort(table->labels, table->label_count, sizeof *table->labels, by_value);
	for (size_t i = 0; i < table->count; i++) {
		reach = table->entries[i].end > reach ? table->entries[i].end : reach;
		table->entries[i].reach = reach;
	}
	return table;
}

void symbol_table_free(struct symbol_table *table)
{
	if (!table)
		return;
	perun_free(table->entries);
	perun_free(table->labels);
	perun_free(table);
}

/* How many of `count` items begin at an address or before it; each has its address first, and is `size` bytes long. */
static size_t count_before(const void *items, size_t count, size_t size, GElf_Addr address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const GElf_Addr *)((const char *)items + middle * size) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of the entries before `end` those that an address is in, in the order of the file. Returns how many, up to MAX_OVERLAPS. */
static size_t find_entries(const struct symbol_table *table, size_t end, GElf_Addr address,
			   const struct entry **found)
{
	size_t count = 0;

	for (size_t i = end, steps = 0; i-- > 0 && table->entries[i].reach > address &&
					count < MAX_OVERLAPS && steps < MAX_STEPS;
	     steps++) {
		size_t at = count;

		if (table->entries[i].end <= address)
			continue;
		for (; at && found[at - 1]->number > table->entries[i].number; at--)
			found[at] = found[at - 1];
		found[at] = &table->entries[i];
		count++;
	}
	return count;
}

/* Whether libdw takes a symbol instead of one that comes before it (libdwfl/dwfl_module_addrsym.c). */
static bool replaces(const struct entry *entry, const struct entry *best)
{
	if (!best || best->start < entry->start || best->binding < entry->binding)
		return true;
	return best->start == entry->start && best->end > entry->end &&
	       best->binding <= entry->binding;
}

/* Global symbols go before local ones. */
static const struct entry *choose(const struct symbol_table *table, const struct entry **found,
				  size_t count)
{
	int first_global = dwfl_module_getsymtab_first_global(table->module);
	const struct entry *best = NULL;

	for (int global = 1; !best && global >= 0; global--)
		for (size_t i = 0; i < count; i++)
			if ((found[i]->number >= first_global) == global &&
			    replaces(found[i], best))
				best = found[i];
	return best;
}

const char *symbol_table_name(const struct symbol_table *table, GElf_Addr address)
{
	const struct entry *found[MAX_OVERLAPS];
	size_t count = count_before(table->entries, table->count, sizeof *table->entries, address);
	size_t labels =
		count_before(table->labels, table->label_count, sizeof *table->labels, address);
	size_t overlaps = find_entries(table, count, address, found);

	if (overlaps)
		return choose(table, found, overlaps)->name;
	/* A label counts up to what follows it; which one does is for libdw to say. */
	if (labels && (!count || table->labels[labels - 1] >= table->entries[count - 1].reach))
		return dwfl_module_addrname(table->module, address);
	return NULL;
}
