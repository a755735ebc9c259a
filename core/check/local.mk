# Checks: results, reports, running a method.
core_sources += \
	core/check/check.c \
	core/check/report.c \
	core/check/report.h \
	core/check/results.c
