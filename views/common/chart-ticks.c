/* SPDX-License-Identifier: BSD-3-Clause */
/* Ticks of axes: where they are and what is written at them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/common/chart-draw.h"

/* ---- words ----------------------------------------------------------------------------------- */

/* Thousands, millions ... for numbers of no unit, or of one that has no multiples. */
static double suffix_of(double most, const char **suffix)
{
	static const struct {
		double factor;
		const char *suffix;
	} steps[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}};

	*suffix = "";
	if (most < 1e18) {
		for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
			if (most >= steps[i].factor) {
				*suffix = steps[i].suffix;
				return steps[i].factor == 1e4 ? 1e3 : steps[i].factor;
			}
		}
	}
	return 1;
}

/* With as many digits after the point as steps need. */
static void print_step(char *text, size_t size, double value, double step, const char *suffix)
{
	int digits = (int)ceil(-log10(step) - 1e-9);

	/* 0.25 needs one more than 0.1 would, 1-2-5 does not. */
	digits = digits < 0 ? 0 : digits;
	if (fabs(value) < step * 1e-6)
		value = 0;
	if (digits > 5 || fabs(value) >= 1e18)
		perun_snprintf(text, size, "%.6g", value);
	else
		perun_snprintf(text, size, "%.*f%s", digits, value, value == 0 ? "" : suffix);
	/* A minus as long as the plus is wide. */
	if (text[0] == '-' && strlen(text) + 3 < size) {
		memmove(text + 3, text + 1, strlen(text));
		memcpy(text, "\u2212", 3);
	}
}

void views_scale_add_value(const struct views_scale *scale, double value, struct perun_buffer *out)
{
	struct views_scale one = {.unit = scale->unit};
	static const char *const times[] = {"ns", "\u00b5s", "ms", "s"};
	static const char *const sizes[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	const char *suffix = "";

	if (one.unit.kind == PERUN_UNIT_TIME || one.unit.kind == PERUN_UNIT_BYTES) {
		const bool time = one.unit.kind == PERUN_UNIT_TIME;
		const double step = time ? 1000 : 1024;
		size_t i = 0, last = time ? 3 : 5;
		double base = value * (double)one.unit.factor;

		for (; i < last && fabs(base) >= step * (1 - 1e-9); i++)
			base /= step;
		perun_buffer_printf(out, "%.4g %s", base, time ? times[i] : sizes[i]);
		return;
	}
	value /= suffix_of(fabs(value), &suffix);
	perun_buffer_printf(out, "%.4g%s", value, suffix);
}

void views_axis_add_title(const struct views_axis *axis, const struct views_scale *scale,
			  struct perun_buffer *out)
{
	perun_buffer_add_text(out, axis->title);
	if (*scale->shown && !scale->categories)
		perun_buffer_printf(out, "%s[%s]", *axis->title ? " " : "", scale->shown);
}

/* ---- linear ---------------------------------------------------------------------------------- */

static struct views_ticks *add(struct views_ticks *ticks, double value, bool minor)
{
	if (ticks->count < VIEWS_MAX_TICKS) {
		ticks->values[ticks->count] = value;
		ticks->minor[ticks->count] = minor;
		ticks->texts[ticks->count][0] = '\0';
		ticks->count++;
	}
	return ticks;
}

static void linear(const struct views_scale *scale, size_t wanted, struct views_ticks *ticks)
{
	const double factor = scale->factor > 0 ? (double)scale->factor : 1;
	const double low = scale->low / factor, high = scale->high / factor;
	double step = views_nice_step(high - low, wanted), first;
	const char *suffix = "";
	double divisor = *scale->shown && scale->unit.kind != PERUN_UNIT_OTHER
				 ? 1
				 : suffix_of(fmax(fabs(low), fabs(high)), &suffix);

	if (scale->whole && step * factor < 1)
		step = 1 / factor;
	first = ceil(low / step - 1e-9);
	/* So close together that doubles do not distinguish them. */
	if (!(step > 0) || !isfinite(first) || fabs(first) > 1e15)
		return;
	for (double i = first; i * step <= high + step * 1e-9; i++) {
		size_t number = ticks->count;

		add(ticks, i * step * factor, false);
		if (number < ticks->count)
			print_step(ticks->texts[number], sizeof ticks->texts[number],
				   i * step / divisor, step / divisor, suffix);
	}
}

/* ---- others ---------------------------------------------------------------------------------- */

static void categories(const struct views_scale *scale, size_t wanted, struct views_ticks *ticks)
{
	size_t count = scale->categories, every = 1;

	if (wanted > VIEWS_MAX_TICKS)
		wanted = VIEWS_MAX_TICKS;
	if (count > wanted)
		every = (count + wanted - 1) / (wanted ? wanted : 1);
	for (size_t i = 0; i < count; i += every)
		add(ticks, (double)i, false);
}

static void add_power(const struct views_scale *scale, double value, bool minor,
		      struct views_ticks *ticks)
{
	struct perun_buffer text = {0};
	size_t number = ticks->count;

	if (views_scale_is_outside(scale, value) || number >= VIEWS_MAX_TICKS)
		return;
	add(ticks, value, minor);
	if (!minor) {
		views_scale_add_value(scale, value, &text);
		snprintf(ticks->texts[number], sizeof ticks->texts[number], "%.23s", text.data);
		perun_buffer_free(&text);
	}
}

static void logarithmic(const struct views_scale *scale, size_t wanted, struct views_ticks *ticks)
{
	const double base = scale->log_base, size = log(base);
	const double low = ceil(log(scale->low) / size - 1e-9);
	const double high = floor(log(scale->high) / size + 1e-9);
	const size_t powers = high >= low ? (size_t)(high - low) + 1 : 0;
	const size_t every = wanted && powers > wanted ? (powers + wanted - 1) / wanted : 1;

	const bool wide = base > 2 && scale->high >= 8 * scale->low && wanted >= 3;

	/* One power or none says nothing of the scale: numbers as on a linear one do where it is short. */
	if ((powers < 2 && !wide) || (base > 2 && powers == 2 && wanted < 4)) {
		struct views_scale plain = *scale;

		plain.factor = 1;
		plain.log_base = 0;
		if (plain.unit.kind == PERUN_UNIT_TIME || plain.unit.kind == PERUN_UNIT_BYTES)
			plain.shown[0] = '\0';
		linear(&plain, wanted, ticks);
		for (size_t i = 0; i < ticks->count; i++) {
			struct perun_buffer text = {0};

			views_scale_add_value(scale, ticks->values[i], &text);
			snprintf(ticks->texts[i], sizeof ticks->texts[i], "%.23s", text.data);
			perun_buffer_free(&text);
		}
		return;
	}
	for (double k = low - 1; k <= high; k++) {
		double power = pow(base, k);
		bool named = k >= low && fmod(k - low, (double)every) == 0;

		if (k >= low)
			add_power(scale, power, !named, ticks);
		for (int i = 2; base > 2 && every == 1 && i < 10; i++)
			add_power(scale, i * power, !(powers * 3 <= wanted && (i == 2 || i == 5)),
				  ticks);
	}
}

void views_scale_ticks(const struct views_scale *scale, size_t wanted, struct views_ticks *ticks)
{
	ticks->count = 0;
	if (scale->categories)
		categories(scale, wanted, ticks);
	else if (scale->log_base)
		logarithmic(scale, wanted, ticks);
	else
		linear(scale, wanted, ticks);
}
