/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest guess from the first bytes: what the file is, and which program makes a profile of it. */
#include <ctype.h>
#include <string.h>

#include "core/format/nearest.h"
#include "perun/json.h"
#include "perun/lib/advice.h"

/* Files that programs know which print them as something that is read here. */
static const struct {
	const char *bytes;
	size_t size;
	const char *what;
	bool output; /* the program writes to its standard output */
} known[] = {
	{"PERFILE2", 8, "a perf.data recording: perf script -i FILE", true},
	{"2ELIFREP", 8, "a perf.data recording: perf script -i FILE", true},
	{"\x7f"
	 "ELF",
	 4, "a program or library (ELF), not a profile of it", false},
	{"SQLite format 3", 15, "an SQLite database", false},
	{"PK\x03\x04", 4, "a zip archive: unpack it first", false},
	{"\xfd"
	 "7zXZ",
	 5, "compressed with xz: xz -dc FILE", true},
	{"BZh", 3, "compressed with bzip2: bzip2 -dc FILE", true},
	{"\xcf\xfa\xed\xfe", 4, "a program or library (Mach-O), not a profile of it", false},
	{"MZ", 2, "a program or library of Windows, not a profile of it", false},
	{"\x89PNG", 4, "a picture", false},
	{"%PDF", 4, "a PDF document", false},
	{"FLR\0", 4, "a recording of Java's Flight Recorder: jfrconv -o collapsed FILE OUT", false},
	{"#!", 2, "a script, not a profile", false},
	{"SIMPLEPERF", 10, "a recording of simpleperf: report_sample.py FILE", true},
	{"v8-version,", 11, "a log of V8: node --prof-process --preprocess -j FILE", true},
	{"\x04\x08{", 3, "a dump of Ruby's stackprof: stackprof --json FILE", true},
	{"{(", 2, "statistics of Python's cProfile: pyprof2calltree -i FILE -o callgrind.out",
	 false},
	{"\xfb(", 2, "statistics of Python's cProfile: pyprof2calltree -i FILE -o callgrind.out",
	 false},
	{"\xfb)", 2, "statistics of Python's cProfile: pyprof2calltree -i FILE -o callgrind.out",
	 false},
	{"{\xa9", 2, "statistics of Python's cProfile: pyprof2calltree -i FILE -o callgrind.out",
	 false},
	{"JAVA PROFILE 1.0", 16,
	 "a recording of hprof, Java's agent until Java 8: asprof -o collapsed PID records stacks",
	 false},
	{"digraph ", 8, "a graph of Graphviz: give the profile that it was drawn from", false},
	{"strict digraph ", 15, "a graph of Graphviz: give the profile that it was drawn from",
	 false},
	{"graph {", 7, "a graph of Graphviz: give the profile that it was drawn from", false},
	{"MOJ", 3, "a recording of Austin: mojo2austin FILE OUT", false},
	{"gmon\1", 5, "counts of gprof: give what 'gprof PROGRAM gmon.out' prints", false},
	{"mode: ", 6, "test coverage of Go", false},
	{"NYTProf ", 8, "a recording of Perl's NYTProf: nytprofcg --file FILE --out OUT", false},
	{"%% Analysis results:", 20, "an analysis of Erlang's fprof", false},
	{"Nettrace", 8, "a recording of .NET: dotnet-trace convert --format Speedscope FILE",
	 false},
	{"tlZ\4", 4, "a recording of Tracy: tracy-csvexport FILE", true},
	{"tZst", 4, "a recording of Tracy: tracy-csvexport FILE", true},
	{"tr\xfdP", 4, "a recording of Tracy: tracy-csvexport FILE", true},
	{"\3BOTF2", 6, "a trace of OTF2: Score-P's profile (profile.cubex) is read", false},
	{"HPCTOOLKIT", 10, "a part of a database of HPCToolkit: give its directory", false},
	{"PROJECTIONS-RECORD", 18, "a log of Charm++ for Projections", false},
	{"PROJECTIONS_ID", 14, "a log of Charm++ for Projections", false},
	{"# HELP ", 7, "metrics of Prometheus", false},
	{"# TYPE ", 7, "metrics of Prometheus", false},
	{"\xca\xfe\xba\xbe", 4,
	 "a program or library (Mach-O), or a class of Java, not a profile of it", false},
};

#define OTHER_GPROF "a report of gprof, but without a table as GNU's and BSD's have it"

