"""Reads the tool's report and says whether every operation of an enabled capability was answered with a 2xx."""

import collections
import json
import sys

import yaml

import exemptions

MINIMUM_EXAMPLES = 2000
METHODS = {"get", "post", "put", "patch", "delete"}


def main(document, ground, report):
    with open(document) as file:
        operations = {
            f"{method.upper()} {path}": operation.get("x-checkfu-capability")
            for path, item in yaml.safe_load(file)["paths"].items()
            for method, operation in item.items()
            if method in METHODS
        }
    with open(ground) as file:
        enabled = set(json.load(file)["capabilities"])
    phases, statuses = collections.Counter(), collections.defaultdict(collections.Counter)
    checks = collections.Counter()
    for recorder, phase in recorders(report):
        for case in recorder.get("checks", {}):
            answer = recorder.get("interactions", {}).get(case, {}).get("response")
            if answer is None:
                continue
            value = recorder["cases"][case]["value"]
            statuses[f"{value['method']} {value['path']}"][answer["status_code"]] += 1
            phases[phase] += 1
            checks.update(check["name"] for check in recorder["checks"][case])
    problems = show(operations, enabled, statuses)
    examples = sum(phases.values())
    print(f"\n{examples} examples: " + ", ".join(f"{count} {phase}" for phase, count in phases.items()))
    print("judgements: " + ", ".join(f"{count} {name}" for name, count in sorted(checks.items())))
    if examples < MINIMUM_EXAMPLES:
        problems.append(f"{examples} examples are fewer than {MINIMUM_EXAMPLES}")
    if not phases["stateful"]:
        problems.append("the stateful phase tested nothing")
    exempted()
    for problem in problems:
        print(f"schemathesis: {problem}", file=sys.stderr)
    return 1 if problems else 0


def recorders(report):
    """Scenario by scenario, the cases that were judged, and the phase that they belong to."""
    with open(report) as lines:
        for line in lines:
            finished = json.loads(line).get("ScenarioFinished")
            if finished:
                yield finished["recorder"], finished["phase"]


def show(operations, enabled, statuses):
    width = max(map(len, operations))
    print(f"\n{'operation':{width}}  {'capability':11}  calls  2xx  statuses")
    problems = []
    for operation, capability in operations.items():
        seen = statuses[operation]
        accepted = sum(count for status, count in seen.items() if 200 <= status < 300)
        on = capability is None or capability in enabled
        told = f"{capability or '-'}" if on else f"({capability})"
        counts = " ".join(f"{status}:{count}" for status, count in sorted(seen.items()))
        print(f"{operation:{width}}  {told:11}  {sum(seen.values()):5}  {accepted:3}  {counts}")
        if on and not accepted:
            problems.append(f"{operation} was never answered with a 2xx")
    print("(in brackets: a capability that this server does not have enabled)")
    return problems


def exempted():
    with open(exemptions.MET) as lines:
        met = collections.Counter(json.loads(line)["name"] for line in lines)
    print("\nfailures that are none:")
    for exemption in exemptions.EXEMPTIONS:
        print(f"- {exemption.name} ({exemption.check}), met {met[exemption.name]} times: {exemption.reason}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
