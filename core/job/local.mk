# core_sources += \
#	core/job/....c
