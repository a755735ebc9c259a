/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call frame information: what .eh_frame says of one return address. Formats: DWARF 5, section 6.4, and
 * the Linux Standard Base's chapter on .eh_frame. Of the registers only the stack pointer, the frame
 * pointer and the return address are followed; whatever else is there makes the rule unknown.
 */
#include <stdbool.h>
#include <string.h>

#include "collectors/common/cfi.h"

#if defined(__x86_64__)
enum { REGISTER_BP = 6, REGISTER_SP = 7, REGISTER_RETURN = 16 };
#else
/* Numbers that no register has: stacks of other processors are not unwound. */
enum { REGISTER_BP = 0xfffffffdu, REGISTER_SP = 0xfffffffeu, REGISTER_RETURN = 0xffffffffu };
#endif

/* Encodings of pointers. */
enum {
	ENCODING_UDATA2 = 2,
	ENCODING_UDATA4 = 3,
	ENCODING_UDATA8 = 4,
	ENCODING_SDATA2 = 10,
	ENCODING_SDATA4 = 11,
	ENCODING_SDATA8 = 12,
	ENCODING_PCREL = 0x10,
	ENCODING_DATAREL = 0x30,
	ENCODING_OMIT = 0xff
};

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

/* How a register is found again in the caller. */
enum saved { SAVED_SAME, SAVED_AT_OFFSET, SAVED_UNDEFINED, SAVED_OTHERWISE };

struct row {
	uint64_t base_register;
	int64_t offset;
	bool expression; /* the frame's address is computed */
	enum saved bp, back;
	int64_t bp_offset, back_offset;
};

struct cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding;
	bool has_augmentation, signal_frame;
	const uint8_t *code, *code_end;
};

#define MAX_REMEMBERED 8

struct machine {
	const struct cie *cie;
	struct row row, initial, remembered[MAX_REMEMBERED];
	int remembered_count;
	uint64_t location, wanted;
	bool past; /* the instructions of later addresses have begun */
};

static uint64_t read_fixed(struct reader *reader, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < size) {
		reader->bad = true;
		return 0;
	}
	memcpy(&value, reader->at, size);
	reader->at += size;
	return value;
}

/* LEB128; `*sign` is what the bits above those that were read would be. */
static uint64_t read_leb(struct reader *reader, uint64_t *sign)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)read_fixed(reader, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !reader->bad);
	*sign = shift < 64 && byte & 0x40 ? ~(uint64_t)0 << shift : 0;
	return value;
}

static uint64_t read_uleb(struct reader *reader)
{
	uint64_t sign;

	return read_leb(reader, &sign);
}

static int64_t read_sleb(struct reader *reader)
{
	uint64_t sign, value = read_leb(reader, &sign);

	return (int64_t)(value | sign);
}

static uint64_t read_encoded(struct reader *reader, uint8_t encoding, uint64_t data_base)
{
	uint64_t place = (uintptr_t)reader->at, value;

	switch (encoding & 0x0f) {
	case 0:
	case ENCODING_UDATA8:
	case ENCODING_SDATA8:
		value = read_fixed(reader, 8);
		break;
	case ENCODING_UDATA4:
		value = read_fixed(reader, 4);
		break;
	case ENCODING_SDATA4:
		value = (uint64_t)(int64_t)(int32_t)read_fixed(reader, 4);
		break;
	case ENCODING_UDATA2:
		value = read_fixed(reader, 2);
		break;
	case ENCODING_SDATA2:
		value = (uint64_t)(int64_t)(int16_t)read_fixed(reader, 2);
		break;
	default:
		reader->bad = true;
		return 0;
	}
	if ((encoding & 0x70) == ENCODING_PCREL)
		value += place;
	else if ((encoding & 0x70) == ENCODING_DATAREL)
		value += data_base;
	else if (encoding & 0x70)
		reader->bad = true;
	return value;
}

/* ---- entries ------------------------------------------------------------------------------------ */

