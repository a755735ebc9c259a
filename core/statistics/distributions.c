/* SPDX-License-Identifier: BSD-3-Clause */
/* The normal distribution and Student's. */
#include <config.h>

#include <float.h>
#include <math.h>

#include <perun/lib/statistics.h>

double perun_normal_cdf(double x)
{
	return erfc(-x * M_SQRT1_2) / 2;
}

/* A rational approximation with a relative error of 1.15e-9 (P. J. Acklam), for p <= 0.5. */
static double start_quantile(double p)
{
	static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
				   -2.759285104469687e+02, 1.383577518672690e+02,
				   -3.066479806614716e+01, 2.506628277459239e+00};
	static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
				   -1.556989798598866e+02, 6.680131188771972e+01,
				   -1.328068155288572e+01};
	static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
				   -2.400758277161838e+00, -2.549732539343734e+00,
				   4.374664141464968e+00,  2.938163982698783e+00};
	static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01,
				   2.445134137142996e+00, 3.754408661907416e+00};
	double q, r;

	if (p < 0.02425) {
		q = sqrt(-2 * log(p));
		return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
		       ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
	}
	q = p - 0.5;
	r = q * q;
	return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
	       (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

double perun_normal_quantile(double p)
{
	double x, error, step;

	if (!(p > 0 && p < 1))
		return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
	if (p > 0.5)
		return -perun_normal_quantile(1 - p);
	x = start_quantile(p);
	error = perun_normal_cdf(x) - p;
	step = error * sqrt(2 * M_PI) * exp(x * x / 2);
	return x - step / (1 + x * step / 2);
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = DBL_MIN / DBL_EPSILON;
	double c = 1, d = 1 - (a + b) * x / (a + 1), value;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	value = d;
	for (int i = 1; i < 10000; i++) {
		double m = i, even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		const double terms[] = {even, odd};
		double factor = 1;

		for (int j = 0; j < 2; j++) {
			d = 1 + terms[j] * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + terms[j] / c;
			c = fabs(c) < tiny ? tiny : c;
			factor = c * d;
			value *= factor;
		}
		if (fabs(factor - 1) < DBL_EPSILON)
			break;
	}
	return value;
}

/* The regularized incomplete beta function; `rest` is 1 - x, known better than by subtraction. */
static double incomplete_beta(double a, double b, double x, double rest)
{
	double front;

	if (x <= 0)
		return 0;
	if (rest <= 0)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, rest) / b;
}

/* P(T > t) for t >= 0, exact also where it is tiny. */
static double student_tail(double t, double df)
{
	double square = t * t;

	if (isinf(df))
		return erfc(t * M_SQRT1_2) / 2;
	return incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square)) / 2;
}

double perun_student_cdf(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return NAN;
	if (isinf(t))
		return t > 0;
	return t > 0 ? 1 - student_tail(t, df) : student_tail(-t, df);
}

/* The density at t. */
static double student_density(double t, double df)
{
	if (isinf(df))
		return exp(-t * t / 2) / sqrt(2 * M_PI);
	return exp(lgamma((df + 1) / 2) - lgamma(df / 2) - (df + 1) / 2 * log1p(t * t / df)) /
	       sqrt(df * M_PI);
}

/* The normal quantile and the first term of the expansion in 1 / df (Abramowitz and Stegun, 26.7.5). */
static double start_student(double tail, double df)
{
	double z = -perun_normal_quantile(tail), t = z + z * (z * z + 1) / (4 * df);

	return t > 0 && t < DBL_MAX ? t : 1;
}

/* By Newton's method between two bounds, which halving keeps where a step would leave them. */
double perun_student_quantile(double p, double df)
{
	double low = 0, high = DBL_MAX / 4, t;

	if (!(df > 0) || !(p >= 0 && p <= 1))
		return NAN;
	if (p == 0 || p == 1)
		return p == 0 ? -INFINITY : INFINITY;
	if (p < 0.5)
		return -perun_student_quantile(1 - p, df);
	if (p == 0.5)
		return 0;
	t = start_student(1 - p, df);
	for (int i = 0; i < 1200; i++) {
		double over = student_tail(t, df) - (1 - p), next;

		*(over > 0 ? &low : &high) = t;
		next = t + over / student_density(t, df);
		/* The next step would be as small as this one squared. */
		if (fabs(next - t) <= sqrt(DBL_EPSILON) * t)
			return next;
		if (!(next > low && next < high))
			next = high < DBL_MAX / 4 ? low + (high - low) / 2 : 2 * t;
		t = next;
	}
	return t;
}
