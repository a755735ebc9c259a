/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of profiles in columns of a terminal: how wide they are, and how they are shortened. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "views/common/text.h"

/* ---- width ----------------------------------------------------------------------------------- */

struct range {
	uint32_t first, last;
};

/* Combining and invisible characters, and wide ones: the blocks, not each character. */
static const struct range narrow[] = {
	{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
	{0x64b, 0x65f},   {0x900, 0x902},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
	{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff},
	{0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0000, 0xe0fff},
};
static const struct range wide[] = {
	{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
	{0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
	{0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

static bool is_in(const struct range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count; i++) {
		if (c <= ranges[i].last)
			return c >= ranges[i].first;
	}
	return false;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The length of the character at `text`, and its width. The text is valid UTF-8 or near enough. */
static size_t character(const char *text, size_t *width)
{
	unsigned char c = (unsigned char)*text;
	uint32_t code = c < 0x80 ? c : c < 0xe0 ? c & 0x1f : c < 0xf0 ? c & 0xf : c & 7;
	size_t length = 1;

	while (length < 4 && c >= 0xc0 && continues(text[length]))
		code = code << 6 | ((unsigned char)text[length++] & 0x3f);
	*width = 1;
	if (code >= 0x300) {
		if (is_in(narrow, sizeof narrow / sizeof *narrow, code))
			*width = 0;
		else if (is_in(wide, sizeof wide / sizeof *wide, code))
			*width = 2;
	}
	return length;
}

size_t views_width(const char *text)
{
	size_t sum = 0, width;

	while (*text) {
		text += character(text, &width);
		sum += width;
	}
	return sum;
}

size_t views_line_of(const char *text, size_t width, const char **next)
{
	size_t end = 0, last = 0, used = 0, wide, length;

	while (text[end]) {
		length = character(text + end, &wide);
		if (text[end] == ' ')
			last = end;
		else if (end && used + wide > width)
			break;
		used += wide;
		end += length;
	}
	if (text[end])
		end = last ? last : end;
	for (*next = text + end; **next == ' ';)
		++*next;
	if (!**next)
		*next = NULL;
	return end;
}

void views_add_repeated(struct perun_buffer *out, const char *character, size_t count)
{
	size_t length = strlen(character);
	char *to = perun_buffer_reserve(out, length * count);

	if (length == 1)
		memset(to, *character, count);
	for (size_t i = 0; length > 1 && i < count; i++)
		memcpy(to + i * length, character, length);
	out->length += length * count;
	out->data[out->length] = '\0';
}

/* ---- names of functions ---------------------------------------------------------------------- */

/* A name while it is shortened, and what represents what is lost. */
struct shortening {
	char *text;
	const char *ellipsis;
};

/* Put the ellipsis in the place of bytes [first, end), unless that is no longer than it. */
static void replace(struct shortening *name, size_t first, size_t end)
{
	size_t length = strlen(name->text), instead = strlen(name->ellipsis);

	if (end - first <= 1 || strncmp(name->text + first, name->ellipsis, end - first) == 0)
		return;
	if (end - first < instead) {
		char *text = perun_format("%.*s%s%s", (int)first, name->text, name->ellipsis,
					  name->text + end);

		perun_free(name->text);
		name->text = text;
		return;
	}
	memcpy(name->text + first, name->ellipsis, instead);
	memmove(name->text + first + instead, name->text + end, length - end + 1);
}

/* "(int, char const*)" at the end, or before " const" and " [clone ...]", becomes "(...)". */
static void drop_parameters(struct shortening *name)
{
	const char *text = name->text, *end = strrchr(text, ')');
	size_t first, last, depth = 0;

	while (end && end[1] && end[1] != ' ' && end[1] != '&') {
		while (end > text && *--end != ')')
			;
		if (end == text)
			return;
	}
	if (!end)
		return;
	first = last = (size_t)(end - text);
	do {
		if (text[first] == ')')
			depth++;
		else if (text[first] == '(' && --depth == 0)
			break;
	} while (first-- > 0);
	if (first > 0 && first < last)
		replace(name, first + 1, last);
}

/* Whether byte i belongs to a name such as operator<< or operator->. */
static bool is_operator(const char *text, size_t i)
{
	if (i > 8 && text[i - 1] == text[i])
		i--;
	return i >= 8 && strncmp(text + i - 8, "operator", 8) == 0;
}

/* What a '<' or '>' is: +1 opens arguments of a template, -1 ends them, 0 is something else. */
static int bracket(const char *text, size_t i)
{
	if ((text[i] != '<' && text[i] != '>') || is_operator(text, i))
		return 0;
	if (text[i] == '<')
		return 1;
	return i > 0 && (text[i - 1] == '-' || text[i - 1] == '=') ? 0 : -1;
}

/* How deep the arguments of templates are nested; 0 also when brackets do not match. */
static size_t template_depth(const char *text)
{
	size_t depth = 0, most = 0;

	for (size_t i = 0; text[i]; i++) {
		int step = bracket(text, i);

		if (step > 0 && ++depth > most)
			most = depth;
		if (step < 0 && depth-- == 0)
			return 0;
	}
	return depth ? 0 : most;
}

/* Empty the template arguments that lie `level` deep. */
static void drop_arguments(struct shortening *name, size_t level)
{
	size_t depth = 0, end = 0;

	for (size_t i = strlen(name->text); i-- > 0;) {
		int step = bracket(name->text, i);

		if (step < 0 && ++depth == level)
			end = i;
		if (step > 0 && depth-- == level)
			replace(name, i + 1, end);
	}
}

/* Where the bracket closes that a name begins with; 0: it begins with none, or nothing follows. */
static size_t self_end(const char *text)
{
	size_t depth = 0;

	for (size_t i = 0; *text == '<' && text[i]; i++) {
		int step = bracket(text, i);

		depth += (size_t)step;
		if (step && depth == 0)
			return text[i + 1] == ':' ? i : 0;
	}
	return 0;
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "<map::Map<u8> as core::Get>::get" of Rust becomes "<Map<u8> as Get>::get": the types are what says most. */
static void drop_paths_of_self(struct shortening *name)
{
	size_t end = self_end(name->text), to = 0;
	char *text = name->text;

	for (size_t i = 0; i < end; i++) {
		text[to++] = text[i];
		if (to < 3 || text[to - 1] != ':' || text[to - 2] != ':' ||
		    !is_of_word(text[to - 3]))
			continue;
		for (to -= 2; to > 0 && is_of_word(text[to - 1]);)
			to--;
	}
	if (end)
		memmove(text + to, text + end, strlen(text + end) + 1);
}

/* "f /usr/src/lib/f.c:3" becomes "f .../f.c:3". */
static void drop_directories(struct shortening *name)
{
	char *file = strrchr(name->text, ' '), *base = file ? strrchr(file, '/') : NULL;

	if (base)
		replace(name, (size_t)(file + 1 - name->text), (size_t)(base - name->text));
}

static char *shorten_name(const char *text, size_t width, const char *ellipsis)
{
	enum { MAX_EXACT = 4096 };
	struct shortening name = {perun_strdup(text), ellipsis};
	size_t level;

	drop_directories(&name);
	if (views_width(name.text) > width)
		drop_parameters(&name);
	if (views_width(name.text) > width)
		drop_paths_of_self(&name);
	level = template_depth(name.text);
	/* Of a monster all arguments go at once. */
	if (level > 1 && strlen(name.text) > MAX_EXACT)
		level = 1;
	for (; level > 0; level--) {
		if (views_width(name.text) <= width)
			break;
		drop_arguments(&name, level);
	}
	return name.text;
}

/* ---- fitting --------------------------------------------------------------------------------- */

/* The bytes at the beginning of `text` that take at most `width` columns, which become the rest. */
static size_t beginning(const char *text, size_t *width)
{
	size_t length = 0, columns;

	while (text[length]) {
		size_t bytes = character(text + length, &columns);

		if (columns > *width)
			break;
		length += bytes;
		*width -= columns;
	}
	return length;
}

/* Where the last part of `text` of at most `width` columns begins. */
static size_t ending(const char *text, size_t width)
{
	size_t all = views_width(text), at = 0, columns;

	while (text[at] && all > width) {
		at += character(text + at, &columns);
		all -= columns;
	}
	return at;
}

/*
 * Where the last components of a name begin that take at most `width` columns: at a "::", after a '/';
 * NULL when not even the last one does.
 */
static const char *last_components(const char *text, size_t width)
{
	const char *tail = text + ending(text, width), *best = NULL;

	/* A function and its file: both ends matter. */
	if (strrchr(text, ' ') && strchr(strrchr(text, ' '), '/'))
		return NULL;
	for (const char *c = tail; *c && !best; c++) {
		if ((c[0] == ':' && c[1] == ':' && c > text) || (c[0] == '/' && c[1]))
			best = c;
		else if (c == tail && c > text && (c[-1] == '/' || (c[-1] == ':' && c[0] != ':')))
			best = c; /* fits without what separates it */
	}
	/* A fragment of parameters is not a component. */
	return best && best[strcspn(best, "(<")] == '\0' && strpbrk(text, "(<") ? NULL : best;
}

/* The end of a name says more than its beginning: whole components, else two thirds of the room. */
static void add_cut(struct perun_buffer *out, const char *text, size_t width, const char *ellipsis)
{
	size_t dots = views_width(ellipsis), head;
	const char *last = width > dots ? last_components(text, width - dots) : NULL;

	if (last) {
		perun_buffer_printf(out, "%s%s", ellipsis, last);
		return;
	}
	if (width <= dots + 2) {
		perun_buffer_add(out, text, beginning(text, &width));
		return;
	}
	head = (width - dots) / 3;
	width -= dots + head;
	perun_buffer_add(out, text, beginning(text, &head));
	perun_buffer_add_text(out, ellipsis);
	last = text + ending(text, width + head);
	/* One ellipsis is enough. */
	perun_buffer_add_text(out, strncmp(last, ellipsis, strlen(ellipsis)) == 0
					   ? last + strlen(ellipsis)
					   : last);
}

static void make_ascii(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (!continues(*text))
			*to++ = (unsigned char)*text < 0x80 ? *text : '?';
	}
	*to = '\0';
}

size_t views_add_fitted(struct perun_buffer *out, const char *text, size_t width, bool ascii)
{
	char *clean = perun_printable(text), *name;
	const char *ellipsis = ascii ? ".." : "\u2026";
	size_t start = out->length;

	if (ascii)
		make_ascii(clean);
	perun_buffer_add(out, "", 0);
	if (views_width(clean) <= width) {
		perun_buffer_add_text(out, clean);
	} else {
		name = shorten_name(clean, width, ellipsis);
		if (views_width(name) <= width)
			perun_buffer_add_text(out, name);
		else
			add_cut(out, name, width, ellipsis);
		perun_free(name);
	}
	perun_free(clean);
	return out->length > start ? views_width(out->data + start) : 0;
}

bool views_is_plain(const char *text, size_t *length)
{
	size_t i = 0;

	while ((unsigned char)text[i] >= ' ' && (unsigned char)text[i] < 0x7f)
		i++;
	*length = i;
	return text[i] == '\0';
}

size_t views_add_clipped(struct perun_buffer *out, const char *text, size_t width, bool ascii)
{
	const char *ellipsis = ascii ? ".." : "\u2026";
	size_t start = out->length, room = width, length;
	char *clean;

	if (views_is_plain(text, &length) && length <= width) {
		perun_buffer_add(out, text, length);
		return length;
	}
	clean = perun_printable(text);
	if (ascii)
		make_ascii(clean);
	if (views_width(clean) <= width) {
		perun_buffer_add_text(out, clean);
	} else if (width > views_width(ellipsis)) {
		room -= views_width(ellipsis);
		perun_buffer_add(out, clean, beginning(clean, &room));
		perun_buffer_add_text(out, ellipsis);
	}
	perun_free(clean);
	return out->length > start ? views_width(out->data + start) : 0;
}
