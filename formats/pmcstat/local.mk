formats_pmcstat_libs = $(stacks_libs)
