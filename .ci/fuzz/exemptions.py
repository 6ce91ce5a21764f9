"""Failures that are none, each with its reason. The last lines of a run say how often each was met."""

import json
import os
import re
from dataclasses import dataclass
from typing import Callable

from schemathesis.core.parameters import ParameterLocation

WORKSPACE = re.compile("wksp_[0-9a-f]{32}")
MET = os.environ["CHECKFU_FUZZ_EXEMPTIONS_MET"]


@dataclass(frozen=True)
class Exemption:
    name: str
    check: str
    reason: str
    applies: Callable


def wrong_part(case):
    """What the tool made wrong, or the first of several things."""
    data = case.meta.phase.data
    return data.parameter_location, data.parameter, data.description or ""


def names_no_workspace(case, response):
    """A list over the whole Workspace; below a Session the answer is 404."""
    if "{" in case.path or case.method != "GET":
        return False
    workspace = case.headers.get("Checkfu-Workspace")
    wrong = [place for place, component in case.meta.components.items() if component.mode.is_negative]
    return workspace is not None and not WORKSPACE.fullmatch(workspace) and wrong == [ParameterLocation.HEADER]


def adds_a_header(case, response):
    location, _, description = wrong_part(case)
    return location == ParameterLocation.HEADER and "unexpected properties" in description


EXEMPTIONS = [
    Exemption(
        name="a Workspace that cannot be",
        check="AcceptedNegativeData",
        reason="a malformed identifier is answered as an unknown one, and a Workspace that nobody has holds nothing: its "
        "lists are empty, and what the deployment has enabled is the same for all",
        applies=names_no_workspace,
    ),
    Exemption(
        name="a header more",
        check="AcceptedNegativeData",
        reason="HTTP lets every client, proxy and tracer add headers; a server ignores those that it does not know",
        applies=adds_a_header,
    ),
]


def covers(failure, case, response):
    for exemption in EXEMPTIONS:
        if type(failure).__name__ == exemption.check and exemption.applies(case, response):
            with open(MET, "a") as out:
                json.dump({"name": exemption.name, "operation": case.operation.label}, out)
                out.write("\n")
            return True
    return False
