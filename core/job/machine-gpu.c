/* SPDX-License-Identifier: BSD-3-Clause */
/* The graphics processors of this machine, as its drivers name them. */
#include <config.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/program.h>

#include "core/job/machine-gpu.h"

#define NVIDIA     "/proc/driver/nvidia/gpus"
#define CARDS      "/sys/class/drm"
#define NVIDIA_PCI 0x10de

/* Vendors of processors that compute; others make the screens of servers and virtual machines. */
static const struct vendor {
	unsigned long number;
	const char *name;
} vendors[] = {{0x1002, "AMD"}, {0x8086, "Intel"}, {NVIDIA_PCI, "NVIDIA"}};

/* Adds the name of the processor that an entry of a directory describes. */
typedef void visit(const char *path, struct perun_words *names);

/* False when there is no such directory. */
static bool each_entry(const char *path, visit *visit, struct perun_words *names)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char *inner;

		if (*entry->d_name == '.')
			continue;
		inner = perun_format("%s/%s", path, entry->d_name);
		visit(inner, names);
		perun_free(inner);
	}
	if (directory)
		closedir(directory);
	return directory != NULL;
}

/* The first line of a small file, from `skipped` on where a line begins with that; "" = there is none. */
static void line_of(const char *directory, const char *name, const char *skipped, char line[256])
{
	char *path = perun_format("%s/%s", directory, name);
	FILE *file = fopen(path, "re");
	bool found = false;

	while (file && !found && fgets(line, 256, file)) {
		size_t length = strlen(skipped);

		found = strncmp(line, skipped, length) == 0;
		length += found ? strspn(line + length, " \t") : 0;
		line[strcspn(line, "\n")] = '\0';
		if (found)
			memmove(line, line + length, strlen(line + length) + 1);
	}
	if (!found)
		*line = '\0';
	if (file)
		fclose(file);
	perun_free(path);
}

/* "Model: NVIDIA A100-SXM4-40GB" */
static void visit_nvidia(const char *path, struct perun_words *names)
{
	char model[256];

	line_of(path, "information", "Model:", model);
	if (*model)
		perun_words_add(names, model, strlen(model));
}

/* card0, but not its connectors, "card0-HDMI-A-1". */
static void visit_card(const char *path, struct perun_words *names)
{
	const char *name = strrchr(path, '/') + 1;
	char vendor[256], device[256], product[256], *text;
	unsigned long number;

	if (strncmp(name, "card", 4) != 0 || strchr(name, '-'))
		return;
	line_of(path, "device/vendor", "", vendor);
	line_of(path, "device/device", "", device);
	line_of(path, "device/product_name", "", product);
	number = strtoul(vendor, NULL, 16);
	for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
		/* NVIDIA's own driver has said better. */
		if (number != vendors[i].number || (number == NVIDIA_PCI && names->count))
			continue;
		text = *product ? perun_strdup(product)
				: perun_format("%s %s", vendors[i].name, device);
		perun_words_add(names, text, strlen(text));
		perun_free(text);
	}
}

static int by_name(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

char *machine_gpus(const char *root)
{
	char *nvidia = perun_format("%s" NVIDIA, root), *cards = perun_format("%s" CARDS, root);
	struct perun_words names = {0};
	struct perun_buffer text = {0};
	bool known = each_entry(nvidia, visit_nvidia, &names);

	known = each_entry(cards, visit_card, &names) || known;
	if (names.count)
		qsort(names.items, names.count, sizeof *names.items, by_name);
	for (size_t i = 0, next; i < names.count; i = next) {
		for (next = i + 1; next < names.count; next++)
			if (strcmp(names.items[i], names.items[next]) != 0)
				break;
		perun_buffer_add_text(&text, i ? ", " : "");
		if (next - i > 1)
			perun_buffer_printf(&text, "%zu x ", next - i);
		perun_buffer_add_text(&text, names.items[i]);
	}
	if (known && !names.count)
		perun_buffer_add_text(&text, "none");
	perun_words_free(&names);
	perun_free(nvidia);
	perun_free(cards);
	if (known)
		return perun_buffer_take(&text);
	perun_buffer_free(&text);
	return NULL;
}
