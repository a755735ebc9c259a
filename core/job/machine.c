/* SPDX-License-Identifier: BSD-3-Clause */
/* A note of the machine that a profile was measured on. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <perun/collect.h>
#include <perun/json.h>

#include "core/job/machine-gpu.h"

/* The first line of a small file, without newline; false when it cannot be read. */
static bool first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool read = file && fgets(line, (int)size, file);

	if (file)
		fclose(file);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

/* What is after "NAME : " in a file like /proc/cpuinfo or /proc/meminfo, first match. */
static bool field_of(const char *path, const char *name, char *value, size_t size)
{
	FILE *file = fopen(path, "re");
	char line[8192];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');
		size_t length = strlen(name);

		if (!colon || strncmp(line, name, length) != 0 ||
		    strspn(line + length, " \t") != (size_t)(colon - line) - length)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = '\0';
		snprintf(value, size, "%s", colon);
		found = true;
	}
	fclose(file);
	return found;
}

/* "23.5 GiB", as the Python program writes it; `kibibytes` as /proc/meminfo has it. */
static struct perun_json *size_text(const char *kibibytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	double value = perun_strtod(kibibytes, NULL) * 1024;
	size_t unit = 0;
	char text[64];

	while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
		value /= 1024;
		unit++;
	}
	if (unit == 0)
		perun_snprintf(text, sizeof text, "%.0f B", value);
	else
		perun_snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
	return perun_json_text(text);
}

/* The number of cores as different from threads: distinct (package, core) pairs. */
static long physical_cores(long total)
{
	long count = 0;
	char *seen = perun_alloc_zero((size_t)total + 1, 64);

	for (long cpu = 0; cpu < total; cpu++) {
		char path[128], package[24], core[24], pair[64];
		long i = 0;

		snprintf(path, sizeof path,
			 "/sys/devices/system/cpu/cpu%ld/topology/physical_package_id", cpu);
		if (!first_line(path, package, sizeof package))
			break;
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%ld/topology/core_id", cpu);
		if (!first_line(path, core, sizeof core))
			break;
		snprintf(pair, sizeof pair, "%s/%s", package, core);
		while (i < count && strcmp(seen + i * 64, pair) != 0)
			i++;
		if (i == count)
			memcpy(seen + 64 * count++, pair, sizeof pair);
	}
	perun_free(seen);
	return count ? count : total;
}

/* Whether a file says yes: `yes` is how it begins then. Nothing when it is not there. */
static void set_switch(struct perun_json *object, const char *key, const char *path, char yes)
{
	char value[16];

	if (!perun_json_get(object, key) && first_line(path, value, sizeof value))
		perun_json_set(object, key, perun_json_bool(value[0] == yes));
}

/* What lies between the system and the processor: "none", or a name of it. */
static struct perun_json *virtualization(void)
{
	static const char *const names[] = {"/sys/hypervisor/type", "/sys/class/dmi/id/sys_vendor"};
	char flags[8192], name[256] = "";

	if (!field_of("/proc/cpuinfo", "flags", flags, sizeof flags))
		return NULL; /* other architectures do not report it */
	if (!strstr(flags, " hypervisor"))
		return perun_json_text("none");
	for (size_t i = 0; i < 2 && !*name; i++)
		if (!first_line(names[i], name, sizeof name))
			*name = '\0';
	return perun_json_text(*name ? name : "virtual machine");
}

static struct perun_json *cpu_document(void)
{
	struct perun_json *cpu = perun_json_object();
	long total = sysconf(_SC_NPROCESSORS_CONF);
	char value[256], text[300];

	if (total < 1)
		total = 1;
	perun_json_set(cpu, "physical", perun_json_int64(physical_cores(total)));
	perun_json_set(cpu, "total", perun_json_int64(total));
	if (field_of("/proc/cpuinfo", "cpu MHz", value, sizeof value)) {
		perun_snprintf(text, sizeof text, "%.2fMhz", perun_strtod(value, NULL));
		perun_json_set(cpu, "frequency", perun_json_text(text));
	}
	if (field_of("/proc/cpuinfo", "model name", value, sizeof value))
		perun_json_set(cpu, "model", perun_json_text(value));
	if (first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", value,
		       sizeof value))
		perun_json_set(cpu, "governor", perun_json_text(value));
	set_switch(cpu, "turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", '0');
	set_switch(cpu, "turbo", "/sys/devices/system/cpu/cpufreq/boost", '1');
	set_switch(cpu, "smt", "/sys/devices/system/cpu/smt/active", '1');
	return cpu;
}

struct perun_json *perun_machine_document(void)
{
	struct perun_json *machine = perun_json_object();
	struct perun_json *memory = perun_json_object();
	struct utsname names;
	struct perun_json *virtual = virtualization();
	char value[256], *gpus = machine_gpus("");
	double load;

	if (uname(&names) == 0) {
		perun_json_set(machine, "architecture", perun_json_text(names.machine));
		perun_json_set(machine, "system", perun_json_text(names.sysname));
		perun_json_set(machine, "release", perun_json_text(names.release));
		perun_json_set(machine, "host", perun_json_text(names.nodename));
	}
	perun_json_set(machine, "cpu", cpu_document());
	if (field_of("/proc/meminfo", "MemTotal", value, sizeof value))
		perun_json_set(memory, "total_ram", size_text(value));
	if (field_of("/proc/meminfo", "SwapTotal", value, sizeof value))
		perun_json_set(memory, "swap", size_text(value));
	perun_json_set(machine, "memory", memory);
	if (gpus)
		perun_json_set(machine, "gpu", perun_json_text(gpus));
	perun_free(gpus);
	if (virtual)
		perun_json_set(machine, "virtualization", virtual);
	if (first_line("/proc/sys/kernel/randomize_va_space", value, sizeof value))
		perun_json_set(machine, "aslr", perun_json_bool(value[0] != '0'));
	if (getloadavg(&load, 1) == 1)
		perun_json_set(machine, "load",
			       perun_json_double((double)(long)(load * 100) / 100));
#ifdef __GLIBC__
	snprintf(value, sizeof value, "glibc %s", gnu_get_libc_version());
	perun_json_set(machine, "libc", perun_json_text(value));
#endif
	return machine;
}
