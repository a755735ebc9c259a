/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting curves of six kinds by least squares. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "perun/lib/regression.h"

static const char *const names[PERUN_CURVES] = {"constant",  "logarithmic", "linear",
						"quadratic", "power",       "exponential"};

const char *perun_curve_name(enum perun_curve curve)
{
	return names[curve];
}

enum perun_curve perun_curve_from_name(const char *name)
{
	unsigned i = 0;

	while (i < PERUN_CURVES && strcmp(names[i], name) != 0)
		i++;
	return (enum perun_curve)i;
}

static inline double value_of(enum perun_curve curve, const double *b, double x)
{
	switch (curve) {
	case PERUN_CURVE_CONSTANT:
		return b[0];
	case PERUN_CURVE_LOGARITHMIC:
		return b[0] + b[1] * log(x);
	case PERUN_CURVE_LINEAR:
		return b[0] + b[1] * x;
	case PERUN_CURVE_QUADRATIC:
		return b[0] + b[1] * x + b[2] * (x * x);
	case PERUN_CURVE_POWER:
		return b[0] * pow(x, b[1]);
	case PERUN_CURVE_EXPONENTIAL:
		return b[0] * pow(b[1], x);
	default:
		return NAN;
	}
}

double perun_curve_value(enum perun_curve curve, const double *b, double x)
{
	return value_of(curve, b, x);
}

/* The kind is examined once, and not for each x, of the curves that are quick to evaluate. */
void perun_curve_values(enum perun_curve curve, const double *b, const double *x, size_t count,
			double *values)
{
	const double own[3] = {b[0], curve == PERUN_CURVE_CONSTANT ? 0 : b[1],
			       curve == PERUN_CURVE_QUADRATIC ? b[2] : 0};

	if (curve == PERUN_CURVE_LINEAR) {
		for (size_t i = 0; i < count; i++)
			values[i] = value_of(PERUN_CURVE_LINEAR, own, x[i]);
	} else if (curve == PERUN_CURVE_QUADRATIC) {
		for (size_t i = 0; i < count; i++)
			values[i] = value_of(PERUN_CURVE_QUADRATIC, own, x[i]);
	} else {
		for (size_t i = 0; i < count; i++)
			values[i] = value_of(curve, own, x[i]);
	}
}

/* ---- sums ------------------------------------------------------------------------------------- */

void perun_fit_start(struct perun_fit_sums *sums, enum perun_curve curve)
{
	*sums = (struct perun_fit_sums){.curve = curve};
}

/* Points as they are added: this many are taken together. */
enum { BLOCK = 256 };

struct block {
	const double *x, *y;
	size_t count;
	double log_x[BLOCK], log_y[BLOCK]; /* natural ones; NaN where there is none */
};

static void take_logarithms(const double *numbers, size_t count, double *logarithms)
{
	for (size_t i = 0; i < count; i++)
		logarithms[i] = numbers[i] > 0 ? log(numbers[i]) : NAN;
}

static void add_range(struct perun_fit_sums *sums, double x)
{
	if (!sums->any)
		sums->x_start = sums->x_end = x;
	sums->any = true;
	if (x < sums->x_start)
		sums->x_start = x;
	if (x > sums->x_end)
		sums->x_end = x;
}

/* What a curve makes of the numbers of a block. */
struct seen {
	const double *x, *y;
	double scale_x, scale_y;
};

static struct seen seen_of(const struct block *block, enum perun_curve curve)
{
	bool log_x = curve == PERUN_CURVE_LOGARITHMIC || curve == PERUN_CURVE_POWER;
	bool log_y = curve == PERUN_CURVE_POWER || curve == PERUN_CURVE_EXPONENTIAL;

	return (struct seen){.x = log_x ? block->log_x : block->x,
			     .y = log_y ? block->log_y : block->y,
			     .scale_x = curve == PERUN_CURVE_POWER ? M_LOG10E : 1,
			     .scale_y = log_y ? M_LOG10E : 1};
}

