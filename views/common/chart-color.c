/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours of charts that also colour-blind people distinguish. */
#include <config.h>

#include <math.h>

#include "views/common/chart-draw.h"

struct views_rgb views_palette(unsigned number, bool dark)
{
	/* Blue, vermilion, green, purple, orange, sky, brown on white and yellow on black, grey. */
	static const struct views_rgb light[VIEWS_PALETTE] = {
		{0, 114, 178}, {213, 94, 0},   {0, 158, 115}, {204, 121, 167},
		{230, 159, 0}, {86, 180, 233}, {92, 46, 14},  {110, 110, 110}};
	static const struct views_rgb night[VIEWS_PALETTE] = {
		{77, 168, 226}, {245, 133, 51},  {20, 170, 125}, {222, 149, 190},
		{240, 178, 41}, {130, 205, 248}, {240, 228, 66}, {120, 120, 120}};

	return (dark ? night : light)[number % VIEWS_PALETTE];
}

static struct views_rgb between(const struct views_rgb *stops, size_t count, double share)
{
	double place = (share > 0 ? share < 1 ? share : 1 : 0) * (double)(count - 1);
	size_t i = (size_t)place < count - 1 ? (size_t)place : count - 2;
	double part = place - (double)i;
	const struct views_rgb *a = &stops[i], *b = &stops[i + 1];

	return (struct views_rgb){(uint8_t)lround(a->red + part * (b->red - a->red)),
				  (uint8_t)lround(a->green + part * (b->green - a->green)),
				  (uint8_t)lround(a->blue + part * (b->blue - a->blue))};
}

struct views_rgb views_ramp(double share)
{
	static const struct views_rgb stops[] = {{0, 34, 78},     {43, 68, 110},   {87, 93, 109},
						 {124, 123, 120}, {165, 156, 116}, {210, 193, 94},
						 {254, 232, 56}};

	return between(stops, sizeof stops / sizeof *stops, share);
}

struct views_rgb views_share_color(double share)
{
	static const struct views_rgb stops[] = {
		{38, 102, 171}, {92, 165, 200}, {240, 214, 120}, {238, 138, 53}, {197, 48, 30}};

	return between(stops, sizeof stops / sizeof *stops, sqrt(share > 0 ? share : 0));
}

unsigned views_terminal_color(struct views_rgb rgb)
{
	unsigned red = (rgb.red * 5u + 127) / 255, green = (rgb.green * 5u + 127) / 255;

	return 16 + 36 * red + 6 * green + (rgb.blue * 5u + 127) / 255;
}
