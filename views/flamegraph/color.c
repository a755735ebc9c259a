/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours of boxes: the same in all forms (views/common/page/colors.js has the same numbers). */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "look.h"

/* FNV-1a, its bits mixed once more. */
static uint32_t hash_text(const char *text, size_t length)
{
	uint32_t hash = perun_fnv1a_32(text, length, PERUN_FNV1A_32);

	hash ^= hash >> 15;
	hash *= 0x2c1b3c6du;
	return hash ^ hash >> 12;
}

static uint8_t channel(double linear)
{
	double x = fmin(1, fmax(0, linear));
	double gamma = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;

	return (uint8_t)lround(255 * gamma);
}

/* B. Ottosson, "A perceptual color space for image processing" (2020). */
static struct flame_rgb oklch(double lightness, double chroma, double hue)
{
	const double radians = hue * acos(-1.0) / 180;
	double a = chroma * cos(radians), b = chroma * sin(radians);
	double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
	double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
	double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);

	return (struct flame_rgb){channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
				  channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
				  channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/* The group of those that have none: their hue is that of a flame. */
static struct flame_rgb name_color(const char *group, size_t group_length, const char *name,
				   size_t length, bool dark)
{
	static const double hues[] = {30,  48,  66,  84,  102, 124, 148, 176,
				      204, 232, 256, 282, 310, 338, 56,  40};
	uint32_t hash = hash_text(name, length);
	double hue = !group ? 30 + (hash >> 8) % 60
			    : hues[hash_text(group, group_length) % 16] + (hash >> 16) % 9 - 4.0;
	double shade = (hash % 64) / 63.0;

	return dark ? oklch(0.43 + 0.08 * shade, 0.085 + 0.02 * shade, hue)
		    : oklch(0.80 + 0.08 * shade, 0.10 - 0.02 * shade, hue);
}

static struct flame_rgb heat_color(double t, bool dark)
{
	return dark ? oklch(0.34 + 0.22 * t, 0.02 + 0.13 * t, 75 - 45 * t)
		    : oklch(0.95 - 0.27 * t, 0.02 + 0.15 * t, 95 - 60 * t);
}

static struct flame_rgb moment_color(double t, bool dark)
{
	return dark ? oklch(0.38 + 0.17 * t, 0.10, 280 - 180 * t)
		    : oklch(0.72 + 0.17 * t, 0.11, 280 - 180 * t);
}

static struct flame_rgb change_color(double t, bool dark)
{
	double size = fabs(t), hue = t > 0 ? 27 : 255;

	return dark ? oklch(0.36 + 0.18 * size, 0.005 + 0.155 * size, hue)
		    : oklch(0.93 - 0.27 * size, 0.004 + 0.156 * size, hue);
}

/* What is in one of the profiles only. */
static struct flame_rgb only_color(bool is_new, bool dark)
{
	return dark ? oklch(0.52, 0.13, is_new ? 65 : 195) : oklch(0.76, 0.14, is_new ? 65 : 195);
}

/* ---- groups of names ------------------------------------------------------------------------- */

static size_t folder_length(const char *file, size_t length)
{
	size_t end = length;

	while (end > 0 && file[end - 1] != '/' && file[end - 1] != '\\')
		end--;
	return end > 1 ? end - 1 : length;
}

static bool has(const char *text, size_t length, const char *part)
{
	return length && memmem(text, length, part, strlen(part)) != NULL;
}

/* The kernel and the C library are one group each, however their files are called. */
static const char *system_group(const char *module, size_t length)
{
	const char *name = length ? memrchr(module, '/', length) : NULL;
	size_t rest;

	if (has(module, length, "[kernel") || has(module, length, "vmlinux") ||
	    (length > 3 && memcmp(module + length - 3, ".ko", 3) == 0))
		return "kernel";
	name = name ? name + 1 : module;
	rest = length ? length - (size_t)(name - module) : 0;
	return (rest > 5 && memcmp(name, "libc.", 5) == 0) ||
			       (rest > 5 && memcmp(name, "libc-", 5) == 0) ||
			       (rest > 8 && memcmp(name, "ld-linux", 8) == 0) ||
			       (rest > 8 && memcmp(name, "ld-musl-", 8) == 0)
		       ? "libc"
		       : NULL;
}

/* Append what gives a frame its hue, as visible text: what the page has, too. */
static void add_group(const struct flame *flame, const struct flame_frame *frame,
		      enum flame_color by, struct perun_buffer *out)
{
	size_t start = 0, file_length = 0, module_length = 0, length = 0;
	const char *file = perun_profile_string(flame->profile, frame->file, &file_length);
	const char *module = perun_profile_string(flame->profile, frame->module, &module_length);

	const char *system = system_group(module, module_length);

	if (by == FLAME_COLOR_PACKAGE && !system)
		length = flame_package(frame->shown, frame->shown_length, &start);
	if (length)
		perun_buffer_add(out, frame->shown + start, length);
	else if (by != FLAME_COLOR_FILE && system)
		perun_buffer_add_text(out, system);
	else if (by != FLAME_COLOR_FILE && module_length)
		flame_add_visible(out, module, module_length);
	else if (file_length)
		flame_add_visible(out, file,
				  by == FLAME_COLOR_FILE ? file_length
							 : folder_length(file, file_length));
	else if (module_length)
		flame_add_visible(out, module, module_length);
	else
		perun_buffer_add(out, frame->shown, frame->shown_length);
}

/* ---- of nodes -------------------------------------------------------------------------------- */

static double change_of(const struct flame *flame, const struct flame_tree *tree, uint32_t node)
{
	struct flame_values v = flame_values_of(flame, tree, 0, node);
	double own = v.own - v.own_base, total = v.total - v.total_base;
	double most = fmax(fabs(v.total), fabs(v.total_base));

	if (flame->settings->change == FLAME_CHANGE_RELATIVE)
		return most > 0 ? total / most : 0;
	return flame->settings->change == FLAME_CHANGE_TOTAL ? total : own;
}

void flame_color_prepare(struct flame *flame, const struct flame_tree *tree)
{
	flame->most = 0;
	for (uint32_t i = 1; i < tree->count; i++) {
		double value = flame->diff ? change_of(flame, tree, i)
					   : flame_values_of(flame, tree, 0, i).own;

		if (tree->nodes[i].frame != FLAME_REST)
			flame->most = fmax(flame->most, fabs(value));
	}
	if (flame->diff && flame->settings->change == FLAME_CHANGE_RELATIVE)
		flame->most = 1;
	flame->most = flame->most > 0 ? flame->most : 1;
}

struct flame_rgb flame_color_of(const struct flame *flame, const struct flame_tree *tree,
				uint32_t node, bool dark)
{
	const enum flame_color by = flame->settings->color;
	const uint32_t number = tree->nodes[node].frame;
	const struct flame_frame *frame;
	struct perun_buffer group = {0};
	struct flame_rgb color;

	if (number == FLAME_ROOT || number == FLAME_REST)
		return dark ? (struct flame_rgb){58, 60, 64} : (struct flame_rgb){222, 222, 217};
	frame = &flame->frames[number];
	if (flame->diff) {
		struct flame_values v = flame_values_of(flame, tree, 0, node);
		double t;

		if ((v.total == 0) != (v.total_base == 0))
			return only_color(v.total != 0, dark);
		t = fmax(-1, fmin(1, change_of(flame, tree, node) / flame->most));

		if (flame->settings->change != FLAME_CHANGE_RELATIVE)
			t = copysign(sqrt(fabs(t)), t);
		return change_color(t, dark);
	}
	if (by == FLAME_COLOR_OWN) {
		double own = flame_values_of(flame, tree, 0, node).own / flame->most;

		return heat_color(sqrt(fmax(0, fmin(1, own))), dark);
	}
	if (by == FLAME_COLOR_TIME)
		return moment_color(frame->moment, dark);
	if (by != FLAME_COLOR_NAME)
		add_group(flame, frame, by, &group);
	color = name_color(group.data, group.length, frame->shown, frame->shown_length, dark);
	perun_buffer_free(&group);
	return color;
}
