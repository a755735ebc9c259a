/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rule does. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/fuzz/operations.h"

/* How often at most something is repeated at once. */
#define MAX_COPIES 32

static size_t draw(struct fuzz_change *change, size_t below)
{
	return fuzz_random_below(change->random, below);
}

static void add(struct fuzz_change *change, const char *bytes, size_t size)
{
	if (change->out->length < change->most)
		perun_buffer_add(change->out, bytes,
				 size < change->most - change->out->length
					 ? size
					 : change->most - change->out->length);
}

static void add_part(struct fuzz_change *change, size_t first, size_t end)
{
	if (first < end)
		add(change, change->input.bytes + first, end - first);
}

static void add_text(struct fuzz_change *change, const char *text)
{
	add(change, text, strlen(text));
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Some bytes of the input, mostly few; an empty input has none. */
static struct fuzz_piece some_bytes(struct fuzz_change *change)
{
	size_t size = change->input.size, length, first;

	if (!size)
		return (struct fuzz_piece){0};
	length = 1 + draw(change, draw(change, 4) ? size < 16 ? size : 16 : size);
	first = draw(change, size - length + 1);
	return (struct fuzz_piece){first, first + length};
}

static bool replace_byte(struct fuzz_change *change, char byte, size_t at)
{
	add_part(change, 0, at);
	add(change, &byte, 1);
	add_part(change, at + 1, change->input.size);
	return true;
}

static bool flip_bit(struct fuzz_change *change)
{
	size_t at = draw(change, change->input.size);

	return change->input.size &&
	       replace_byte(change, (char)(change->input.bytes[at] ^ 1 << draw(change, 8)), at);
}

static char usual_byte(struct fuzz_change *change)
{
	static const char usual[] =
		"\0\1\177\200\377 \n\t0129aAzZ()[]{}<>\"'\\/*+-.,:;=&%$#@!?|^~_";

	if (draw(change, 2) && change->input.size)
		return change->input.bytes[draw(change, change->input.size)];
	return draw(change, 4) ? usual[draw(change, sizeof usual - 1)] : (char)draw(change, 256);
}

static bool set_byte(struct fuzz_change *change)
{
	return change->input.size &&
	       replace_byte(change, usual_byte(change), draw(change, change->input.size));
}

static bool step_byte(struct fuzz_change *change)
{
	size_t at = draw(change, change->input.size);

	return change->input.size &&
	       replace_byte(change, (char)(change->input.bytes[at] + (draw(change, 2) ? 1 : -1)),
			    at);
}

static bool insert_bytes(struct fuzz_change *change)
{
	size_t at = draw(change, change->input.size + 1),
	       count = fuzz_random_few(change->random, 16);

	add_part(change, 0, at);
	while (count--) {
		char byte = usual_byte(change);

		add(change, &byte, 1);
	}
	add_part(change, at, change->input.size);
	return true;
}

static bool remove_bytes(struct fuzz_change *change)
{
	struct fuzz_piece part = some_bytes(change);

	add_part(change, 0, part.first);
	add_part(change, part.end, change->input.size);
	return change->input.size > 0;
}

static bool repeat_bytes(struct fuzz_change *change)
{
	struct fuzz_piece part = some_bytes(change);
	size_t copies = fuzz_random_few(change->random, 2) + draw(change, MAX_COPIES);

	add_part(change, 0, part.end);
	while (copies--)
		add_part(change, part.first, part.end);
	add_part(change, part.end, change->input.size);
	return change->input.size > 0;
}

static bool copy_bytes(struct fuzz_change *change)
{
	struct fuzz_piece part = some_bytes(change);
	size_t length = part.end - part.first, at = draw(change, change->input.size - length + 1);

	add_part(change, 0, at);
	add_part(change, part.first, part.end);
	add_part(change, at + length, change->input.size);
	return change->input.size > 0;
}

static bool fill_bytes(struct fuzz_change *change)
{
	struct fuzz_piece part = some_bytes(change);
	char byte = usual_byte(change);

	add_part(change, 0, part.first);
	for (size_t i = part.first; i < part.end; i++)
		add(change, &byte, 1);
	add_part(change, part.end, change->input.size);
	return change->input.size > 0;
}

static bool exchange_halves(struct fuzz_change *change)
{
	size_t at = draw(change, change->input.size);

	add_part(change, at, change->input.size);
	add_part(change, 0, at);
	return change->input.size > 1;
}

static int compare_bytes(const void *one, const void *other)
{
	return *(const unsigned char *)one - *(const unsigned char *)other;
}

/* Ascending, descending, or first up and then down: what pivots are chosen badly from. */
static bool sort_bytes(struct fuzz_change *change)
{
	struct fuzz_piece part = some_bytes(change);
	size_t order = draw(change, 3), first = part.first;
	char *sorted;

	add_part(change, 0, change->input.size);
	if (change->out->length < part.end || !change->input.size)
		return false;
	sorted = change->out->data;
	qsort(sorted + first, part.end - first, 1, compare_bytes);
	first = order == 1 ? first : order == 2 ? (first + part.end) / 2 : part.end;
	for (size_t i = first, j = part.end; i + 1 < j; i++) {
		char byte = sorted[i];

		sorted[i] = sorted[--j];
		sorted[j] = byte;
	}
	return true;
}

static bool double_all(struct fuzz_change *change)
{
	add_part(change, 0, change->input.size);
	add_part(change, 0, change->input.size);
	return change->input.size > 0;
}

static bool join_other(struct fuzz_change *change)
{
	size_t here = draw(change, change->input.size + 1),
	       there = draw(change, change->other.size);

	add_part(change, 0, here);
	add(change, change->other.bytes + there, change->other.size - there);
	return change->other.size > 0;
}

static bool insert_word(struct fuzz_change *change)
{
	size_t at = draw(change, change->input.size + 1),
	       copies = fuzz_random_few(change->random, 8);
	struct fuzz_bytes word;

	if (!change->dictionary->count)
		return false;
	word = fuzz_dictionary_at(change->dictionary, draw(change, change->dictionary->count));
	add_part(change, 0, at);
	while (copies--)
		add(change, word.bytes, word.size);
	add_part(change, at, change->input.size);
	return true;
}

static const struct fuzz_operation byte_operations[] = {
	{"flip a bit", flip_bit, false},
	{"set a byte", set_byte, false},
	{"step a byte", step_byte, false},
	{"insert bytes", insert_bytes, false},
	{"remove bytes", remove_bytes, false},
	{"repeat bytes", repeat_bytes, false},
	{"copy bytes", copy_bytes, false},
	{"fill bytes", fill_bytes, false},
	{"sort bytes", sort_bytes, false},
	{"exchange halves", exchange_halves, false},
	{"double all", double_all, false},
	{"join with another input", join_other, false},
	{"insert a word of the dictionary", insert_word, false}};

const struct fuzz_operation *fuzz_byte_operation(size_t i)
{
	return i < sizeof byte_operations / sizeof *byte_operations ? &byte_operations[i] : NULL;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static struct fuzz_piece any_piece(struct fuzz_change *change)
{
	return change->pieces.items[draw(change, change->pieces.count)];
}

static bool remove_piece(struct fuzz_change *change)
{
	struct fuzz_piece piece = any_piece(change);
	size_t end = piece.end, length = strlen(change->structure->separator);

	/* With the separator after it, so that what is left has one less of both. */
	if (length && end + length <= change->input.size &&
	    !memcmp(change->input.bytes + end, change->structure->separator, length))
		end += length;
	add_part(change, 0, piece.first);
	add_part(change, end, change->input.size);
	return true;
}

static bool repeat_piece(struct fuzz_change *change)
{
	struct fuzz_piece piece = any_piece(change);
	size_t copies = fuzz_random_few(change->random, 2) + draw(change, MAX_COPIES);

	add_part(change, 0, piece.end);
	while (copies--) {
		add_text(change, change->structure->separator);
		add_part(change, piece.first, piece.end);
	}
	add_part(change, piece.end, change->input.size);
	return true;
}

/*
 * Copies that differ in one byte or in a number that counts: keys that are not the same. They are added, or take the
 * place of what follows.
 */
static bool vary_piece(struct fuzz_change *change)
{
	size_t length = change->out->length, end;
	struct fuzz_piece piece = any_piece(change);
	size_t copies = 1 + draw(change, MAX_COPIES),
	       at = piece.first + draw(change, piece.end - piece.first);
	size_t first = draw(change, 256);
	bool number = draw(change, 2);

	add_part(change, 0, piece.end);
	for (size_t i = 1; i <= copies; i++) {
		char text[24];

		perun_snprintf(text, sizeof text, "%zu", first + i);
		if (!number)
			text[0] = (char)(change->input.bytes[at] + (char)i), text[1] = 0;
		add_text(change, change->structure->separator);
		add_part(change, piece.first, at);
		add_text(change, text);
		add_part(change, at + 1, piece.end);
	}
	end = draw(change, 2) ? change->out->length - length : piece.end;
	add_part(change, end < piece.end ? piece.end : end, change->input.size);
	return true;
}

/* The letters of a piece that may be others; false where it has none. */
static bool name_within(const struct fuzz_change *change, struct fuzz_piece piece,
			struct fuzz_piece *name)
{
	size_t first = piece.first, end;

	*name = (struct fuzz_piece){0};
	for (; first < piece.end; first = end + 1) {
		for (end = first;
		     end < piece.end && isalnum((unsigned char)change->input.bytes[end]);)
			end++;
		if (end - first > name->end - name->first)
			*name = (struct fuzz_piece){first, end};
	}
	return name->end > name->first;
}

/*
 * Two blocks of two letters that a hash h = h * factor + letter does not distinguish; a sum has the factor 1.
 * Any text of n such blocks is one of 2^n that have the same hash.
 */
static void add_colliding(struct fuzz_change *change, unsigned factor, size_t blocks, size_t number)
{
	char one[2] = {'A', (char)('0' + factor)}, other[2] = {'B', '0'};

	if (factor == 1)
		other[1] = 'A', one[1] = 'B';
	for (size_t i = 0; i < blocks; i++)
		add(change, number >> i & 1 ? other : one, 2);
}

/* Copies whose names collide in hash tables that know no secret. */
static bool collide_piece(struct fuzz_change *change)
{
	static const unsigned factors[] = {1, 31, 33, 37, 65};
	unsigned factor = factors[draw(change, sizeof factors / sizeof *factors)];
	struct fuzz_piece piece = any_piece(change), name;
	size_t blocks = 2 + draw(change, 9), copies = (size_t)1 << blocks,
	       first = draw(change, copies);

	if (!name_within(change, piece, &name))
		return false;
	add_part(change, 0, piece.first);
	for (size_t i = 0; i < copies && change->out->length < change->most; i++) {
		if (i)
			add_text(change, change->structure->separator);
		add_part(change, piece.first, name.first);
		add_colliding(change, factor, blocks, first + i);
		add_part(change, name.end, piece.end);
	}
	add_part(change, piece.end, change->input.size);
	return true;
}

static bool exchange_pieces(struct fuzz_change *change)
{
	struct fuzz_piece one = any_piece(change), other = any_piece(change);

	if (one.first > other.first) {
		struct fuzz_piece swap = one;

		one = other;
		other = swap;
	}
	if (one.end > other.first)
		return false;
	add_part(change, 0, one.first);
	add_part(change, other.first, other.end);
	add_part(change, one.end, other.first);
	add_part(change, one.first, one.end);
	add_part(change, other.end, change->input.size);
	return true;
}

static bool copy_piece(struct fuzz_change *change)
{
	struct fuzz_piece from = any_piece(change), to = any_piece(change);

	add_part(change, 0, to.first);
	add_part(change, from.first, from.end);
	add_part(change, to.end, change->input.size);
	return from.first != to.first;
}

static bool lengthen_piece(struct fuzz_change *change)
{
	struct fuzz_piece piece = any_piece(change);
	size_t at = piece.first + draw(change, piece.end - piece.first);
	size_t copies = 1 + draw(change, draw(change, 4) ? MAX_COPIES : 256);

	add_part(change, 0, at);
	while (copies--)
		add_part(change, at, at + 1);
	add_part(change, at, change->input.size);
	return true;
}

static bool nest_piece(struct fuzz_change *change)
{
	struct fuzz_piece piece = any_piece(change);
	size_t levels = fuzz_random_few(change->random, 2) + draw(change, MAX_COPIES);

	add_part(change, 0, piece.first);
	for (size_t i = 0; i < levels; i++)
		add_text(change, change->structure->before);
	add_part(change, piece.first, piece.end);
	for (size_t i = 0; i < levels; i++)
		add_text(change, change->structure->after);
	add_part(change, piece.end, change->input.size);
	return true;
}

/* Write pieces that do not lie in each other in another order; what is between them stays where it is. */
static bool add_in_order(struct fuzz_change *change, const struct fuzz_bytes *order)
{
	const struct fuzz_pieces *pieces = &change->pieces;
	size_t end = 0, rank = 0;

	for (size_t i = 0; i < pieces->count; i++) {
		if (pieces->items[i].first < end)
			continue;
		add_part(change, end, pieces->items[i].first);
		add(change, order[rank].bytes, order[rank].size);
		rank++;
		end = pieces->items[i].end;
	}
	add_part(change, end, change->input.size);
	return rank > 1;
}

static struct fuzz_bytes *in_place(const struct fuzz_change *change, size_t *count)
{
	struct fuzz_bytes *order = perun_alloc_zero(change->pieces.count + 1, sizeof *order);
	size_t end = 0;

	*count = 0;
	for (size_t i = 0; i < change->pieces.count; i++) {
		struct fuzz_piece piece = change->pieces.items[i];

		if (piece.first < end)
			continue;
		end = piece.end;
		order[(*count)++] = (struct fuzz_bytes){change->input.bytes + piece.first,
							piece.end - piece.first};
	}
	return order;
}

/* Numbers by their values, then others by their bytes. */
static int compare_order(const void *one, const void *other)
{
	const struct fuzz_bytes *a = one, *b = other;
	size_t common = a->size < b->size ? a->size : b->size;
	bool digits = isdigit((unsigned char)*a->bytes) && isdigit((unsigned char)*b->bytes);
	int order = digits && a->size != b->size ? 0 : memcmp(a->bytes, b->bytes, common);

	return order ? order : (a->size > b->size) - (a->size < b->size);
}

static void reverse(struct fuzz_bytes *order, size_t first, size_t end)
{
	for (; first + 1 < end; first++) {
		struct fuzz_bytes swap = order[first];

		order[first] = order[--end];
		order[end] = swap;
	}
}

static bool sort_pieces(struct fuzz_change *change)
{
	size_t count, how = draw(change, 3);
	struct fuzz_bytes *order = in_place(change, &count);
	bool done;

	qsort(order, count, sizeof *order, compare_order);
	if (how)
		reverse(order, how == 1 ? 0 : count / 2, count);
	done = add_in_order(change, order);
	perun_free(order);
	return done;
}

static bool reverse_pieces(struct fuzz_change *change)
{
	size_t count;
	struct fuzz_bytes *order = in_place(change, &count);
	bool done;

	reverse(order, 0, count);
	done = add_in_order(change, order);
	perun_free(order);
	return done;
}

static bool shuffle_pieces(struct fuzz_change *change)
{
	size_t count;
	struct fuzz_bytes *order = in_place(change, &count);
	bool done;

	for (size_t i = count; i > 1; i--) {
		size_t with = draw(change, i);
		struct fuzz_bytes swap = order[i - 1];

		order[i - 1] = order[with];
		order[with] = swap;
	}
	done = add_in_order(change, order);
	perun_free(order);
	return done;
}

static const struct fuzz_operation piece_operations[] = {
	{"collide", collide_piece, false},    {"repeat", repeat_piece, false},
	{"vary", vary_piece, false},          {"remove", remove_piece, false},
	{"exchange", exchange_pieces, false}, {"copy", copy_piece, false},
	{"lengthen", lengthen_piece, false},  {"nest", nest_piece, true},
	{"sort", sort_pieces, false},         {"reverse", reverse_pieces, false},
	{"shuffle", shuffle_pieces, false}};

const struct fuzz_operation *fuzz_piece_operation(size_t i)
{
	return i < sizeof piece_operations / sizeof *piece_operations ? &piece_operations[i] : NULL;
}

/* ---- rules of the user ----------------------------------------------------------------------- */

enum { GROUPS = 10, MAX_MATCHES = 1024 };

static void add_replacement(struct fuzz_change *change, const struct fuzz_user_rule *rule,
			    const struct perun_regex_group *groups, size_t offset)
{
	for (const char *c = rule->replacement; *c; c++) {
		const struct perun_regex_group *group;

		if (*c != '\\' || !c[1]) {
			add(change, c, 1);
			continue;
		}
		c++;
		if (!isdigit((unsigned char)*c)) {
			add(change, c, 1);
			continue;
		}
		group = &groups[*c - '0'];
		if (group->first != SIZE_MAX)
			add_part(change, offset + group->first, offset + group->end);
	}
}

/* One of the matches is replaced. */
bool fuzz_apply_user_rule(struct fuzz_change *change, const struct fuzz_user_rule *rule)
{
	size_t starts[MAX_MATCHES], count = 0, at = 0, chosen;
	struct perun_regex_group groups[GROUPS];
	const struct fuzz_bytes *input = &change->input;

	while (count < MAX_MATCHES && at < input->size &&
	       perun_regex_find(rule->regex, input->bytes + at, input->size - at, groups, GROUPS)) {
		starts[count++] = at;
		at += groups[0].end > groups[0].first ? groups[0].end : groups[0].end + 1;
	}
	if (!count)
		return false;
	chosen = starts[draw(change, count)];
	if (!perun_regex_find(rule->regex, input->bytes + chosen, input->size - chosen, groups,
			      GROUPS))
		return false;
	add_part(change, 0, chosen + groups[0].first);
	add_replacement(change, rule, groups, chosen);
	add_part(change, chosen + groups[0].end, input->size);
	return true;
}