/* Where squares and fourth powers are beyond doubles, or below them. */
static void add_wide(struct perun_fit_sums *sums, const struct seen *seen, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double own_x = seen->x[i] * seen->scale_x, own_y = seen->y[i] * seen->scale_y;
		long double u = (long double)own_x - sums->x0;
		long double v = (long double)own_y - sums->y0;

		if (!isfinite(own_x) || !isfinite(own_y))
			continue;
		sums->x += u;
		sums->y += v;
		sums->xx += u * u;
		sums->xy += u * v;
		sums->yy += v * v;
		sums->xxx += u * u * u;
		sums->xxxx += u * u * u * u;
		sums->xxy += u * u * v;
	}
}

/* Squares below this have fourth powers that lose digits. */
#define SMALL_SQUARE 1e-130

/* Sums of a few hundred points keep their digits in doubles; those of all are long doubles. */
static void add_block(struct perun_fit_sums *sums, const struct block *block)
{
	struct seen seen = seen_of(block, sums->curve);
	double x = 0, y = 0, xx = 0, xy = 0, yy = 0, xxx = 0, xxxx = 0, xxy = 0;

	if (!sums->any && block->count > 0)
		add_range(sums, block->x[0]);
	for (size_t i = 0; i < block->count; i++) {
		double u = seen.x[i] * seen.scale_x, v = seen.y[i] * seen.scale_y;

		if (!isfinite(u) || !isfinite(v))
			continue;
		add_range(sums, block->x[i]);
		if (sums->used++ == 0) {
			sums->x0 = u;
			sums->y0 = v;
		}
		u -= sums->x0;
		v -= sums->y0;
		x += u;
		y += v;
		xx += u * u;
		xy += u * v;
		yy += v * v;
		xxx += u * u * u;
		xxxx += u * u * u * u;
		xxy += u * u * v;
	}
	if (!isfinite(xxxx) || !isfinite(yy) || !isfinite(xxy) || (x != 0 && xx < SMALL_SQUARE) ||
	    (y != 0 && yy < SMALL_SQUARE)) {
		add_wide(sums, &seen, block->count);
		return;
	}
	sums->x += x;
	sums->y += y;
	sums->xx += xx;
	sums->xy += xy;
	sums->yy += yy;
	sums->xxx += xxx;
	sums->xxxx += xxxx;
	sums->xxy += xxy;
}

void perun_fit_add_to_all(struct perun_fit_sums *sums, size_t curves, const double *x,
			  const double *y, size_t count)
{
	bool log_x = false, log_y = false;
	struct block block;

	for (size_t i = 0; i < curves; i++) {
		log_x |= sums[i].curve == PERUN_CURVE_LOGARITHMIC ||
			 sums[i].curve == PERUN_CURVE_POWER;
		log_y |= sums[i].curve == PERUN_CURVE_POWER ||
			 sums[i].curve == PERUN_CURVE_EXPONENTIAL;
	}
	for (size_t at = 0; at < count; at += block.count) {
		block.x = x + at;
		block.y = y + at;
		block.count = count - at < BLOCK ? count - at : BLOCK;
		if (log_x)
			take_logarithms(block.x, block.count, block.log_x);
		if (log_y)
			take_logarithms(block.y, block.count, block.log_y);
		for (size_t i = 0; i < curves; i++)
			add_block(&sums[i], &block);
	}
}

void perun_fit_add(struct perun_fit_sums *sums, const double *x, const double *y, size_t count)
{
	perun_fit_add_to_all(sums, 1, x, y, count);
}

/* ---- curves ----------------------------------------------------------------------------------- */

static long double divide(long double dividend, long double divisor)
{
	return dividend / (divisor != 0 ? divisor : 1e-6L);
}