/* By the sorted table of .eh_frame_hdr: the entry whose range may hold the address, or NULL. */
static const uint8_t *find_entry(const struct cfi_table *table, uintptr_t address)
{
	const uint8_t *header = table->frames;
	size_t size = table->frames_size;
	struct reader reader = {header + 4, header + size, false};
	uint64_t count, low = 0, high;
	int32_t pair[2];

	if (size < 12 || header[0] != 1 || header[3] != (ENCODING_DATAREL | ENCODING_SDATA4))
		return NULL;
	read_encoded(&reader, header[1], (uintptr_t)header);
	count = read_encoded(&reader, header[2], (uintptr_t)header);
	if (reader.bad || count == 0 || count > (uint64_t)(reader.end - reader.at) / sizeof pair)
		return NULL;
	high = count;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		memcpy(pair, reader.at + middle * sizeof pair, sizeof pair);
		if ((uintptr_t)header + (uintptr_t)(intptr_t)pair[0] <= address)
			low = middle;
		else
			high = middle;
	}
	memcpy(pair, reader.at + low * sizeof pair, sizeof pair);
	if ((uintptr_t)header + (uintptr_t)(intptr_t)pair[0] > address)
		return NULL;
	return header + pair[1];
}

/* The body of an entry, after its length. */
static bool open_entry(const struct cfi_table *table, const uint8_t *entry, struct reader *reader)
{
	uintptr_t at = (uintptr_t)entry;
	uint32_t length;

	if (at < table->start || at >= table->limit || table->limit - at < 8)
		return false;
	memcpy(&length, entry, sizeof length);
	*reader = (struct reader){entry + 4, entry + 4 + length, false};
	return length >= 4 && length < 0xfffffff0u && length <= table->limit - at - 4;
}

static bool read_augmentation(struct reader *reader, struct cie *cie, const char *letters)
{
	uint64_t length = read_uleb(reader);
	const uint8_t *end = reader->at + length;

	if (reader->bad || length > (uint64_t)(reader->end - reader->at))
		return false;
	cie->has_augmentation = true;
	for (; *letters && !reader->bad; letters++) {
		if (*letters == 'R')
			cie->encoding = (uint8_t)read_fixed(reader, 1);
		else if (*letters == 'L')
			read_fixed(reader, 1);
		else if (*letters == 'P')
			read_encoded(reader, (uint8_t)read_fixed(reader, 1) & 0x7f, 0);
		else if (*letters == 'S')
			cie->signal_frame = true;
		else
			return false;
	}
	reader->at = end;
	return !reader->bad;
}

static bool read_cie(const struct cfi_table *table, const uint8_t *entry, struct cie *cie)
{
	struct reader reader;
	const char *letters;
	uint8_t version;

	*cie = (struct cie){0};
	if (!open_entry(table, entry, &reader) || read_fixed(&reader, 4) != 0)
		return false;
	version = (uint8_t)read_fixed(&reader, 1);
	letters = (const char *)reader.at;
	while (read_fixed(&reader, 1) && !reader.bad)
		;
	if (version != 1 && version != 3)
		return false;
	cie->code_factor = read_uleb(&reader);
	cie->data_factor = read_sleb(&reader);
	if ((version == 1 ? read_fixed(&reader, 1) : read_uleb(&reader)) != REGISTER_RETURN)
		return false;
	if (*letters == 'z' && !read_augmentation(&reader, cie, letters + 1))
		return false;
	if (*letters && *letters != 'z')
		return false;
	cie->code = reader.at;
	cie->code_end = reader.end;
	return !reader.bad;
}

/* ---- instructions ------------------------------------------------------------------------------- */

static void set_saved(struct machine *machine, uint64_t which, enum saved how, int64_t offset)
{
	if (which == REGISTER_BP) {
		machine->row.bp = how;
		machine->row.bp_offset = offset;
	} else if (which == REGISTER_RETURN) {
		machine->row.back = how;
		machine->row.back_offset = offset;
	}
}

static void restore(struct machine *machine, uint64_t which)
{
	if (which == REGISTER_BP)
		set_saved(machine, which, machine->initial.bp, machine->initial.bp_offset);
	else if (which == REGISTER_RETURN)
		set_saved(machine, which, machine->initial.back, machine->initial.back_offset);
}

