#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""schema.py FOLDER DOCUMENT...: whether documents fit the schemas of doc/json. The name of a document begins with that
of its schema: log.3 fits log.schema.json, or, as a failure, error.schema.json. Keys that a schema does not name are
errors here, though readers have to pass over them. With --keys the names of all keys of the schemas are printed."""
import json
import os
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
         "number": (int, float)}
KNOWN = {"$schema", "$defs", "$ref", "title", "type", "properties", "required", "items", "enum", "anyOf"}


def has_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name]) or (name == "integer" and isinstance(value, float) and value.is_integer())


def problems(value, schema, root, where="$"):
    """What is wrong with a value, as a list of texts."""
    unknown = set(schema) - KNOWN
    if unknown:
        return [f"{where}: the schema says {sorted(unknown)}, which is not checked here"]
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, where)
    if "anyOf" in schema:
        tried = [problems(value, each, root, where) for each in schema["anyOf"]]
        return min(tried, key=len)
    types = schema.get("type", list(TYPES))
    if not any(has_type(value, each) for each in ([types] if isinstance(types, str) else types)):
        return [f"{where}: {json.dumps(value)[:60]} is not of the type {types}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where}: {value!r} is none of {schema['enum']}"]
    found = []
    if isinstance(value, dict) and "properties" in schema:
        found += [f"{where}: lacks {key}" for key in schema.get("required", []) if key not in value]
        for key, member in value.items():
            if key in schema["properties"]:
                found += problems(member, schema["properties"][key], root, f"{where}.{key}")
            else:
                found.append(f"{where}: the schema does not name {key}")
    if isinstance(value, list):
        for number, item in enumerate(value):
            found += problems(item, schema.get("items", {}), root, f"{where}[{number}]")
    return found


def keys(schema):
    """The names of all properties of a schema."""
    if isinstance(schema, list):
        return set().union(*(keys(each) for each in schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", {})) | keys(list(schema.get("properties", {}).values())) | \
        keys(list(schema.get("$defs", {}).values())) | keys(schema.get("items")) | keys(schema.get("anyOf"))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    folder, failed = sys.argv[1], 0
    if sys.argv[2:] == ["--keys"]:
        schemas = [each for each in os.listdir(folder) if each.endswith(".json") and not each.startswith("afperf")]
        print("\n".join(sorted(set().union(*(keys(load(os.path.join(folder, each))) for each in schemas)))))
        return 0
    for path in sys.argv[2:]:
        if path.endswith(".none"):  # what this machine cannot make
            continue
        document, name = load(path), os.path.basename(path).split(".")[0]
        name = "error" if set(document) == {"error"} else name
        schema = load(os.path.join(folder, name + ".schema.json"))
        found = problems(document, schema, schema)
        failed += bool(found)
        for problem in found[:10]:
            print(f"# {os.path.basename(path)}: {problem}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
