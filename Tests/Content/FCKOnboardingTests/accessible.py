"""Prints what assistive technology sees of a window: one line of JSON for each object, with its depth, role, name,
description and states, and then a line with the number of the reading. Argument: a text in the title of the window.
It reads the window once for each line of its input.

Runs in a private session bus (dbus-run-session), beside the program that shows the window.
"""

import json
import sys
import time
import warnings

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

# The bindings call their own functions deprecated.
warnings.simplefilter("ignore")

STATES = {
    "focusable": Atspi.StateType.FOCUSABLE,
    "focused": Atspi.StateType.FOCUSED,
    "checked": Atspi.StateType.CHECKED,
    "required": Atspi.StateType.REQUIRED,
    "invalid": Atspi.StateType.INVALID_ENTRY,
    "showing": Atspi.StateType.SHOWING,
}


def find(title):
    """The window, which may not be there yet."""
    for _ in range(600):
        desktop = Atspi.get_desktop(0)
        for index in range(desktop.get_child_count()):
            application = desktop.get_child_at_index(index)
            for number in range(application.get_child_count() if application else 0):
                window = application.get_child_at_index(number)
                if window and title in (window.get_name() or ""):
                    return window
        time.sleep(0.1)
    sys.exit("no window with the title " + title)


def show(node, depth):
    if depth > 60:
        return
    states = node.get_state_set()
    actions = node.get_action_iface()
    print(json.dumps({
        "depth": depth, "role": node.get_role_name(), "name": node.get_name() or "",
        "description": node.get_description() or "",
        "states": [name for name, state in STATES.items() if states.contains(state)],
        "actions": [actions.get_action_name(index) for index in range(actions.get_n_actions())] if actions else [],
    }, ensure_ascii=False), flush=True)
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child:
            show(child, depth + 1)


window = find(sys.argv[1])
for number, _ in enumerate(sys.stdin, 1):
    window.clear_cache()
    show(window, 0)
    print(json.dumps({"reading": number}), flush=True)
