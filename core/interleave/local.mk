# Two programs run alternately until their difference is clear.
core_sources += core/interleave/interleave.c
