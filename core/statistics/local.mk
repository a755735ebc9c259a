# Robust statistics: medians, shifts, tests, dependence.
core_sources += \
	core/statistics/alignment.c \
	core/statistics/alignment.h \
	core/statistics/serial-correlation.c \
	core/statistics/serial-correlation.h \
	core/statistics/dependence.c \
	core/statistics/distributions.c \
	core/statistics/few-runs.c \
	core/statistics/few-runs.h \
	core/statistics/location.c \
	core/statistics/mann-whitney.c \
	core/statistics/randomization.c \
	core/statistics/sampling.h \
	core/statistics/shift.c \
	core/statistics/verdict.c
