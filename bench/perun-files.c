/* SPDX-License-Identifier: BSD-3-Clause */
/* Large Perun profiles for the benchmarks, written in the manner of the collectors. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/perun-files.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static const char header[] =
	"{\n  \"origin\": \"4c6d65baac94586c6bddfc7df28aed9d34fa7883\",\n  \"header\": {\n"
	"    \"type\": \"memory\",\n    \"cmd\": \"./bin\",\n    \"workload\": \"w.txt\",\n"
	"    \"units\": {\n      \"memory\": \"B\"\n    }\n  },\n  \"collector_info\": {\n"
	"    \"name\": \"memory\",\n    \"params\": {}\n  },\n  \"postprocessors\": [],\n";

static const char *const allocators[] = {"malloc", "calloc", "realloc", "free"};

/* One of 600 places; `indent` blanks before the closing bracket. */
static void print_frame(FILE *file, unsigned place, int indent, bool compact)
{
	if (compact)
		fprintf(file,
			"{\"function\": \"function_%u\", \"source\": \"src/part%u.c\", \"line\": "
			"%u}",
			place, place % 17, place % 900 + 1);
	else
		fprintf(file,
			"{\n%*s\"function\": \"function_%u\",\n%*s\"source\": \"src/part%u.c\",\n"
			"%*s\"line\": %u\n%*s}",
			indent + 2, "", place, indent + 2, "", place % 17, indent + 2, "",
			place % 900 + 1, indent, "");
}

/* `count` frames on the way to one of 2000 places of allocation. */
static void print_trace(FILE *file, unsigned site, int indent, bool compact)
{
	unsigned depth = 3 + site % 6;

	fputs("[", file);
	for (unsigned i = 0; i < depth; i++) {
		if (!compact)
			fprintf(file, "%s\n%*s", i ? "," : "", indent + 2, "");
		else if (i)
			fputs(", ", file);
		print_frame(file, (site * (i + 7)) % 600, indent + 2, compact);
	}
	if (!compact)
		fprintf(file, "\n%*s", indent, "");
	fputs("]", file);
}

void bench_write_rows(FILE *file, long size, bool compact)
{
	const char *nl = compact ? " " : "\n        ";
	unsigned long order = 0;

	fputs(header, file);
	fputs("  \"snapshots\": [\n", file);
	for (int snapshot = 0; ftell(file) < size; snapshot++) {
		fprintf(file, "%s    {\n      \"time\": \"%d.%06d\",\n      \"resources\": [\n",
			snapshot ? ",\n" : "", snapshot / 100, snapshot % 100 * 10000);
		for (int i = 0; i < 5000 && ftell(file) < size; i++) {
			unsigned site = (unsigned)draw(2000);

			fprintf(file,
				"%s        {%s\"amount\": %u,%s\"subtype\": \"%s\",%s\"address\": "
				"%" PRIu64 ",%s\"trace\": ",
				i ? ",\n" : "", nl + !compact * 0, (unsigned)draw(65536), nl,
				allocators[draw(4)], nl, 93824992231424 + draw(1u << 30) * 16, nl);
			print_trace(file, site, 10, compact);
			fprintf(file, ",%s\"type\": \"memory\",%s\"uid\": ", nl, nl);
			print_frame(file, (site * 7) % 600, 10, compact);
			fprintf(file, ",%s\"allocation_order\": %lu%s}", nl, order++, nl);
		}
		fputs("\n      ]\n    }", file);
	}
	fputs("\n  ]\n}\n", file);
}

static double sample(unsigned size)
{
	return (double)size * 0.37 + (double)draw(1000003) / 1000.0 / 7.0;
}

void bench_write_columns(FILE *file, long size)
{
	enum { TYPES = 40 };
	long each = (size - 4096) / TYPES;

	fputs(header, file);
	fputs("  \"resources\": {\n", file);
	for (int type = 0; type < TYPES; type++) {
		long begin = ftell(file);
		unsigned count = 0;

		fprintf(file,
			"%s    \"namespace::function_%d(int, char const*)#0\": {\n      "
			"\"amount\": [",
			type ? ",\n" : "", type);
		while (ftell(file) - begin < each * 2 / 3) {
			fprintf(file, "%s%.17g", count ? ", " : "\n        ", sample(count % 5000));
			count++;
		}
		fputs("\n      ],\n      \"structure-unit-size\": [\n        ", file);
		for (unsigned i = 0; i < count; i++)
			fprintf(file, "%s%u", i ? ", " : "", i % 5000);
		fputs("\n      ]\n    }", file);
	}
	fputs("\n  },\n  \"resource_type_map\": {\n", file);
	for (int type = 0; type < TYPES; type++)
		fprintf(file,
			"%s    \"namespace::function_%d(int, char const*)#0\": {\n      "
			"\"subtype\": \"time delta\",\n      \"time\": \"0.0\",\n      \"type\": "
			"\"mixed\",\n      \"uid\": \"namespace::function_%d(int, char const*)\"\n "
			"   }",
			type ? ",\n" : "", type, type);
	fputs("\n  },\n  \"models\": []\n}\n", file);
}

void bench_write_types(FILE *file, long size)
{
	unsigned long count = 0;
	uint64_t begin = state;

	fputs(header, file);
	fputs("  \"resources\": {\n", file);
	for (; ftell(file) < size / 6; count++) {
		unsigned place = (unsigned)draw(600);

		fprintf(file,
			"%s    \"src/part%u.c:function_%u:%u#%lu\": {\n      \"amount\": [\n       "
			" %u\n      ],\n      \"address\": [\n        %" PRIu64 "\n      ]\n    }",
			count ? ",\n" : "", place % 17, place, place % 900 + 1, count,
			(unsigned)draw(65536), 93824992231424 + draw(1u << 30) * 16);
	}
	fputs("\n  },\n  \"resource_type_map\": {\n", file);
	state = begin;
	for (unsigned long i = 0; i < count; i++) {
		unsigned place = (unsigned)draw(600);
		unsigned site = (unsigned)draw(65536) % 2000;

		draw(1);
		fprintf(file,
			"%s    \"src/part%u.c:function_%u:%u#%lu\": {\n      \"allocation_order\": "
			"%lu,\n      \"snapshot\": %lu,\n      \"subtype\": \"%s\",\n      "
			"\"time\": \"%lu.%06lu\",\n      \"trace\": ",
			i ? ",\n" : "", place % 17, place, place % 900 + 1, i, i, i / 5000,
			allocators[site % 4], i / 500000, i / 5000 * 10000 % 1000000);
		print_trace(file, site, 6, false);
		fputs(",\n      \"type\": \"memory\",\n      \"uid\": ", file);
		print_frame(file, place, 6, false);
		fputs("\n    }", file);
	}
	fputs("\n  },\n  \"models\": []\n}\n", file);
}
