/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters by run, label, tag and time. */
#include <fnmatch.h>

#include "filter.h"

bool afperf_wants_run(const struct afperf_filter *filter, const struct afperf_run *run)
{
	if (!filter || !filter->run_count)
		return true;
	for (size_t i = 0; i < filter->run_count; i++)
		if (!run->blank && run->key.first == filter->runs[i])
			return true;
	return false;
}

/* "name=value" is that tag, "name" is any of the name. */
static bool has_tag(const struct afperf_file *file, uint32_t tags, const char *wanted)
{
	size_t length, name_length = strcspn(wanted, "=");
	const char *text = afperf_texts_at(&file->texts, tags, &length), *end = text + length;
	struct afperf_slice name, value;

	while (afperf_next_tag(&text, end, &name, &value)) {
		if (!afperf_slice_is(&name, wanted, name_length))
			continue;
		if (!wanted[name_length] || afperf_slice_is(&value, wanted + name_length + 1,
							    strlen(wanted + name_length + 1)))
			return true;
	}
	return false;
}

static bool afperf_wants_label(const struct afperf_filter *filter, const struct afperf_file *file,
			       uint32_t label, uint32_t tags)
{
	bool label_found = false, tag_found = false;

	if (!filter)
		return true;
	if (label == AFPERF_NONE)
		return !filter->label_count && !filter->tag_count;
	for (size_t i = 0; i < filter->label_count && !label_found; i++)
		label_found = fnmatch(filter->labels[i], afperf_file_text(file, label), 0) == 0;
	for (size_t i = 0; i < filter->tag_count && !tag_found; i++)
		tag_found = has_tag(file, tags, filter->tags[i]);
	return (label_found || !filter->label_count) && (tag_found || !filter->tag_count);
}

bool afperf_wants_span(const struct afperf_filter *filter, const struct afperf_run *run,
		       int64_t start, int64_t end)
{
	long double second = afperf_time_units[run->units].per_second;

	if (!filter || !filter->timed)
		return true;
	return ((long double)end - run->start) / second >= filter->from &&
	       ((long double)start - run->start) / second <= filter->to;
}

static bool wants_group(const struct afperf_filter *filter, const struct afperf_file *file,
			const struct afperf_group *group, uint32_t tags)
{
	return afperf_wants_run(filter, &file->runs[afperf_group_run(group)]) &&
	       afperf_wants_label(filter, file, afperf_group_label(group), tags);
}

bool afperf_wants_record(const struct afperf_filter *filter, const struct afperf_file *file,
			 const struct afperf_data *record)
{
	const struct afperf_run *run = &file->runs[record->run];

	if (!filter)
		return true;
	if (!afperf_wants_span(filter, run, record->start, record->end))
		return false;
	if (record->owner == AFPERF_NONE)
		return afperf_wants_run(filter, run) &&
		       afperf_wants_label(filter, file, AFPERF_NONE, 0);
	if (record->level == AFPERF_LEVEL_REGION)
		return wants_group(filter, file, &file->groups[file->regions[record->owner].group],
				   file->regions[record->owner].tags);
	return wants_group(filter, file, &file->groups[file->sections[record->owner].group],
			   file->sections[record->owner].tags);
}

bool afperf_wants_region(const struct afperf_filter *filter, const struct afperf_file *file,
			 uint32_t i)
{
	const struct afperf_region *region = &file->regions[i];
	const struct afperf_group *group = &file->groups[region->group];

	return !filter ||
	       (wants_group(filter, file, group, region->tags) &&
		afperf_wants_span(filter, &file->runs[afperf_group_run(group)], region->start,
				  region->end == AFPERF_OPEN ? INT64_MAX : region->end));
}

bool afperf_wants_section(const struct afperf_filter *filter, const struct afperf_file *file,
			  uint32_t i)
{
	const struct afperf_section *section = &file->sections[i];

	return section->group != AFPERF_NONE &&
	       (!filter || wants_group(filter, file, &file->groups[section->group], section->tags));
}

bool afperf_wants_interval(const struct afperf_filter *filter, const struct afperf_file *file,
			   uint32_t i)
{
	const struct afperf_interval *interval = &file->intervals[i];
	uint32_t section = interval->key.second / 2;
	const struct afperf_group *group;

	if (!afperf_wants_section(filter, file, section))
		return false;
	group = &file->groups[file->sections[section].group];
	return afperf_wants_span(filter, &file->runs[afperf_group_run(group)], interval->start,
				 interval->end == AFPERF_OPEN ? INT64_MAX : interval->end);
}
