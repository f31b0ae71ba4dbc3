"""ia for users of `llm`: the model `ia-offline`, and ia's tools for any model: `llm -T ia_ohlcv -T ia_compute …`.

`llm` loads this with every one of its commands, so nothing of ia is imported before it is needed.
"""

from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import llm

if TYPE_CHECKING:
    from ia.agent.tools.registry import Tool
    from ia.agent.tools.router import Router
    from ia.agent.tools.scope import Scope

SHORT = {
    "market.ohlcv": "ia_ohlcv",
    "compute.run": "ia_compute",
    "memory.recall": "ia_recall",
    "notebook.write": "ia_note_write",
}
"""Names that are typed by hand; the others are ia_ORGAN_VERB."""
ORIGIN = "llm"
"""Where the words of llm's models come from, as notes and proposals say it."""


class Offline(llm.Model):
    """The embedded analyst, imported when it is asked."""

    model_id = "ia-offline"
    can_stream = True
    supports_tools = True
    supports_schema = True

    def execute(
        self, prompt: llm.Prompt, stream: bool, response: llm.Response, conversation: llm.Conversation | None = None
    ) -> Iterator[Any]:
        """Yield what the analyst says."""
        yield from _answer(prompt, response)


class AsyncOffline(llm.AsyncModel):
    """The same for `llm --async`."""

    model_id = Offline.model_id
    can_stream = True
    supports_tools = True
    supports_schema = True

    async def execute(
        self,
        prompt: llm.Prompt,
        stream: bool,
        response: llm.AsyncResponse,
        conversation: llm.AsyncConversation | None = None,
    ) -> AsyncGenerator[Any, None]:
        """Yield what the analyst says."""
        for piece in _answer(prompt, response):
            yield piece


def _answer(prompt: llm.Prompt, response: llm.Response | llm.AsyncResponse) -> list[str]:
    """Return the pieces of the analyst's reply; the calls that it needs instead are added to the response."""
    from ia.agent.analyst.offline import answer_prompt

    answer = answer_prompt(prompt)
    for call in answer.calls:
        response.add_tool_call(llm.ToolCall(name=call.name, arguments=call.arguments, tool_call_id=call.tool_call_id))
    response.set_usage(input=answer.read, output=answer.written)
    response.left_out, response.understood = answer.left_out, answer.understood  # type: ignore[union-attr]
    return answer.pieces


@llm.hookimpl
def register_models(register: Any) -> None:
    """Register the embedded analyst."""
    register(Offline(), AsyncOffline())


@llm.hookimpl
def register_tools(register: Any) -> None:
    """Register every tool of the workspace (IA_HOME), each through the one router."""
    desk = _LlmDesk()
    for tool in desk.router.tools.values():
        register(desk.wrap_tool(tool))


class _LlmDesk:
    """The calls of one `llm` process: they share a scope, so that fetched prices reach ia_compute."""

    def __init__(self) -> None:
        import threading

        from ia.agent.tools import catalog
        from ia.kernel.workspace import Workspace
        from ia.wiring.indexing import register_indexes
        from ia.wiring.stored_names import register_names

        register_indexes()
        register_names()
        self._ws = threading.local()
        self._ws.it = Workspace()
        self._guard = threading.Lock()
        self._scope: Scope | None = None
        self.router: Router = catalog.build_router(self._ws.it)

    def wrap_tool(self, tool: "Tool") -> llm.Tool:
        """Return a tool of ia as one of llm's."""

        def implementation(**arguments: object) -> str:
            return self._call_tool(tool, arguments)

        name = SHORT.get(tool.name, f"ia_{tool.wire_name}")
        return llm.Tool(name, tool.description, tool.schema, implementation)

    def _call_tool(self, tool: "Tool", arguments: Mapping[str, object]) -> str:
        """Call a tool, one at a time; a thread has a connection to the databases of its own."""
        from ia.agent.tools.scope import Scope
        from ia.kernel.workspace import Workspace

        with self._guard:
            if not hasattr(self._ws, "it"):
                self._ws.it = Workspace()
            if self._scope is None:
                # What the model was given is not ours to know (`curl page | llm …`): its words are outside text.
                self._scope = Scope(self._ws.it, actor="llm", own=ORIGIN, origins=[ORIGIN], connection=True)
            self._scope.ws = self._ws.it
            return self.router.call_tool(self._scope, tool.name, arguments).format_text()
