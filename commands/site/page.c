/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of the site: a frame that its scripts fill from files of data. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "assets.h"
#include "page.h"

/*
 * Scripts and styles come from the site's own files, never from the page itself. They have no hashes: a
 * hash admits a file by its attribute integrity, which browsers do not check for files on a disk, and the
 * files of data change with the store. On a disk Chromium matches 'self' with all files, and Firefox does
 * not apply policies to them. The icon is the empty one, so that browsers do not ask for another.
 */
#define POLICY                                                                         \
	"default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'; " \
	"style-src 'self'; img-src data:"

void site_page_begin(struct perun_buffer *out, const struct site *site, const char *kind,
		     const char *title, bool chart)
{
	const char *up =
		strcmp(kind, "overview") == 0 || strcmp(kind, "versions") == 0 ? "" : "../";

	perun_buffer_add_text(out,
			      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			      "<meta charset=\"utf-8\">\n"
			      "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY
			      "\">\n<meta name=\"viewport\" content=\"width=device-width, "
			      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
			      "dark\">\n<meta name=\"generator\" content=\"perun\">\n<title>");
	site_add_markup(out, title);
	if (*title)
		perun_buffer_add_text(out, " \xc2\xb7 ");
	site_add_markup(out, site->name);
	perun_buffer_printf(out,
			    "</title>\n<link rel=\"icon\" href=\"data:,\">\n"
			    "<link rel=\"stylesheet\" href=\"%ssite.css\">\n",
			    up);
	perun_buffer_printf(out, "<script src=\"%ssite.js\" defer></script>\n", up);
	if (chart)
		perun_buffer_printf(out,
				    "<link rel=\"stylesheet\" href=\"%schart.css\">\n"
				    "<script src=\"%schart.js\" defer></script>\n",
				    up, up);
	perun_buffer_printf(out,
			    "</head>\n<body data-page=\"%s\">\n<header>\n<a class=\"home\" "
			    "href=\"%sindex.html\">",
			    kind, up);
	site_add_markup(out, site->name);
	perun_buffer_printf(out,
			    "</a>\n<nav><a href=\"%sindex.html\"%s>Overview</a> <a "
			    "href=\"%sversions.html\"%s>Versions</a></nav>\n",
			    up, strcmp(kind, "overview") == 0 ? " aria-current=\"page\"" : "", up,
			    strcmp(kind, "versions") == 0 ? " aria-current=\"page\"" : "");
	perun_buffer_add_text(
		out, "<div class=\"search\" role=\"search\"><input id=\"search\" type=\"search\" "
		     "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"Search (press /)\" "
		     "aria-label=\"Search\" disabled><div id=\"hits\" hidden></div></div>\n"
		     "<button type=\"button\" id=\"theme\" title=\"Dark or light\" "
		     "aria-label=\"Dark or light\">\xe2\x97\x90</button>\n</header>\n<main>\n");
}

void site_page_end(struct perun_buffer *out, const struct perun_buffer *facts)
{
	perun_buffer_add_text(out,
			      "<div id=\"content\"></div>\n<noscript><p>This page is filled by "
			      "a script of its own, which is off.</p></noscript>\n</main>\n"
			      "<div id=\"tip\" role=\"status\" hidden></div>\n");
	if (facts) {
		perun_buffer_add_text(out, "<script type=\"application/json\" id=\"facts\">");
		perun_buffer_add(out, facts->data, facts->length);
		perun_buffer_add_text(out, "</script>\n");
	}
	perun_buffer_add_text(out, "</body>\n</html>\n");
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void add_change(struct perun_buffer *out, const struct site *site,
		       const struct site_strand *strand, const struct site_found *found, size_t i)
{
	const struct perun_change_point *point = &found->changes.points[i];
	const struct perun_minor_version *minor = site->versions[point->index].info;
	const double numbers[] = {point->before, point->after, point->shift,
				  point->low,    point->high,  point->p};
	static const char *const names[] = {"before", "after", "shift", "low", "high", "p"};
	char *subject = perun_version_subject(minor);

	perun_buffer_printf(out, "{\"at\":%zu,\"first\":%zu,\"end\":%zu,\"worse\":%s", point->index,
			    point->first, point->end,
			    strand->undirected ? "null"
			    : perun_change_point_result(point, strand->higher) ==
					    PERUN_RESULT_DEGRADATION
				    ? "true"
				    : "false");
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		perun_buffer_printf(out, ",\"%s\":", names[k]);
		site_add_number(out, numbers[k]);
	}
	perun_buffer_add_text(out, ",\"version\":");
	site_add_text(out, minor->checksum);
	perun_buffer_add_text(out, ",\"subject\":");
	site_add_text(out, subject);
	perun_buffer_add_text(out, ",\"author\":");
	site_add_text(out, minor->author);
	perun_buffer_printf(out, ",\"date\":%" PRId64 ",\"known\":", minor->date);
	site_add_known(out, site, found, i);
	if (strand->history) {
		char *explanation = perun_strand_explain(strand->history, point);

		perun_buffer_add_text(out, ",\"explanation\":");
		site_add_text(out, explanation);
		perun_free(explanation);
	}
	perun_buffer_add_char(out, '}');
	perun_free(subject);
}