/* How others are recognized: words among the first bytes. */
static const struct {
	const char *words[2];
	const char *what;
} phrases[] = {
	{{"go 1.", " trace"}, "an execution trace of Go: go tool trace -pprof=sched FILE"},
	{{"Each sample counts as", "cumulative"}, OTHER_GPROF},
	{{"self", "<spontaneous>"}, OTHER_GPROF},
	{{"call graph profile:", "self and descendents"}, OTHER_GPROF},
	{{"# To display the perf.data header info", ""},
	 "a report of perf: give its recording, or what perf script prints of that"},
	{{"% time", "usecs/call"}, "a summary of strace"},
	{{"\"start_call_stack\"", "\"start_time\""},
	 "a session of pyinstrument: pyinstrument --load FILE -r json"},
	{{"\"resourceSpans\"", ""}, "traces of OpenTelemetry"},
	{{"Measure Mode:", "Thread ID:"},
	 "a report of ruby-prof, whose CallTreePrinter writes what callgrind does"},
	{{"FUNCTION ", "[uS / CALLS]"}, "a report of Erlang's eprof, which has no stacks"},
	{{"Total time", "Self time"}, "a report of uftrace: uftrace dump --chrome -d DIR"},
	{{"Function Call Graph for", ""}, "a call graph of uftrace: uftrace dump --chrome -d DIR"},
	{{"CPU Time:Total", "CPU Time:Self"},
	 "a report of VTune: vtune -report top-down -format csv -result-dir DIR"},
	{{"Process Name, ", "Stack, "},
	 "a table of xperf: PerfView saves the recording for speedscope"},
	{{"<call_tree>", "<objects>"}, "a recording of Sysprof: perf record -g records the same"},
	{{"java.lang.Thread.State:", "at "},
	 "a thread dump of Java, not a profile: asprof -o collapsed PID records one"},
	{{"goroutine ", "]:\n"}, "stacks of Go's routines: the profile 'goroutine' counts them"},
	{{"\nTID ", "#0 "}, "stacks of a process, not a profile: perf record -g samples them"},
	{{"Thread ", "\n#0 "}, "stacks of a process, not a profile: perf record -g samples them"},
	{{"PeriodType: ", "Samples:"}, "the text of pprof -raw: give the profile that it shows"},
	{{"ms_print arguments:", ""}, "a report of ms_print: give the file of massif"},
	{{"Profile data file", "Events recorded:"},
	 "a report of callgrind_annotate: give the file of callgrind"},
	{{"MOST CALLS TO ALLOCATION FUNCTIONS", ""},
	 "a report of heaptrack_print: give the recording, or print folded stacks (-F)"},
	{{"Showing nodes accounting for", ""}, "a report of pprof: give the profile that it shows"},
	{{"File format: ", "TRACE START ["},
	 "a trace of Xdebug, whose mode 'profile' writes what callgrind does"},
	{{"\"profileJSONWithSymbolicationTable", ""},
	 "a profile of Cleopatra, as it was before Firefox Profiler"},
	{{"\"snapshot\"", "\"node_fields\""},
	 "a heap snapshot of V8, whose sampling profile (.heapprofile) has stacks"},
	{{"\"flamebearer\"", "\"numTicks\""},
	 "a flame graph of Pyroscope: export it for pprof or as folded stacks"},
	{{"\"dataframe_indices\"", "\"graph\""},
	 "a graph of Hatchet: give the profile that it was made from"},
	{{"openat(AT_FDCWD, ", ") = "}, "a trace of system calls (strace)"},
	{{"\"layout\"", "\"benchmarks\""},
	 "JSON of mitata, whose form 'markdown' is a table that is read"},
};

/* The first keys of an object, or of the first one in a list. */
static void add_json(struct perun_buffer *out, const struct perun_probe *probe)
{
	enum { KEYS = 4 };
	struct perun_json_reader *json =
		perun_json_reader_new_text(NULL, probe->data, probe->size, NULL);
	const struct perun_json_token *token = perun_json_token(json);
	enum perun_json_event event = perun_json_next(json);
	size_t keys = 0;
	bool list = event == PERUN_JSON_ARRAY_START;

	perun_buffer_add_text(out, "JSON");
	if (list) {
		perun_buffer_add_text(out, ", a list");
		event = perun_json_next(json);
	}
	while (event == PERUN_JSON_OBJECT_START && keys < KEYS &&
	       perun_json_next(json) == PERUN_JSON_KEY) {
		char *key = perun_strndup(token->text, token->length < 40 ? token->length : 40);
		char *shown = perun_printable(key);

		perun_buffer_printf(out, "%s%s", keys++ ? ", " : " with the keys ", shown);
		perun_free(key);
		perun_free(shown);
		if (perun_json_skip(json))
			break;
	}
	if (keys)
		perun_buffer_printf(out, ", which no reader knows%s",
				    list ? perun_advice(PERUN_ADVICE_READ_LIST) : "");
	perun_json_reader_free(json);
}

static void add_line(struct perun_buffer *out, const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);
	size_t length = end ? (size_t)(end - text) : size, shortest = length < 50 ? length : 50;
	char *line, *shown;

	/* Not within a character of UTF-8. */
	while (shortest < length && shortest && (text[shortest] & 0xc0) == 0x80)
		shortest--;
	line = perun_strndup(text, shortest);
	shown = perun_printable(line);

	perun_buffer_printf(out, "text that begins with '%s'", shown);
	perun_free(line);
	perun_free(shown);
}

