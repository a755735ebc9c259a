# core_sources += \
#	core/config/....c
