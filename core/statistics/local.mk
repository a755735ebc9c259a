# Robust statistics: medians, shifts, tests, dependence.
core_sources += \
	core/statistics/alignment.c \
	core/statistics/alignment.h \
	core/statistics/autoregression.c \
	core/statistics/autoregression.h \
	core/statistics/dependence.c \
	core/statistics/distributions.c \
	core/statistics/location.c \
	core/statistics/mann-whitney.c \
	core/statistics/randomization.c \
	core/statistics/shift.c \
	core/statistics/verdict.c
