/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of rows that views show: own and total, shares, differences. */
#include <config.h>

#include <math.h>

#include "views/common/grid.h"

static long double share(long double part, long double whole)
{
	return whole != 0 ? part / fabsl(whole) : (long double)NAN;
}

/* The change relative to what it was: infinite where there was nothing, or where nothing is left. */
static long double relative(const struct views_row *row, long double base, long double new)
{
	if (base == new && row->source[0] != SIZE_MAX && row->source[1] == SIZE_MAX)
		return (long double)-INFINITY;
	if (base == new && row->source[0] == SIZE_MAX && row->source[1] != SIZE_MAX)
		return (long double)INFINITY;
	if (base == new)
		return 0;
	if (base == 0)
		return (long double)INFINITY;
	if (new == 0)
		return (long double)-INFINITY;
	return (new - base) / fabsl(base);
}

long double views_self(const struct views_grid *grid, const struct views_row *row)
{
	(void)grid;
	return row->self[0];
}

long double views_total(const struct views_grid *grid, const struct views_row *row)
{
	(void)grid;
	return row->total[0];
}

long double views_self_share(const struct views_grid *grid, const struct views_row *row)
{
	return share(row->self[0], grid->whole[0]);
}

long double views_total_share(const struct views_grid *grid, const struct views_row *row)
{
	return share(row->total[0], grid->whole[0]);
}

long double views_new_self(const struct views_grid *grid, const struct views_row *row)
{
	(void)grid;
	return row->self[1];
}

long double views_new_total(const struct views_grid *grid, const struct views_row *row)
{
	(void)grid;
	return row->total[1];
}

long double views_self_delta(const struct views_grid *grid, const struct views_row *row)
{
	(void)grid;
	return row->self[1] - row->self[0];
}

long double views_total_delta(const struct views_grid *grid, const struct views_row *row)
{
	(void)grid;
	return row->total[1] - row->total[0];
}

long double views_self_relative(const struct views_grid *grid, const struct views_row *row)
{
	(void)grid;
	return relative(row, row->self[0], row->self[1]);
}

long double views_self_bar(const struct views_grid *grid, const struct views_row *row)
{
	return share(fabsl(row->self[0]), grid->scale);
}

long double views_total_bar(const struct views_grid *grid, const struct views_row *row)
{
	return share(fabsl(row->total[0]), grid->scale);
}

long double views_delta_bar(const struct views_grid *grid, const struct views_row *row)
{
	return share(row->self[1] - row->self[0], grid->scale);
}
