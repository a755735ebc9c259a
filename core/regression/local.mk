# Curves through points.
core_sources += core/regression/fit.c core/regression/points.c
