/* SPDX-License-Identifier: BSD-3-Clause */
/* The 14 record types, their fields, and the words that fields may hold. */
#include <string.h>

#include "record.h"

#define TIME(N)                         \
	{                               \
		N, AFPERF_FIELD_TIME, 0 \
	}
#define START                                            \
	{                                                \
		"start timestamp", AFPERF_FIELD_START, 0 \
	}
#define RUN                                   \
	{                                     \
		"run id", AFPERF_FIELD_RUN, 0 \
	}
#define ITEM(N)                         \
	{                               \
		N, AFPERF_FIELD_ITEM, 0 \
	}
#define INTERVAL                                                \
	{                                                       \
		"section interval id", AFPERF_FIELD_INTERVAL, 0 \
	}
#define TEXT(N, T)                      \
	{                               \
		N, AFPERF_FIELD_TEXT, T \
	}
#define TAGS        TEXT("tags", AFPERF_TEXT_TAGS)
#define AGGREGATION TEXT("aggregation type", AFPERF_TEXT_AGGREGATION)

const struct afperf_schema afperf_schemas[AFPERF_TYPES] = {
	[AFPERF_MEASUREMENT_TYPE] = {"MeasurementType",
				     8,
				     false,
				     {TIME("timestamp"),
				      RUN,
				      ITEM("measurement type id"),
				      TEXT("name", AFPERF_TEXT_NAME),
				      {"datatype", AFPERF_FIELD_DATATYPE, AFPERF_TEXT_DATATYPE},
				      {"units", AFPERF_FIELD_UNITS, AFPERF_TEXT_UNITS},
				      TEXT("summary", AFPERF_TEXT_SUMMARY),
				      TEXT("description", AFPERF_TEXT_DESCRIPTION)}},
	[AFPERF_PAUSE_RESUME] = {"PauseResume", 3, false, {TIME("end timestamp"), START, RUN}},
	[AFPERF_REGION_AGGREGATE] = {"RegionAggregate",
				     4,
				     true,
				     {TIME("end timestamp"), START, ITEM("record id"),
				      AGGREGATION}},
	[AFPERF_REGION_POINT] = {"RegionPoint", 2, true, {TIME("timestamp"), ITEM("region id")}},
	[AFPERF_REGION_START] = {"RegionStart",
				 5,
				 false,
				 {TIME("timestamp"), RUN, ITEM("region id"),
				  TEXT("region label", AFPERF_TEXT_NAME), TAGS}},
	[AFPERF_REGION_STOP] = {"RegionStop", 2, false, {TIME("timestamp"), ITEM("region id")}},
	[AFPERF_RUN_AGGREGATE] = {"RunAggregate",
				  4,
				  true,
				  {TIME("end timestamp"), START, RUN, AGGREGATION}},
	[AFPERF_RUN_INFO] = {"RunInfo",
			     8,
			     false,
			     {TIME("start timestamp"),
			      {"timestamp units", AFPERF_FIELD_TIMESTAMP_UNITS, AFPERF_TEXT_UNITS},
			      {"wallclock time", AFPERF_FIELD_WALLCLOCK, 0},
			      {"afperf format version", AFPERF_FIELD_FORMAT_VERSION,
			       AFPERF_TEXT_FORMAT},
			      RUN,
			      TEXT("application name", AFPERF_TEXT_NAME),
			      TEXT("application version", AFPERF_TEXT_VERSION),
			      TAGS}},
	[AFPERF_RUN_POINT] = {"RunPoint", 2, true, {TIME("timestamp"), RUN}},
	[AFPERF_SECTION_AGGREGATE] = {"SectionAggregate",
				      5,
				      true,
				      {TIME("end timestamp"), START, ITEM("record id"), INTERVAL,
				       AGGREGATION}},
	[AFPERF_SECTION_INFO] = {"SectionInfo",
				 5,
				 false,
				 {{"timestamp", AFPERF_FIELD_OPTIONAL_TIME, 0},
				  RUN,
				  ITEM("section id"),
				  TEXT("section label", AFPERF_TEXT_NAME),
				  TAGS}},
	[AFPERF_SECTION_POINT] = {"SectionPoint",
				  3,
				  true,
				  {TIME("timestamp"), ITEM("section id"), INTERVAL}},
	[AFPERF_SECTION_START] = {"SectionStart",
				  3,
				  false,
				  {TIME("timestamp"), ITEM("section id"), INTERVAL}},
	[AFPERF_SECTION_STOP] = {"SectionStop",
				 3,
				 false,
				 {TIME("timestamp"), ITEM("section id"), INTERVAL}},
};