static void finish_line(const struct perun_fit_sums *sums, struct perun_fit *fit)
{
	long double n = sums->used;
	long double sxy = sums->xy - sums->x * sums->y / n;
	long double sxx = sums->xx - sums->x * sums->x / n;
	long double syy = sums->yy - sums->y * sums->y / n;
	long double slope = divide(sxy, sxx);
	long double offset = sums->y0 + sums->y / n - slope * (sums->x0 + sums->x / n);

	fit->coefficients = 2;
	fit->b[0] = (double)offset;
	fit->b[1] = (double)slope;
	fit->r_square = (double)divide(divide(sxy * sxy, sxx), syy);
	if (sums->curve == PERUN_CURVE_POWER || sums->curve == PERUN_CURVE_EXPONENTIAL)
		fit->b[0] = (double)powl(10, offset);
	if (sums->curve == PERUN_CURVE_EXPONENTIAL)
		fit->b[1] = (double)powl(10, slope);
}

/* In u = x - x0 and v = y - y0, and moved back. */
static bool finish_quadratic(const struct perun_fit_sums *sums, struct perun_fit *fit)
{
	long double n = sums->used, c0, c1, c2, residual;
	long double sxx = sums->xx - sums->x * sums->x / n;
	long double sxy = sums->xy - sums->x * sums->y / n;
	long double sxx2 = sums->xxx - sums->xx * sums->x / n;
	long double sx2y = sums->xxy - sums->xx * sums->y / n;
	long double sx2x2 = sums->xxxx - sums->xx * sums->xx / n;
	long double syy = sums->yy - sums->y * sums->y / n;
	long double determinant = sxx * sx2x2 - sxx2 * sxx2;

	/* Fewer than three different x leave nothing but rounding. */
	if (!(determinant > sxx * sx2x2 * 1e-15L))
		return false;
	c2 = (sx2y * sxx - sxy * sxx2) / determinant;
	c1 = (sxy * sx2x2 - sx2y * sxx2) / determinant;
	c0 = (sums->y - c1 * sums->x - c2 * sums->xx) / n;
	residual = syy - c1 * sxy - c2 * sx2y;
	fit->coefficients = 3;
	fit->b[0] = (double)(sums->y0 + c0 - c1 * sums->x0 + c2 * sums->x0 * sums->x0);
	fit->b[1] = (double)(c1 - 2 * c2 * sums->x0);
	fit->b[2] = (double)c2;
	fit->r_square = (double)(1 - divide(residual, syy));
	/* What is too small for a double is not reported. */
	return c2 == 0 || fabsl(c2) >= (long double)DBL_MIN;
}

bool perun_fit_finish(const struct perun_fit_sums *sums, struct perun_fit *fit)
{
	*fit = (struct perun_fit){.curve = sums->curve,
				  .x_start = sums->x_start,
				  .x_end = sums->x_end,
				  .used = sums->used};
	if (sums->used == 0)
		return false;
	if (sums->curve == PERUN_CURVE_QUADRATIC)
		return finish_quadratic(sums, fit);
	finish_line(sums, fit);
	return true;
}

void perun_fit_constant(const struct perun_fit *line, const struct perun_fit_sums *sums,
			struct perun_fit *fit)
{
	double angle = atan2(fabs(line->b[1] * line->x_end), fabs(line->x_end - line->x_start));
	double share = angle / 90;

	*fit = *line;
	fit->curve = PERUN_CURVE_CONSTANT;
	fit->coefficients = 2;
	fit->b[0] = (double)(sums->y0 + sums->y / (long double)sums->used);
	fit->b[1] = 0;
	fit->r_square = share > 0.01 ? line->r_square * (1 - share) : 1 - line->r_square;
	fit->r_square = fmin(1, fmax(0, fit->r_square));
}

bool perun_fit_curve(enum perun_curve curve, const double *x, const double *y, size_t count,
		     struct perun_fit *fit)
{
	struct perun_fit_sums sums;
	struct perun_fit line;

	perun_fit_start(&sums, curve == PERUN_CURVE_CONSTANT ? PERUN_CURVE_LINEAR : curve);
	perun_fit_add(&sums, x, y, count);
	if (!perun_fit_finish(&sums, curve == PERUN_CURVE_CONSTANT ? &line : fit))
		return false;
	if (curve == PERUN_CURVE_CONSTANT)
		perun_fit_constant(&line, &sums, fit);
	return true;
}