static size_t first_measured(const struct site_series *series)
{
	size_t first = 0;

	while (first < series->count && isnan(series->values[first]))
		first++;
	return first;
}

static void add_place(struct perun_buffer *out, const struct site *site, uint32_t i)
{
	const struct site_strand *strand = &site->strands[i];
	const struct site_found *found = &site->found[i];
	const struct site_series *series = &found->series;
	char name[17];

	site_name(name, strand->hash);
	perun_buffer_printf(out, "{\"id\":\"%s\",\"place\":", name);
	site_add_text(out, strand->location);
	perun_buffer_add_text(out, ",\"noise\":");
	site_add_number(out, found->changes.noise);
	if (found->changes.trend.found) {
		perun_buffer_printf(
			out, ",\"trend\":{\"since\":%zu,\"slope\":", found->changes.trend.since);
		site_add_number(out, found->changes.trend.slope);
		perun_buffer_add_char(out, '}');
	}
	if (found->latest.version != SIZE_MAX) {
		perun_buffer_add_text(out, ",\"last\":");
		site_add_number(out, series->values[found->latest.version]);
		perun_buffer_printf(out, ",\"at\":%zu,\"begin\":%zu", found->latest.version,
				    first_measured(series));
	}
	perun_buffer_add_text(out, ",\"blocks\":");
	site_add_blocks(out, site, found);
	perun_buffer_add_text(out, ",\"changes\":[");
	for (size_t k = 0; k < found->changes.count; k++) {
		if (k)
			perun_buffer_add_char(out, ',');
		add_change(out, site, strand, found, k);
	}
	perun_buffer_add_text(out, "]}");
}

static void add_facts(struct perun_buffer *out, const struct site *site,
		      const struct site_page *page)
{
	const struct site_strand *strand = &site->strands[page->strands[0]];

	site_add_metric(out, site, strand, page->hash);
	perun_buffer_printf(out,
			    ",\"higher\":%s,\"line\":%zu,\"block\":%d,\"hidden\":%zu,\"places\":[",
			    site_higher(strand), site->line, SITE_BLOCK, page->hidden);
	for (size_t k = 0; k < page->count; k++) {
		if (k)
			perun_buffer_add_char(out, ',');
		add_place(out, site, page->strands[k]);
	}
	perun_buffer_add_text(out, "]}");
}

static int write_metric(struct perun_ctx *ctx, size_t i, void *data)
{
	struct site *site = data;
	const struct site_page *page = &site->pages[i];
	const struct site_strand *strand = &site->strands[page->strands[0]];
	struct perun_buffer out = {0}, facts = {0};
	char name[17], *path, *title, *workload = site_workload(site, strand);
	int status;

	site_name(name, page->hash);
	path = perun_format("metric/%s.html", name);
	title = perun_format("%s: %s %s", strand->metric, strand->cmd, workload);
	perun_free(workload);
	add_facts(&facts, site, page);
	site_page_begin(&out, site, "metric", title, true);
	site_page_end(&out, &facts);
	status = site_write(ctx, site->files, path, 0, out.data, out.length);
	perun_buffer_free(&facts);
	perun_buffer_free(&out);
	perun_free(path);
	perun_free(title);
	return status;
}

static int write_plain(struct site *site, const char *kind, const char *title, const char *path)
{
	struct perun_buffer out = {0};
	int status;

	site_page_begin(&out, site, kind, title, false);
	site_page_end(&out, NULL);
	status = site_write(site->ctx, site->files, path, 0, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}

int site_write_pages(struct site *site)
{
	int status = write_plain(site, "overview", "", "index.html");

	if (!status)
		status = write_plain(site, "versions", "Versions", "versions.html");
	if (!status)
		status = perun_parallel_for(site->ctx, site->page_count, write_metric, site);
	return status;
}

/* ---- assets ---------------------------------------------------------------------------------- */

struct asset {
	const char *name;
	const unsigned char *data;
	const unsigned long *size;
};
static const struct asset assets[] = {
	{"site.js", site_js, &site_js_size},
	{"site.css", site_css, &site_css_size},
	{"chart.js", site_chart_js, &site_chart_js_size},
	{"chart.css", site_chart_css, &site_chart_css_size},
};

int site_write_assets(struct site *site)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < sizeof assets / sizeof *assets; i++)
		status = site_write(site->ctx, site->files, assets[i].name, 0, assets[i].data,
				    *assets[i].size);
	return status;
}

uint64_t site_stamp(const struct site *site)
{
	uint64_t stamp = site_hash_text(SITE_FORM, perun_version());

	stamp = site_hash_text(stamp, POLICY);
	stamp = site_hash_text(stamp, site->name);
	stamp = site_hash_text(stamp, site->link ? site->link : "");
	return site_hash(stamp, &site->places, sizeof site->places);
}
