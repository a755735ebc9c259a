/* SPDX-License-Identifier: BSD-3-Clause */
/* How boxes look in a picture: colours, and texts with their units. */
#ifndef PERUN_VIEWS_FLAMEGRAPH_LOOK_H
#define PERUN_VIEWS_FLAMEGRAPH_LOOK_H

#include "flame.h"

struct flame_rgb {
	uint8_t red, green, blue;
};

/* The colour of a node, fixed for its name; with two profiles that of its change. */
struct flame_rgb flame_color_of(const struct flame *flame, const struct flame_tree *tree,
				uint32_t node, bool dark);
/* The largest own value or change of the tree's nodes: call before asking for their colours. */
void flame_color_prepare(struct flame *flame, const struct flame_tree *tree);

/*
 * The package of a function as its language writes it: `*start` and the length; 0 when the name shows
 * none. "net/http" of net/http.(*conn).serve, "java.util" of java.util.HashMap.get, "std" of
 * std::vector<int>::push_back, "core::fmt" of core::fmt::write.
 */
size_t flame_package(const char *name, size_t length, size_t *start);
/* Where the name without its package begins: what is shown when the whole does not fit. */
size_t flame_short_name(const char *name, size_t length);

/* "12.3 %"; appended. */
void flame_add_percent(struct perun_buffer *out, double part, double whole);
/* "+12 %", "new", "gone", "unchanged"; appended. */
void flame_add_relative(struct perun_buffer *out, double base, double value);
/* "cycles: 2.40 s": the metric and its total; and with ", by callers" and the like. Visible text. */
void flame_add_sum(const struct flame *flame, struct perun_buffer *out);
void flame_add_heading(const struct flame *flame, struct perun_buffer *out);
/* All of a node in one line: values and shares, or base, new and change; appended. */
void flame_describe_values(const struct flame *flame, const struct flame_tree *tree, uint32_t node,
			   struct perun_buffer *out);

/*
 * A name that may hold anything as valid UTF-8 that can be seen: control characters become their
 * pictures, bytes that are no UTF-8 \x80, what turns text around \u202e. Appended.
 */
void flame_add_visible(struct perun_buffer *out, const char *text, size_t length);
/* The same escaped for XML and HTML. */
void flame_add_markup(struct perun_buffer *out, const char *text, size_t length);
/* The letters of a valid UTF-8 text, and the bytes of its first `letters`. */
size_t flame_letters(const char *text, size_t length);
size_t flame_prefix(const char *text, size_t length, size_t letters);

#endif
