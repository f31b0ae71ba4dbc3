"""A model of `llm` in this process that says what a function says: for tests that ask it hundreds of times.

with scripted(lambda asked: Said(calls=[("memory_log", {"content": "…"})])) as model:
    …                                   # `-m scripted` is now this function
    model.asked[0].text                 # the newest message of the user
"""

import contextlib
from dataclasses import dataclass, field

import llm
from llm.plugins import pm

MODEL = "scripted"


@dataclass
class Said:
    """What the model answers: text, calls as (name, arguments); `fails`: it raises that instead."""

    text: str = ""
    calls: list = field(default_factory=list)
    fails: Exception | None = None


@dataclass
class Asked:
    """What the model was asked: the newest message of the user, and what its calls gave since."""

    text: str
    results: list[str]
    system: str
    tools: list[str]


class Scripted(llm.Model):
    model_id = MODEL
    can_stream = False
    supports_tools = True

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def execute(self, prompt, stream, response, conversation=None):
        texts = {"user": "", "system": ""}
        results = []
        for message in prompt.messages:
            told = "".join(getattr(part, "text", "") or "" for part in message.parts)
            if message.role in texts and told:
                texts[message.role] = told
                results = []
            if message.role == "tool":
                results += [part.output for part in message.parts]
        asked = Asked(texts["user"], results, texts["system"], [tool.name for tool in prompt.tools])
        self.asked.append(asked)
        said = self.answer(asked)
        if said.fails:
            raise said.fails
        for at, (name, arguments) in enumerate(said.calls):
            response.add_tool_call(llm.ToolCall(name=name, arguments=arguments, tool_call_id=f"call_{at}"))
        response.set_usage(input=100, output=10)
        yield said.text


@contextlib.contextmanager
def scripted(answer):
    """Register the model until the block ends."""
    model = Scripted(answer)

    class Plugin:
        __name__ = "scripted"

        @llm.hookimpl
        def register_models(self, register):
            register(model)

    plugin = Plugin()
    pm.register(plugin, name="scripted")
    try:
        yield model
    finally:
        pm.unregister(name="scripted")