const struct afperf_time_unit afperf_time_units[4] = {
	{"seconds", "s", 1000000000, 1.0},
	{"milliseconds", "ms", 1000000, 1e3},
	{"microseconds", "us", 1000, 1e6},
	{"nanoseconds", "ns", 1, 1e9},
};

const char *const afperf_datatypes[AFPERF_DATATYPES] = {"double", "int32",  "int64",
							"bool",   "string", "enum"};

static enum afperf_type find_name(const struct afperf_slice *text)
{
	for (int i = 1; i < AFPERF_TYPES; i++)
		if (afperf_slice_is(text, afperf_schemas[i].name, strlen(afperf_schemas[i].name)))
			return (enum afperf_type)i;
	return AFPERF_UNKNOWN;
}

enum afperf_type afperf_find_type(const struct afperf_slice *text)
{
	/* The letters at 6 and 7 and the length distinguish the names; then one comparison decides. */
	static const uint8_t guesses[][2] = {{AFPERF_REGION_START, 11}, {AFPERF_REGION_STOP, 10},
					     {AFPERF_REGION_POINT, 11}, {AFPERF_SECTION_START, 12},
					     {AFPERF_SECTION_STOP, 11}, {AFPERF_SECTION_POINT, 12}};
	uint64_t number;

	if (!text->length)
		return AFPERF_UNKNOWN;
	if ((unsigned)(unsigned char)text->data[0] - 'A' < 26) {
		for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
			if (text->length == guesses[i][1] &&
			    memcmp(text->data, afperf_schemas[guesses[i][0]].name, text->length) ==
				    0)
				return guesses[i][0];
		return find_name(text);
	}
	if (afperf_parse_id(text, &number) != AFPERF_NUMBER_GOOD || number >= AFPERF_TYPES)
		return AFPERF_UNKNOWN;
	return (enum afperf_type)number;
}

/* ---- units of measurement types ------------------------------------------------------------------- */

/* Time units of SI; the micro sign is U+00B5, and U+03BC is understood as the same letter. */
static const char *const good_units[] = {
	"text",  "count", "s",     "ms",    "us",    "ns",    "\xC2\xB5s", "\xCE\xBCs", "B",
	"kB",    "MB",    "GB",    "TB",    "PB",    "EB",    "ZB",        "YB",        "KiB",
	"MiB",   "GiB",   "TiB",   "PiB",   "EiB",   "ZiB",   "YiB",       "bit",       "kbit",
	"Mbit",  "Gbit",  "Tbit",  "Pbit",  "Ebit",  "Zbit",  "Ybit",      "Kibit",     "Mibit",
	"Gibit", "Tibit", "Pibit", "Eibit", "Zibit", "Yibit", NULL};

