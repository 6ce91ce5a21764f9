"""Drives the built-in deployments of a fresh server, so that there is something of every kind to ask for, and writes down
what there is. None of these calls counts for the table."""

import json
import sys
import time
import urllib.error
import urllib.request

PATIENCE_SECONDS = 60
SETTLED = {"idle", "completed", "failed", "canceled"}


class Server:
    def __init__(self, announcement):
        self.url = announcement["url"]
        self.key = announcement["api_key"]
        self.principal = announcement["principal_id"]
        self.workspace = announcement["workspace_id"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.key}", "Checkfu-Version": "2026-08-31"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise SystemExit(f"the prologue's {method} {path} got {error.code}: {error.read().decode()}") from error

    def everything(self, path):
        items, page = [], None
        while True:
            got = self.call("GET", f"{path}?page={page}" if page else path)
            items += got["data"]
            page = got["next_page"]
            if page is None:
                return items

    def create(self, deployment):
        body = {"agent_deployment_id": deployment, "principal_id": self.principal}
        return self.call("POST", "/v1/sessions", body)["id"]

    def post(self, session, kind, **payload):
        payload |= {"authored_by": self.principal, "caused_by": {"kind": "api"}}
        return self.call("POST", f"/v1/sessions/{session}/events", {"type": kind, "payload": payload})

    def say(self, session, text="Go ahead."):
        self.post(session, "user.message", content=[{"type": "text", "text": text}])

    def until(self, what, holds):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise SystemExit(f"the prologue waited {PATIENCE_SECONDS} s for {what}")
            time.sleep(0.02)

    def status(self, session):
        return self.call("GET", f"/v1/sessions/{session}")["status"]

    def settle(self, session):
        self.until(f"{session} to settle", lambda: self.status(session) in SETTLED)

    def park(self, session):
        self.until(f"{session} to wait", lambda: self.status(session) in {"waiting", "paused"})


def drive(server):
    deployments = {item["name"]: item["id"] for item in server.everything("/v1/agent_deployments")}
    capabilities = {item["id"] for item in server.everything("/v1/capabilities") if item["enabled"]}
    ground = {
        "capabilities": sorted(capabilities),
        "deployments": sorted(deployments.values()),
        "principal": server.principal,
        "workspace": server.workspace,
        "open": [],
        "terminal": [],
        "to_end": {"complete": [], "cancel": []},
        "approvals": [],
        "waits": [],
        "children": [],
        "comparable": [],
        "watches": [],
    }
    sessions = [
        session(server, deployments[name], text)
        for name, text in (("plain", "Hello."), ("tools", "Look around."), ("flaky", "Try."), ("previews", "Think."))
    ]
    ground["open"] += sessions
    for end, times in (("complete", 2), ("cancel", 2)):
        for _ in range(times):
            ended = session(server, deployments["plain"], "The last word.")
            server.call("POST", f"/v1/sessions/{ended}/{end}")
            ground["terminal"].append(ended)
    for ends in ground["to_end"].values():
        ends += [server.create(deployments["plain"]) for _ in range(60)]
    waits(server, deployments, ground)
    children(server, deployments, ground)
    driven = server.create(deployments["outcome"])
    server.post(driven, "user.define_outcome", description="A draft.", rubric={"type": "text", "content": "Whole."})
    server.settle(driven)
    ground["open"].append(driven)
    if "forks" in capabilities:
        for source in sessions:
            fork = server.call("POST", f"/v1/sessions/{source}/fork", {})["id"]
            ground["open"].append(fork)
            ground["comparable"] += [[source, fork], [fork, source]]
    if "watches" in capabilities:
        watch = {
            "source": {"type": "http", "url": "https://example.org/builds/42"},
            "condition": {"type": "equals", "pointer": "/status", "value": "green"},
        }
        for watched in sessions:
            ground["watches"].append([watched, server.call("POST", f"/v1/sessions/{watched}/watches", watch)["id"]])
    every = ground["open"] + ground["terminal"]
    for name, path in (("runs", "runs"), ("threads", "threads")):
        pairs = ((s, item["id"]) for s in every for item in server.everything(f"/v1/sessions/{s}/{path}"))
        ground[name] = list(pairs)
    ground["events"] = {
        s: [{"id": e["id"], "seq": e["seq"]} for e in server.everything(f"/v1/sessions/{s}/events")] for s in every
    }
    return ground


def session(server, deployment, text):
    created = server.create(deployment)
    server.say(created, text)
    server.settle(created)
    return created


def waits(server, deployments, ground):
    """Sessions that wait, each with the answers that it waits for."""
    names = ("approval", "governed_tool", "custom_tool", "several_actions", "question", "twins")
    for _ in range(12):
        for name in names:
            parked = server.create(deployments[name])
            server.say(parked)
            # Children park beside a primary that has settled.
            wanted = 2 if name == "twins" else 1
            server.until(f"{name} to wait", lambda: len(pending(server, parked)) >= wanted)
            server.park(parked)
            ground["open"].append(parked)
            ground["waits"] += [{"session": parked, "name": name, **wait} for wait in pending(server, parked)]
            approvals = server.everything(f"/v1/sessions/{parked}/action_approvals")
            ground["approvals"] += [[parked, item["id"]] for item in approvals]


def pending(server, parked):
    """What a Session waits for, as the payload that answers it. No answer has been given yet."""
    found = []
    for event in server.everything(f"/v1/sessions/{parked}/events"):
        payload = event["payload"]
        child = {"session_thread_id": event["session_thread_id"]}
        if event["type"] == "agent.question":
            found.append({"type": "user.question_answer", "payload": {"question_id": payload["question_id"], "answer": "blue"}})
        elif event["type"] == "agent.tool_use" and payload["evaluated_permission"] == "ask":
            answer = {"tool_use_id": payload["tool_use_id"], "result": "allow", **child}
            found.append({"type": "user.tool_confirmation", "payload": answer})
        elif event["type"] == "agent.tool_use" and payload["kind"] == "custom":
            answer = {"tool_use_id": payload["tool_use_id"], "result": {"ok": True}, **child}
            found.append({"type": "user.custom_tool_result", "payload": answer})
    return found


def children(server, deployments, ground):
    """Sessions whose children have ended their work, to be archived."""
    for _ in range(15):
        parent = server.create(deployments["coordinator"])
        server.say(parent)
        server.until(f"a call of {parent}'s child", lambda: pending(server, parent))
        for wait in pending(server, parent):
            server.post(parent, wait["type"], **wait["payload"])

        def resting():
            threads = server.everything(f"/v1/sessions/{parent}/threads")
            idle = [thread["id"] for thread in threads if thread["parent_thread_id"] and thread["status"] == "idle"]
            return idle if len(idle) == 2 else []

        server.until(f"{parent}'s children to rest", resting)
        server.settle(parent)
        ground["open"].append(parent)
        ground["children"] += [[parent, child] for child in resting()]


if __name__ == "__main__":
    with open(sys.argv[1]) as announcement:
        server = Server(json.loads(announcement.readline()))
    with open(sys.argv[2], "w") as out:
        json.dump(drive(server), out, indent=1)
