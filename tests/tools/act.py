# SPDX-License-Identifier: BSD-3-Clause
"""act.py ACTION FOLDER [NAME=VALUE]...: runs the shell steps of a composite action as GitHub's runner does, with inputs, on
the repository in FOLDER. Steps that use other actions are only named. Knows the expressions that our action has: names
joined by ||, and in `if` one or more comparisons joined by &&. Ends with the status of the first step that fails."""
import os
import re
import subprocess
import sys
import tempfile

import yaml


def look_up(context, name):
    if name.startswith("'"):
        return name.strip("'")
    value = context
    for part in name.split("."):
        value = value.get(part, "") if isinstance(value, dict) else ""
    return value


def evaluate(context, text):
    def one(match):
        return str(next(filter(None, (look_up(context, name.strip()) for name in match.group(1).split("||"))), ""))
    return re.sub(r"\$\{\{(.*?)\}\}", one, str(text))


def holds(context, text):
    def one(comparison):
        left, operator, right = re.fullmatch(r"\s*(\S+) (==|!=) (\S+)\s*", comparison).groups()
        return (str(look_up(context, left)) == str(look_up(context, right))) == (operator == "==")
    return all(one(comparison) for comparison in text.split("&&"))


def run(step, folder, action, context, temporary):
    files = {name: os.path.join(temporary, name) for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        open(path, "a").close()
    environment = {**os.environ, **files, "GITHUB_ACTION_PATH": os.path.dirname(os.path.abspath(action)),
                   "RUNNER_TEMP": temporary, **{k: evaluate(context, v) for k, v in step.get("env", {}).items()}}
    environment["PATH"] = ":".join(open(files["GITHUB_PATH"]).read().split() + [environment["PATH"]])
    open(files["GITHUB_OUTPUT"], "w").close()
    script = evaluate(context, step["run"])
    status = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                            cwd=folder, env=environment).returncode
    outputs = dict(line.split("=", 1) for line in open(files["GITHUB_OUTPUT"]).read().splitlines())
    context["steps"][step.get("id", "")] = {"outputs": outputs}
    return status


def main():
    action, folder, *given = sys.argv[1:]
    document = yaml.safe_load(open(action))
    given = dict(word.split("=", 1) for word in given)
    context = {"github": {"event": {}, "sha": given.pop("sha", ""), "token": "x"}, "steps": {}}
    unknown = set(given) - set(document["inputs"])
    if unknown:
        sys.exit(f"no input {unknown}")
    context["inputs"] = {name: given.get(name, evaluate(context, facts.get("default", "")))
                         for name, facts in document["inputs"].items()}
    with tempfile.TemporaryDirectory() as temporary:
        for step in document["runs"]["steps"]:
            if "if" in step and not holds(context, step["if"]):
                continue
            if "uses" in step:
                print("uses", step["uses"], {k: evaluate(context, v) for k, v in step.get("with", {}).items()})
                continue
            status = run(step, folder, action, context, temporary)
            if status:
                return status
        for name, facts in document["outputs"].items():
            print("output", name, evaluate(context, facts["value"]))
    return 0


sys.exit(main())
