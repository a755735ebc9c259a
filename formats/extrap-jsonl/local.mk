formats_extrap_jsonl_libs = $(stacks_libs)
