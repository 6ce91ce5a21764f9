"""What the tool cannot know: which identifiers exist, which belong together, and what the contract says in words only.

A part of a request that was generated to be right gets values from `ground.json`, which the prologue wrote; a part that
was generated to be wrong stays as it is. Values are chosen by a checksum of what they replace, so a run is a function of
its seed. One identifier in eight stays unknown.
"""

import json
import os
import re
import zlib

import schemathesis
from schemathesis.core.parameters import ParameterLocation

import exemptions

with open(os.environ["CHECKFU_FUZZ_GROUND"]) as file:
    GROUND = json.load(file)

IDENTIFIER = re.compile(r'"id":"([a-z]+_[0-9a-f]{32})"')
NEXT_PAGE = re.compile(r'"next_page":"([^"]+)"')
VERSION = "2026-08-31"
ANSWERS = ("user.tool_confirmation", "user.custom_tool_result", "user.question_answer")

# Identifiers and page tokens that an answer of the server held, so links between operations keep what they carry.
seen = {"ids": set(), "pages": set()}

# Sessions that the tool made itself; no other is ended, so that there is something left to work with.
created = set()


def checksum(value):
    return zlib.crc32(repr(value).encode("utf-8", "surrogatepass"))


def pick(pool, value):
    return pool[checksum(value) % len(pool)]


@schemathesis.hook
def before_load_schema(context, document):
    """The document as this server promises it: identifiers in the exact form that it writes, and of a stream each frame."""
    close(document)
    for path in document["paths"].values():
        for operation in path.values():
            for response in operation.get("responses", {}).values():
                stream = response.get("content", {}).get("text/event-stream")
                if stream:
                    stream["itemSchema"] = frame(stream.pop("schema"))


def close(node):
    if isinstance(node, dict):
        if "x-checkfu-closed-pattern" in node:
            node["pattern"] = node["x-checkfu-closed-pattern"]
        for child in node.values():
            close(child)
    elif isinstance(node, list):
        for child in node:
            close(child)


def frame(schema):
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": schema["contentSchema"]}
    properties = {"id": {"type": "string", "pattern": "^[0-9]+$"}, "event": {"type": "string"}, "data": data}
    return {"type": "object", "required": ["event", "data"], "properties": properties, "additionalProperties": False}


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta is None:
        return
    aim = meta.phase.data.parameter_location

    def right(location):
        # The tool marks a part as wrong beside the one it aims at; then its error would hide the other's.
        return not meta.is_negative_at(location) or (aim is not None and aim != location)

    name = case.operation.definition.raw["operationId"]
    if right(ParameterLocation.PATH) and case.path_parameters:
        place(name, case)
    if right(ParameterLocation.QUERY) and case.query:
        question(name, case)
    if right(ParameterLocation.HEADER) and case.headers:
        address(case)
    if isinstance(case.body, dict):
        enable(name, case.body)
        if right(ParameterLocation.BODY):
            fill(name, case)


@schemathesis.hook
def after_call(context, case, response):
    if 200 <= response.status_code < 300:
        text = response.text
        seen["ids"].update(IDENTIFIER.findall(text))
        seen["pages"].update(NEXT_PAGE.findall(text))
    if response.status_code == 201 and "/watches" not in case.path:
        created.add(response.json()["id"])


@schemathesis.hook
def filter_failure(context, failure, case, response):
    return not exemptions.covers(failure, case, response)