static void advance(struct machine *machine, uint64_t delta)
{
	machine->location += delta * machine->cie->code_factor;
	machine->past = machine->location > machine->wanted;
}

static void define_frame(struct machine *machine, uint64_t base, int64_t offset)
{
	machine->row.base_register = base;
	machine->row.offset = offset;
	machine->row.expression = false;
}

static void skip_block(struct reader *reader)
{
	uint64_t length = read_uleb(reader);

	if (length > (uint64_t)(reader->end - reader->at))
		reader->bad = true;
	else
		reader->at += length;
}

static void remember(struct machine *machine, struct reader *reader)
{
	if (machine->remembered_count == MAX_REMEMBERED)
		reader->bad = true;
	else
		machine->remembered[machine->remembered_count++] = machine->row;
}

static void recall(struct machine *machine, struct reader *reader)
{
	if (machine->remembered_count == 0)
		reader->bad = true;
	else
		machine->row = machine->remembered[--machine->remembered_count];
}

/* The instructions that move on, and those that define the frame. False: none of them. */
static bool step_frame(struct machine *machine, struct reader *reader, uint8_t code)
{
	int64_t factor = machine->cie->data_factor;
	uint64_t base;

	switch (code) {
	case 0x00: /* nop */
		return true;
	case 0x01: /* set_loc */
		machine->location = read_encoded(reader, machine->cie->encoding, 0);
		machine->past = machine->location > machine->wanted;
		return true;
	case 0x02:
	case 0x03:
	case 0x04: /* advance_loc1, 2, 4 */
		advance(machine, read_fixed(reader, (size_t)1 << (code - 2)));
		return true;
	case 0x0c: /* def_cfa */
		base = read_uleb(reader);
		define_frame(machine, base, (int64_t)read_uleb(reader));
		return true;
	case 0x0d: /* def_cfa_register */
		machine->row.base_register = read_uleb(reader);
		return true;
	case 0x0e: /* def_cfa_offset */
		machine->row.offset = (int64_t)read_uleb(reader);
		return true;
	case 0x0f: /* def_cfa_expression */
		skip_block(reader);
		machine->row.expression = true;
		return true;
	case 0x12: /* def_cfa_sf */
		base = read_uleb(reader);
		define_frame(machine, base, read_sleb(reader) * factor);
		return true;
	case 0x13: /* def_cfa_offset_sf */
		machine->row.offset = read_sleb(reader) * factor;
		return true;
	case 0x0a:
		remember(machine, reader);
		return true;
	case 0x0b:
		recall(machine, reader);
		return true;
	case 0x2e: /* GNU_args_size */
		read_uleb(reader);
		return true;
	default:
		return false;
	}
}

static void step_register(struct machine *machine, struct reader *reader, uint8_t code)
{
	int64_t factor = machine->cie->data_factor;
	uint64_t which = read_uleb(reader);

	switch (code) {
	case 0x05: /* offset_extended */
		set_saved(machine, which, SAVED_AT_OFFSET, (int64_t)read_uleb(reader) * factor);
		break;
	case 0x06: /* restore_extended */
		restore(machine, which);
		break;
	case 0x07: /* undefined */
		set_saved(machine, which, SAVED_UNDEFINED, 0);
		break;
	case 0x08: /* same_value */
		set_saved(machine, which, SAVED_SAME, 0);
		break;
	case 0x11: /* offset_extended_sf */
		set_saved(machine, which, SAVED_AT_OFFSET, read_sleb(reader) * factor);
		break;
	case 0x2f: /* GNU_negative_offset_extended */
		set_saved(machine, which, SAVED_AT_OFFSET, -(int64_t)read_uleb(reader) * factor);
		break;
	case 0x09: /* register */
	case 0x14: /* val_offset */
	case 0x15: /* val_offset_sf */
		read_uleb(reader);
		set_saved(machine, which, SAVED_OTHERWISE, 0);
		break;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		skip_block(reader);
		set_saved(machine, which, SAVED_OTHERWISE, 0);
		break;
	default:
		reader->bad = true;
	}
}

