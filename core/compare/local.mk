# Two versions, strand by strand.
core_sources += \
	core/compare/baselines.c \
	core/compare/check-history.c \
	core/compare/check-history.h \
	core/compare/check-version.c \
	core/compare/checker.c \
	core/compare/checker.h \
	core/compare/compare-pair.c \
	core/compare/compare.c \
	core/compare/compare.h \
	core/compare/findings.c \
	core/compare/functions.c \
	core/compare/history-pairs.c \
	core/compare/sampled.c \
	core/compare/sessions.c \
	core/compare/steps.c \
	core/compare/stored.c \
	core/compare/strand-findings.c \
	core/compare/strategies.c \
	core/compare/strands.c \
	core/compare/timed.c