/* A name that a column may have: short, and with few marks. */
static bool is_heading(const char *word, size_t length)
{
	enum { LONGEST = 40 };

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr(" _-.()[]/%\"\r", word[i]))
			return false;
	return length > 0 && length <= LONGEST && isalpha((unsigned char)word[*word == '"']);
}

/* "time,commit,metric": headings between separators. */
static bool add_table(struct perun_buffer *out, const char *text, size_t size)
{
	enum { SHOWN = 4 };
	const char *end = memchr(text, '\n', size);
	size_t length = end ? (size_t)(end - text) : 0, columns = 0;
	const char *separators = ",;\t", *at = text;
	char separator;

	while (*separators && !memchr(text, *separators, length))
		separators++;
	separator = *separators;
	for (size_t left = length; separator; columns++) {
		const char *next = memchr(at, separator, left);
		size_t word = next ? (size_t)(next - at) : left;

		if (!is_heading(at, word))
			return false;
		if (!next) {
			columns++;
			break;
		}
		left -= word + 1;
		at = next + 1;
	}
	if (columns < 2)
		return false;
	perun_buffer_add_text(out, "a table with the columns ");
	at = text;
	for (size_t i = 0; i < columns && i < SHOWN; i++) {
		size_t word = strcspn(at, (const char[]){separator, '\r', '\n', '\0'});

		perun_buffer_printf(out, "%s%.*s", i ? ", " : "", (int)word, at);
		at += word + 1;
	}
	perun_buffer_printf(out, "%s%s", columns > SHOWN ? " ..." : "",
			    perun_advice(PERUN_ADVICE_READ_TABLE));
	return true;
}

static void add_known(struct perun_buffer *out, const char *what, bool output)
{
	perun_buffer_printf(out, "%s%s", what,
			    output ? perun_advice(PERUN_ADVICE_IMPORT_OUTPUT) : "");
}

/* What follows a bracket in JSON: "[ 50%]" and "{:a 1}" are other texts. */
static bool may_be_json(const char *text, size_t size)
{
	size_t at = 1;

	if (!size || (*text != '{' && *text != '['))
		return false;
	while (at < size && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	return at == size ||
	       (text[at] && strchr(*text == '{' ? "\"}" : "\"{[]-0123456789tfn", text[at]));
}

static void add_content(struct perun_buffer *out, const struct perun_probe *probe)
{
	const char *text = probe->data;
	size_t at = 0;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (probe->size >= known[i].size &&
		    memcmp(text, known[i].bytes, known[i].size) == 0) {
			add_known(out, known[i].what, known[i].output);
			return;
		}
	}
	for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
		if (memmem(text, probe->size, phrases[i].words[0], strlen(phrases[i].words[0])) &&
		    memmem(text, probe->size, phrases[i].words[1], strlen(phrases[i].words[1]))) {
			add_known(out, phrases[i].what, false);
			return;
		}
	}
	while (at < probe->size && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	if (at == probe->size)
		perun_buffer_add_text(out, "blanks alone");
	else if (may_be_json(text + at, probe->size - at))
		add_json(out, probe);
	else if (memchr(text, '\0', probe->size))
		perun_buffer_add_text(out, "binary data");
	else if (text[at] == '<')
		perun_buffer_add_text(out, "XML or HTML");
	else if (!add_table(out, text + at, probe->size - at))
		add_line(out, text + at, probe->size - at);
}

static bool ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), size = strlen(ending);

	return length >= size && strcmp(text + length - size, ending) == 0;
}

/* Directories that are known by what is in them. */
static const struct {
	const char *ending; /* of an entry's name */
	const char *what;
} directories[] = {
	{"form.template", "a document of Instruments: xctrace export --input DIR --xpath "
			  "'/trace-toc/run/data/table[@schema=\"time-profile\"]'"},
	{".vtune", "a result of VTune: vtune -report top-down -format csv -result-dir DIR"},
	{"default.opts", "a recording of uftrace: uftrace dump --chrome -d DIR"},
};

static void add_directory(struct perun_buffer *out, const struct perun_probe *probe)
{
	for (size_t i = 0; i < probe->entry_count; i++) {
		for (size_t k = 0; k < sizeof directories / sizeof *directories; k++) {
			if (ends_with(probe->entries[i], directories[k].ending)) {
				add_known(out, directories[k].what, true);
				return;
			}
		}
	}
	perun_buffer_printf(out, "a directory of %zu entr%s", probe->entry_count,
			    probe->entry_count == 1 ? "y" : "ies");
}

char *perun_format_nearest(const struct perun_probe *probe)
{
	struct perun_buffer out = {0};

	if (probe->directory)
		add_directory(&out, probe);
	else
		add_content(&out, probe);
	return perun_buffer_take(&out);
}
