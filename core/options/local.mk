# core_sources += \
#	core/options/....c
