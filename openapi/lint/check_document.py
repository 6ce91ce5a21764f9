"""Checks openapi.yaml by the rules that no public linter knows. Prints each fault; exits 1 if there is one."""

import re
import sys
from collections.abc import Iterator

from ruamel.yaml import YAML

SECTIONS = {
    "sessions-and-runs": {
        "sessions-and-runs", "start-and-drive-a-session", "the-event-log-is-the-source-of-truth",
        "status-and-settlement", "two-freeze-horizons", "waiting-and-continuation", "forking-a-retained-prefix",
        "watches-and-wakeups", "project-mounts", "memory-mounts", "turn-deadlines", "prompt-integrity",
    },
    "session-threads": {
        "list-threads", "retrieve-a-thread", "archive-a-thread", "list-thread-events", "stream-thread-events",
        "respond-to-a-child-action", "sessionthread", "typescript-sdk", "cli",
    },
    "resume-a-stream": {
        "resume-a-stream-reliably", "the-three-rules", "connecting-and-resuming",
        "process-each-event-exactly-once", "effects-outside-your-database", "without-the-sdk",
        "live-previews-do-not-move-the-cursor", "settlement", "backpressure", "catching-up-without-streaming",
    },
}
DECISION = re.compile(r"^A-[A-Z]+$")
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
NESTED = ("items", "additionalProperties", "unevaluatedProperties", "propertyNames", "not", "contentSchema")
TYPES = {"type", "$ref", "oneOf", "anyOf", "allOf", "const", "enum"}
# Without a place a fork is made at the head; what a completed Run used may be unknown.
ALL_OPTIONAL = {"ForkSessionRequest", "RunCompletedEvent.payload"}
# Codes of requests that reach no operation of this document.
NO_OPERATION = {"request.method_not_allowed"}

Faults = Iterator[str]


def provenance(where: str, part: dict) -> Faults:
    source, assumed = part.get("x-checkfu-source"), part.get("x-checkfu-assumed")
    if source is None and assumed is None:
        yield f"{where}: neither x-checkfu-source nor x-checkfu-assumed"
    if source is not None:
        page, _, section = source.partition("#")
        if section not in SECTIONS.get(page, set()):
            yield f"{where}: no section {source}"
    if assumed is not None and (not isinstance(assumed, list) or not assumed):
        yield f"{where}: x-checkfu-assumed must be a list of decisions"
    for decision in assumed or []:
        if not DECISION.match(decision):
            yield f"{where}: {decision} is no decision"


def parts(document: dict) -> Iterator[tuple[str, dict]]:
    for path, method, operation in operations(document):
        yield f"{method} {path}", operation
    for section in ("schemas", "parameters", "headers", "responses", "securitySchemes"):
        for name, part in document["components"][section].items():
            yield f"{section}/{name}", part


def operations(document: dict) -> Iterator[tuple[str, str, dict]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                yield path, method, operation


def schemas(where: str, schema: dict) -> Iterator[tuple[str, dict]]:
    """A schema and every schema inside it."""
    yield where, schema
    for name, member in schema.get("properties", {}).items():
        yield from schemas(f"{where}.{name}", member)
    for keyword in ("oneOf", "anyOf", "allOf"):
        for index, branch in enumerate(schema.get(keyword, [])):
            yield from schemas(f"{where}/{keyword}/{index}", branch)
    for keyword in NESTED:
        if isinstance(schema.get(keyword), dict):
            yield from schemas(f"{where}/{keyword}", schema[keyword])


def typed(where: str, schema: dict) -> Faults:
    if not TYPES & schema.keys() and not schema.get("description", "").startswith("Any JSON"):
        inner = where.rsplit("/", 1)[-1]
        if inner not in NESTED:
            yield f"{where}: no type, and not described as any JSON"
    if schema.get("type") == "object" and not {"properties", "additionalProperties"} & schema.keys():
        yield f"{where}: an object without members must say additionalProperties"
    if "properties" in schema:
        required = schema.get("required")
        if required is None:
            yield f"{where}: properties without required"
        elif not required and schema["properties"] and where not in ALL_OPTIONAL:
            yield f"{where}: nothing is required"
        for name in required or []:
            if name not in schema["properties"]:
                yield f"{where}: requires {name}, which it does not describe"


def described(where: str, schema: dict) -> Faults:
    if not schema.get("description"):
        yield f"{where}: no description"


def event_union(document: dict) -> Faults:
    """The union, its mapping and the types that fall to UnknownEvent name the same events."""
    all_schemas = document["components"]["schemas"]
    events = {
        schema["properties"]["type"]["const"]: name
        for name, schema in all_schemas.items()
        if name.endswith("Event") and {"seq", "payload"} <= schema.get("properties", {}).keys()
        and "const" in schema["properties"]["type"]
    }
    union = all_schemas["KnownEvent"]
    mapping = {kind: ref.rsplit("/", 1)[-1] for kind, ref in union["discriminator"]["mapping"].items()}
    branches = [branch["$ref"].rsplit("/", 1)[-1] for branch in union["oneOf"]]
    if mapping != events or sorted(branches) != sorted(events.values()):
        yield "KnownEvent: union, mapping and event schemas differ"
    if set(all_schemas["UnknownEvent"]["properties"]["type"]["not"]["enum"]) != {*events, "event_start", "event_delta"}:
        yield "UnknownEvent: its excluded types are not the known ones"
    for kind, name in events.items():
        if name != "".join(word.capitalize() for word in re.split(r"[._]", kind)) + "Event":
            yield f"{name}: not named after {kind}"


def error_codes(document: dict) -> Faults:
    """Each code of a response is in the table under its status, and each code of the table can be met."""
    components = document["components"]
    table = components["schemas"]["ErrorCode"]["x-checkfu-errors"]
    if list(table) != components["schemas"]["ErrorCode"]["x-checkfu-open-enum"]:
        yield "ErrorCode: table and known values differ"
    met = set(NO_OPERATION)
    for path, method, operation in operations(document):
        for status, response in operation["responses"].items():
            where = f"{method} {path} {status}"
            if "$ref" in response:
                response = components["responses"][response["$ref"].rsplit("/", 1)[-1]]
            if "request-id" not in response.get("headers", {}):
                yield f"{where}: no request-id header"
            codes = response.get("x-checkfu-error-codes", [])
            if int(status) >= 400 and not codes:
                yield f"{where}: no x-checkfu-error-codes"
            for code in codes:
                met.add(code)
                if table.get(code, {}).get("status") != int(status):
                    yield f"{where}: {code} has another status in the table"
                example = components["examples"].get(f"Error.{code}", {}).get("value", {}).get("error", {})
                expected = {"code": code, "type": table.get(code, {}).get("type"), "retryable": table.get(code, {}).get("retryable")}
                if {key: example.get(key) for key in expected} != expected:
                    yield f"{where}: the example of {code} does not fit the table"
    for code in table:
        if code not in met:
            yield f"ErrorCode: no operation answers {code}"


def faults(document: dict) -> Faults:
    for where, part in parts(document):
        yield from provenance(where, part)
    for name, schema in document["components"]["schemas"].items():
        yield from described(name, schema)
        for where, inner in schemas(name, schema):
            yield from typed(where, inner)
    yield from event_union(document)
    yield from error_codes(document)


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        document = YAML(typ="safe").load(file)
    found = list(faults(document))
    for fault in found:
        print(fault)
    count = len(list(operations(document))), len(document["components"]["schemas"])
    print(f"{count[0]} operations and {count[1]} schemas checked, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
