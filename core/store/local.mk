# core_sources += \
#	core/store/....c
