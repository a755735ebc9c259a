/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes an AFPerf file of a given number of records, with 8 measurements a region, on standard output. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 1;

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016). */
static uint64_t draw(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545F4914F6CDD1Du;
}

static void print_values(uint64_t region, uint64_t time)
{
	printf("RegionPoint,%" PRIu64 ",0x%" PRIx64, time, region);
	for (int i = 0; i < 8; i++) {
		if (i % 2)
			printf(",0x%x,%" PRIu64 ".%06" PRIu64, 0xcccdd0 + i, draw() % 1000000,
			       draw() % 1000000);
		else
			printf(",0x%x,%" PRIu64 ".%011" PRIu64 "e-%d", 0xcccdd0 + i, draw() % 10,
			       draw() % 100000000000, (int)(draw() % 9) + 1);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	uint64_t records = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	uint64_t time = 0x11223344, depth = 0, open[8];

	printf("# AFPerf v1     \n");
	printf("RunInfo,0x11223344,nanoseconds,1639527663.713,1.0.0,0xbad0bad0,mission,2.9.0,\n");
	for (int i = 0; i < 8; i++)
		printf("MeasurementType,0x11223344,0xbad0bad0,0x%x,metric %d,double,count,,\n",
		       0xcccdd0 + i, i);
	for (uint64_t n = 9, id = 1; n < records; time += draw() % 1000) {
		if (depth < 8 && (depth == 0 || draw() % 2)) {
			printf("RegionStart,%" PRIu64 ",0xbad0bad0,0x%" PRIx64
			       ",simulation of component %u at level %" PRIu64
			       ",platform=F15_ABC;component=sensor_%u\n",
			       time, id, (unsigned)(draw() % 16), depth, (unsigned)(draw() % 16));
			open[depth++] = id++;
			n++;
		} else {
			depth--;
			print_values(open[depth], time);
			printf("RegionStop,%" PRIu64 ",0x%" PRIx64 "\n", time, open[depth]);
			n += 2;
		}
	}
	while (depth-- > 0)
		printf("RegionStop,%" PRIu64 ",0x%" PRIx64 "\n", time, open[depth]);
	return 0;
}
