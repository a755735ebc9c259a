# Two programs run alternately until their difference is clear, and the search for a commit by it.
core_sources += \
	core/interleave/bisect-commits.c \
	core/interleave/bisect.c \
	core/interleave/bisect.h \
	core/interleave/clock.h \
	core/interleave/interleave.c