/* Other spellings of time and amounts of data, in lower case, and what they should be. */
static const struct {
	const char *wrong, *right;
} wrong_units[] = {
	{"sec", "s"},
	{"secs", "s"},
	{"second", "s"},
	{"seconds", "s"},
	{"millisecond", "ms"},
	{"milliseconds", "ms"},
	{"millisec", "ms"},
	{"millisecs", "ms"},
	{"msec", "ms"},
	{"msecs", "ms"},
	{"microsecond", "us"},
	{"microseconds", "us"},
	{"microsec", "us"},
	{"microsecs", "us"},
	{"usec", "us"},
	{"usecs", "us"},
	{"nanosecond", "ns"},
	{"nanoseconds", "ns"},
	{"nanosec", "ns"},
	{"nanosecs", "ns"},
	{"nsec", "ns"},
	{"nsecs", "ns"},
	{"minute", "s"},
	{"minutes", "s"},
	{"min", "s"},
	{"mins", "s"},
	{"hour", "s"},
	{"hours", "s"},
	{"h", "s"},
	{"hr", "s"},
	{"hrs", "s"},
	{"day", "s"},
	{"days", "s"},
	{"picosecond", "ns"},
	{"picoseconds", "ns"},
	{"ps", "ns"},
	{"ks", "s"},
	{"byte", "B"},
	{"bytes", "B"},
	{"octet", "B"},
	{"octets", "B"},
	{"bits", "bit"},
	{"kilobyte", "kB"},
	{"kilobytes", "kB"},
	{"megabyte", "MB"},
	{"megabytes", "MB"},
	{"gigabyte", "GB"},
	{"gigabytes", "GB"},
	{"terabyte", "TB"},
	{"terabytes", "TB"},
	{"kibibyte", "KiB"},
	{"kibibytes", "KiB"},
	{"mebibyte", "MiB"},
	{"mebibytes", "MiB"},
	{"gibibyte", "GiB"},
	{"gibibytes", "GiB"},
	{"tebibyte", "TiB"},
	{"tebibytes", "TiB"},
	{"kilobit", "kbit"},
	{"kilobits", "kbit"},
	{"megabit", "Mbit"},
	{"megabits", "Mbit"},
	{"gigabit", "Gbit"},
	{"gigabits", "Gbit"},
	{"kibibit", "Kibit"},
	{"kibibits", "Kibit"},
	{"mebibit", "Mibit"},
	{"mebibits", "Mibit"},
	{"kb", "kB"},
	{"mb", "MB"},
	{"gb", "GB"},
	{"tb", "TB"},
	{"pb", "PB"},
	{"eb", "EB"},
	{"zb", "ZB"},
	{"yb", "YB"},
	{"kib", "KiB"},
	{"mib", "MiB"},
	{"gib", "GiB"},
	{"tib", "TiB"},
	{"pib", "PiB"},
	{"eib", "EiB"},
	{"zib", "ZiB"},
	{"yib", "YiB"},
	{"bit", "bit"},
	{"kbit", "kbit"},
	{"mbit", "Mbit"},
	{"gbit", "Gbit"},
	{"tbit", "Tbit"},
	{"kbits", "kbit"},
	{"mbits", "Mbit"},
	{"gbits", "Gbit"},
	{"tbits", "Tbit"},
	{"kibit", "Kibit"},
	{"mibit", "Mibit"},
	{"gibit", "Gibit"},
	{"tibit", "Tibit"},
	{"kbytes", "kB"},
	{"mbytes", "MB"},
	{"gbytes", "GB"},
	{"kbyte", "kB"},
	{"mbyte", "MB"},
	{"gbyte", "GB"},
	{"b", "B"},
	{"s", "s"},
	{"ms", "ms"},
	{"us", "us"},
	{"ns", "ns"},
	{NULL, NULL},
};

enum afperf_units_verdict afperf_judge_units(const struct afperf_slice *units, const char **better)
{
	char lower[16];

	for (size_t i = 0; good_units[i]; i++)
		if (afperf_slice_is(units, good_units[i], strlen(good_units[i])))
			return AFPERF_UNITS_GOOD;
	if (units->length >= sizeof lower)
		return AFPERF_UNITS_UNUSUAL;
	for (size_t i = 0; i < units->length; i++) {
		char c = units->data[i];

		lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
	}
	for (size_t i = 0; wrong_units[i].wrong; i++) {
		if (strlen(wrong_units[i].wrong) == units->length &&
		    memcmp(lower, wrong_units[i].wrong, units->length) == 0) {
			*better = wrong_units[i].right;
			return AFPERF_UNITS_WRONG;
		}
	}
	return AFPERF_UNITS_UNUSUAL;
}