def place(name, case):
    """Names a resource that exists."""
    path = case.path_parameters
    generated = tuple(sorted((key, str(value)) for key, value in path.items()))
    if name in ("completeSession", "cancelSession"):
        if path["session_id"] not in created:
            path["session_id"] = pick(GROUND["to_end"][name.removesuffix("Session")] + ["sess_" + "0" * 32], generated)
        return
    if all(value in seen["ids"] for value in path.values()) or checksum(generated) % 8 == 0:
        return
    if "agent_deployment_id" in path:
        path["agent_deployment_id"] = pick(GROUND["deployments"], generated)
    if "session_id" not in path:
        return
    if "run_id" in path:
        path["session_id"], path["run_id"] = pick(GROUND["runs"], generated)
    elif "action_approval_id" in path:
        path["session_id"], path["action_approval_id"] = pick(GROUND["approvals"], generated)
    elif "watch_id" in path:
        if GROUND["watches"]:
            path["session_id"], path["watch_id"] = pick(GROUND["watches"], generated)
    elif name == "archiveSessionThread":
        path["session_id"], path["thread_id"] = pick(GROUND["children"] + GROUND["threads"], generated)
    elif name == "streamSessionThreadEvents":
        terminal = [pair for pair in GROUND["threads"] if pair[0] in GROUND["terminal"]]
        pool = GROUND["threads"] if checksum(generated) % 4 == 1 else terminal
        path["session_id"], path["thread_id"] = pick(pool, generated)
    elif "thread_id" in path:
        path["session_id"], path["thread_id"] = pick(GROUND["threads"], generated)
    elif name == "streamEvents":
        path["session_id"] = pick(GROUND["open" if checksum(generated) % 4 == 1 else "terminal"], generated)
    elif name == "diffSessions" and GROUND["comparable"]:
        path["session_id"] = pick(GROUND["comparable"], generated)[0]
    else:
        path["session_id"] = pick(GROUND["open"] + GROUND["terminal"][:1], generated)


def question(name, case):
    """A page token is the server's own; `after` and `page` exclude each other."""
    query = case.query
    if "page" in query and query["page"] not in seen["pages"]:
        del query["page"]
    if "after" in query and "page" in query:
        del query["after"]
    if "other" in query and GROUND["comparable"] and checksum(query["other"]) % 8:
        fitting = [right for left, right in GROUND["comparable"] if left == case.path_parameters.get("session_id")]
        if fitting:
            query["other"] = pick(fitting, query["other"])


def address(case):
    """The one version and the one Workspace; one call to a key, unless it is the same call."""
    headers = case.headers
    if "Checkfu-Version" in headers:
        headers["Checkfu-Version"] = VERSION
    if "Checkfu-Workspace" in headers and checksum(headers["Checkfu-Workspace"]) % 8:
        headers["Checkfu-Workspace"] = GROUND["workspace"]
    if "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = f"{headers['Idempotency-Key'][:200]}{checksum(case.body):08x}"


def enable(name, body):
    """What needs a capability that is off is refused before anything else is read."""
    payload = body.get("payload")
    if "prompt_integrity" not in GROUND["capabilities"] and isinstance(payload, dict) and checksum(body) % 8:
        payload.pop("prompt_integrity", None)
    for mounts in ("project_mounts", "memory_mounts"):
        if name == "createSession" and mounts not in GROUND["capabilities"] and checksum(body) % 8:
            body.pop(mounts, None)


def fill(name, case):
    body = case.body
    token = checksum(body)
    if token % 8 == 0:
        return
    if name == "createSession":
        body["agent_deployment_id"] = pick(GROUND["deployments"], token)
        body["principal_id"] = GROUND["principal"]
        if "agent_deployment_revision_number" in body:
            # 1 and 1.0 are one number.
            body["agent_deployment_revision_number"] = type(body["agent_deployment_revision_number"])(1)
    elif name == "postEvent":
        event(case, body, token)
    elif name == "forkSession":
        events = GROUND["events"].get(case.path_parameters.get("session_id"))
        if events and "from" in body:
            chosen = pick(events, token)
            body["from"] = {key: chosen["id" if key == "event_id" else key] for key in body["from"]}
        if token % 4:
            body.pop("checkpoint_id", None)


def event(case, body, token):
    payload = body["payload"]
    if body["type"] in ANSWERS:
        fitting = [wait for wait in GROUND["waits"] if wait["type"] == body["type"]]
        if fitting:
            wait = pick(fitting, token)
            case.path_parameters["session_id"] = wait["session"]
            payload |= {key: value for key, value in wait["payload"].items() if key not in ("result", "answer")}
            if "wait_generation" in payload:
                payload["wait_generation"] = type(payload["wait_generation"])(1)
    if body["type"] in ("user.interrupt", "user.message") and token % 4:
        payload.pop("session_thread_id", None)
        payload.pop("prompt_integrity", None)
    payload["authored_by"] = GROUND["principal"]
