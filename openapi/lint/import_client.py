"""Imports every module of a generated Python client and decodes one event with it."""

import importlib
import pkgutil
import sys
from pathlib import Path

root = Path(sys.argv[1])
sys.path.insert(0, str(root))
package = next(path.parent.name for path in root.glob("*/__init__.py"))
client = importlib.import_module(package)
modules = [module.name for module in pkgutil.walk_packages(client.__path__, f"{package}.")]
for module in modules:
    importlib.import_module(module)

models = importlib.import_module(f"{package}.models")
event = {
    "id": "evt_0123456789abcdef0123456789abcdef",
    "seq": 43,
    "type": "session.status_idle",
    "session_id": "sess_0123456789abcdef0123456789abcdef",
    "session_thread_id": None,
    "run_id": None,
    "created_at": "2026-09-01T10:00:00.123Z",
    "payload": {"stop_reason": "end_turn"},
}
decoded = models.EventPage.from_dict({"data": [event], "next_page": None}).data[0]
assert isinstance(decoded, models.SessionStatusIdleEvent), type(decoded)
assert decoded.payload.stop_reason == "end_turn"
print(f"{len(modules)} modules of {package} imported")
