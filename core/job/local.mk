# Jobs: running collectors and postprocessors.
core_sources += \
	core/job/collect.c \
	core/job/machine.c \
	core/job/machine-class.c \
	core/job/postprocess.c \
	core/job/scratch.c \
	core/job/scratch.h \
	core/job/words.c \
	core/job/words.h
