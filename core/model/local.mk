# Models of growth: experiments, search spaces, fits.
core_sources += \
	core/model/advice.c \
	core/model/basic.c \
	core/model/candidates.c \
	core/model/class.c \
	core/model/experiment.c \
	core/model/fitting.c \
	core/model/formula.c \
	core/model/gather.c \
	core/model/least-squares.c \
	core/model/line.c \
	core/model/model.h \
	core/model/modeler.c \
	core/model/multi.c \
	core/model/prediction.c \
	core/model/point-files.c \
	core/model/point-name.c \
	core/model/range.c \
	core/model/records.c \
	core/model/refining.c \
	core/model/segmented.c
