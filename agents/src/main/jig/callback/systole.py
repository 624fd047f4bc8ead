"""Tells the jig `ansible` what came of a playbook: facts, how many tasks changed something, what failed."""

import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: systole
type: aggregate
short_description: results for Systole's jig ansible
description: Writes the answer, a JSON object in one line, and what is wrong, a line each, to the file SYSTOLE_RESULT.
"""

WRONG_MAX = 20


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "systole"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.wanted = os.environ.get("SYSTOLE_FACTS", "").split()
        self.facts = {}
        self.tasks = {"ok": 0, "changed": 0}
        self.wrong = []
        self.changes = []

    def _name(self, result):
        return result._task.get_name()

    def v2_playbook_on_start(self, playbook):
        # It has been read; secrets may stand in there.
        try:
            os.unlink(os.environ["SYSTOLE_GIVEN"])
        except (KeyError, OSError):
            pass

    def v2_runner_on_ok(self, result):
        self.tasks["ok"] += 1
        if result._result.get("changed"):
            self.tasks["changed"] += 1
            self.changes.append(self._name(result))
        facts = result._result.get("ansible_facts") or {}
        if result._task.action.split(".")[-1] == "set_fact":
            if not result._task.no_log:
                self.facts.update(facts)
        else:
            for name in self.wanted:
                for key in (name, "ansible_" + name):
                    if key in facts:
                        self.facts[name] = facts[key]

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if ignore_errors:
            return
        said = "its output is not shown (no_log)" if result._task.no_log else str(
            result._result.get("stderr") or result._result.get("msg") or "it failed")
        self.wrong.append("%s: %s" % (self._name(result), said))

    def v2_runner_on_unreachable(self, result):
        self.wrong.append("%s: the node cannot be reached" % self._name(result))

    def v2_playbook_on_stats(self, stats):
        if os.environ.get("SYSTOLE_ACTION") == "check":
            self.wrong += ["%s: is not as it should be" % it for it in self.changes]
        answer = {os.environ.get("SYSTOLE_ROLE", "role"): {"facts": self.facts, "tasks": self.tasks}}
        with open(os.environ["SYSTOLE_RESULT"], "w") as file:
            file.write(json.dumps(answer, default=str) + "\n")
            # As they are: the executor knows the secrets, and shortens what it has taken them out of.
            for text in self.wrong[:WRONG_MAX]:
                file.write(text.strip() + "\n")
