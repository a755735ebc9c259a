# Change points of series.
core_sources += \
	core/changepoint/changepoint.c \
	core/changepoint/confirm.c \
	core/changepoint/drift.c \
	core/changepoint/e-divisive.c \
	core/changepoint/jumps.c \
	core/changepoint/place.c \
	core/changepoint/repeats.c \
	core/changepoint/scores.c \
	core/changepoint/seeds.c \
	core/changepoint/segments.c \
	core/changepoint/segments.h \
	core/changepoint/select.c \
	core/changepoint/step.c \
	core/changepoint/t-test.c
