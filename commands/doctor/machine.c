/* SPDX-License-Identifier: BSD-3-Clause */
/* What the system reports of processors, their clocks and their load. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"

#define CPU "/sys/devices/system/cpu"

/* The beginning of a file without the newline; false when it cannot be read. */
static bool read_text(const char *root, const char *name, char text[4096])
{
	char *path = perun_format("%s%s", root, name);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, 4095, file) : 0;

	if (file)
		fclose(file);
	perun_free(path);
	text[length] = '\0';
	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	return length > 0;
}

struct list {
	struct advice *items;
	size_t count;
};

static void add(struct list *list, const char *name, char *state, bool matters, const char *help)
{
	list->items[list->count++] = (struct advice){name, state, help, matters};
}

static void look_at_clock(struct list *list, const char *root)
{
	char text[4096];
	bool turbo;

	if (read_text(root, CPU "/cpu0/cpufreq/scaling_governor", text))
		add(list, "governor", perun_strdup(text), strcmp(text, "performance") != 0,
		    "as root: cpupower frequency-set -g performance");
	else
		add(list, "governor", perun_strdup("not reported by this machine"), false, NULL);
	if (read_text(root, CPU "/intel_pstate/no_turbo", text)) {
		turbo = strcmp(text, "0") == 0;
		add(list, "turbo", perun_strdup(turbo ? "on" : "off"), turbo,
		    "as root: echo 1 >" CPU "/intel_pstate/no_turbo");
	} else if (read_text(root, CPU "/cpufreq/boost", text)) {
		turbo = strcmp(text, "0") != 0;
		add(list, "turbo", perun_strdup(turbo ? "on" : "off"), turbo,
		    "as root: echo 0 >" CPU "/cpufreq/boost");
	}
}

static void look_at_processors(struct list *list, const char *root, bool pinned)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	char text[4096];

	if (read_text(root, CPU "/smt/active", text))
		add(list, "SMT", perun_strdup(strcmp(text, "0") ? "on" : "off"),
		    strcmp(text, "0") != 0, "as root: echo off >" CPU "/smt/control");
	if (read_text(root, "/proc/loadavg", text)) {
		double load = perun_strtod(text, NULL);

		add(list, "load", perun_format("%.2f on %ld processors", load, processors),
		    load > 0.5 * (double)processors, "end other work, or measure --metric cpu");
	}
	if (processors > 1)
		add(list, "pinning", perun_strdup(pinned ? "on" : "off"), !pinned,
		    "--pin CPU keeps a program of one thread on one processor");
}

/* Time in which the host ran others, since the start; "cpu user nice system idle iowait irq softirq steal". */
static void look_at_host(struct list *list, const char *root)
{
	unsigned long long times[8] = {0}, all = 0;
	char text[4096], *at = text;
	double share;

	if (!read_text(root, "/proc/stat", text) || strncmp(text, "cpu ", 4) != 0)
		return;
	at += 4;
	for (size_t i = 0; i < 8; i++)
		all += times[i] = strtoull(at, &at, 10);
	share = all ? 100 * (double)times[7] / (double)all : 0;
	add(list, "steal", perun_format("%.1f %% of the time since the start", share), share >= 1,
	    "the host gives processors to others: measure --metric cpu, or at another time");
}

static void look_at_quota(struct list *list, const char *root)
{
	char text[4096];
	double quota, period;

	if (!read_text(root, "/sys/fs/cgroup/cpu.max", text) ||
	    sscanf(text, "%lf %lf", &quota, &period) != 2 || !(period > 0))
		return;
	add(list, "quota", perun_format("%.3g processors", quota / period), true,
	    "a container that used it up is stopped for a while: allow it more (--cpus)");
}

static void look_at_system(struct list *list, const char *root)
{
	char text[4096];

	if (read_text(root, "/proc/sys/kernel/randomize_va_space", text))
		add(list, "ASLR", perun_strdup(strcmp(text, "0") ? "on" : "off"),
		    strcmp(text, "0") != 0,
		    "setarch -R in front of the command fixes the addresses; left on, their "
		    "influence averages out");
	if (read_text(root, "/proc/cpuinfo", text)) {
		bool virtual = strstr(text, " hypervisor") != NULL;

		add(list, "virtual machine", perun_strdup(virtual ? "yes" : "no"), virtual,
		    "other virtual machines on this host add noise: more pairs of runs, or a "
		    "machine of its own");
	}
}

size_t doctor_advice(const char *root, bool pinned, struct advice advice[MAX_ADVICE])
{
	struct list list = {.items = advice};

	look_at_clock(&list, root);
	look_at_processors(&list, root, pinned);
	look_at_host(&list, root);
	look_at_quota(&list, root);
	look_at_system(&list, root);
	return list.count;
}

void doctor_free(struct advice *advice, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perun_free(advice[i].state);
}