static bool execute(struct machine *machine, const uint8_t *code, const uint8_t *end)
{
	struct reader reader = {code, end, false};

	while (reader.at < reader.end && !reader.bad && !machine->past) {
		uint8_t byte = *reader.at++;
		uint64_t low = byte & 0x3f;

		if (byte >> 6 == 1)
			advance(machine, low);
		else if (byte >> 6 == 2)
			set_saved(machine, low, SAVED_AT_OFFSET,
				  (int64_t)read_uleb(&reader) * machine->cie->data_factor);
		else if (byte >> 6 == 3)
			restore(machine, low);
		else if (!step_frame(machine, &reader, byte))
			step_register(machine, &reader, byte);
	}
	return !reader.bad;
}

static struct cfi_rule rule_of(const struct cie *cie, const struct row *row)
{
	struct cfi_rule rule = {.base = CFI_UNKNOWN};

	if (row->back == SAVED_UNDEFINED)
		return (struct cfi_rule){.base = CFI_END};
	if (cie->signal_frame || row->expression || row->back != SAVED_AT_OFFSET ||
	    row->back_offset != -8 || row->offset != (int32_t)row->offset)
		return rule;
	if (row->bp == SAVED_OTHERWISE || row->bp_offset != (int16_t)row->bp_offset)
		return rule;
	rule.bp_offset = row->bp == SAVED_AT_OFFSET ? (int16_t)row->bp_offset : 0;
	rule.cfa_offset = (int32_t)row->offset;
	if (row->base_register == REGISTER_SP)
		rule.base = CFI_SP;
	else if (row->base_register == REGISTER_BP)
		rule.base = CFI_BP;
	return rule;
}

/* An entry for a range of addresses: read up to its instructions. */
struct range {
	struct cie cie;
	struct reader reader;
	uintptr_t start, size;
};

static bool open_range(const struct cfi_table *table, const uint8_t *entry, struct range *range)
{
	struct reader *reader = &range->reader;
	uint32_t back;

	if (!open_entry(table, entry, reader))
		return false;
	memcpy(&back, reader->at, sizeof back);
	if (back == 0 || !read_cie(table, reader->at - back, &range->cie))
		return false;
	reader->at += 4;
	range->start = read_encoded(reader, range->cie.encoding, (uintptr_t)table->frames);
	range->size = read_encoded(reader, range->cie.encoding & 0x0f, 0);
	if (range->cie.has_augmentation)
		skip_block(reader);
	return !reader->bad;
}

/* All entries one after the other, where no sorted table says which. */
static bool search_range(const struct cfi_table *table, uintptr_t address, struct range *range)
{
	const uint8_t *entry = table->entries, *end = entry + table->entries_size;
	uint32_t length;

	while (entry && end - entry >= 8) {
		memcpy(&length, entry, sizeof length);
		if (length < 4 || length > (uint64_t)(end - entry) - 4)
			return false;
		if (open_range(table, entry, range) && address - range->start < range->size)
			return true;
		entry += 4 + (size_t)length;
	}
	return false;
}

static bool find_range(const struct cfi_table *table, uintptr_t address, struct range *range)
{
	const uint8_t *entry;

	if (!table->frames)
		return search_range(table, address, range);
	entry = find_entry(table, address);
	return entry && open_range(table, entry, range) && address - range->start < range->size;
}

struct cfi_rule cfi_find(const struct cfi_table *table, uintptr_t ip)
{
	const struct cfi_rule unknown = {.base = CFI_UNKNOWN};
	/* A return address may be the first byte after its function. */
	uintptr_t address = ip - 1;
	struct machine machine = {0};
	struct range range;

	if (!find_range(table, address, &range))
		return unknown;
	machine.cie = &range.cie;
	machine.location = range.start;
	machine.wanted = address;
	if (!execute(&machine, range.cie.code, range.cie.code_end))
		return unknown;
	machine.initial = machine.row;
	machine.past = false;
	if (!execute(&machine, range.reader.at, range.reader.end))
		return unknown;
	return rule_of(&range.cie, &machine.row);
}
