if PLUGIN_COMMAND_DOCTOR
plugins += commands/doctor/perun-command-doctor.la
commands_doctor_perun_command_doctor_la_SOURCES = \
	commands/doctor/doctor.c \
	commands/doctor/doctor.h \
	commands/doctor/machine.c
commands_doctor_perun_command_doctor_la_CFLAGS = $(plugin_cflags)
commands_doctor_perun_command_doctor_la_LDFLAGS = $(plugin_ldflags)
commands_doctor_perun_command_doctor_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/doctor/perun-doctor.1
endif
EXTRA_DIST += commands/doctor/perun-doctor.mdoc
