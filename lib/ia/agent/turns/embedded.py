"""The embedded analyst as the loop talks to it: the like of llm's models and messages, as far as the loop uses them.

llm takes several times as long to load as an answer from the ledger takes in all, and the analyst needs nothing of it.
For users of `llm` the same analyst is a model of llm (ia.reach.bridges.llm_plugin).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ia.agent.analyst.offline import MODEL_ID, AnalystCall, Answer, BegunWork, answer_prompt
from ia.kernel.jsontypes import Json


class EmbeddedTool(NamedTuple):
    """A tool on offer."""

    name: str
    description: str
    input_schema: Json


@dataclass
class EmbeddedResult:
    """What came of a call."""

    name: str
    output: str
    tool_call_id: str


class TextPart(NamedTuple):
    """Text in a message."""

    text: str


class EmbeddedMessage(NamedTuple):
    """A message of a role (system, user, assistant, tool): texts, calls and results."""

    role: str
    parts: list[Any]


class TextEvent(NamedTuple):
    """A piece of a reply."""

    chunk: str
    type: str = "text"
    tool_call_id: str | None = None


class EstimatedUsage(NamedTuple):
    """The tokens of a prompt and of the answer, estimated."""

    input: int
    output: int


class EmbeddedPrompt(NamedTuple):
    """A question with all that was said before it; the system prompt is the first of the messages."""

    messages: list[EmbeddedMessage]
    tools: list[EmbeddedTool]
    system: str = ""
    schema: None = None


class EmbeddedAnalyst:
    """The analyst as a model. It needs no key, no network and no other model."""

    model_id = MODEL_ID
    can_stream = True
    rounds = 100
    """Rounds of calls: its work is finite and costs nothing, so that `turn.max_steps` is not for it."""

    def conversation(self, tools: list[EmbeddedTool] | None = None) -> "EmbeddedConversation":
        """Return a new conversation."""
        return EmbeddedConversation(tools or [])


@dataclass
class EmbeddedConversation:
    """A conversation: the messages so far are `loaded_messages`, and grow with each answer.

    begun  the work that waits for the results of its calls
    """

    tools: list[EmbeddedTool]
    loaded_messages: list[EmbeddedMessage] = field(default_factory=list)
    begun: BegunWork | None = None

    def prompt(
        self, prompt: str | None, *, system: str | None, tool_results: list[EmbeddedResult] | None, stream: bool
    ) -> "EmbeddedResponse":
        """Return the response to a question, or to the results of calls. It is worked out when it is read.

        The system prompt is among the messages already, and pieces of a reply come one by one in any case.
        """
        messages = list(self.loaded_messages)
        if tool_results:
            messages.append(EmbeddedMessage("tool", list(tool_results)))
        if prompt:
            messages.append(EmbeddedMessage("user", [TextPart(prompt)]))
        return EmbeddedResponse(self, EmbeddedPrompt(messages, self.tools))


class EmbeddedResponse:
    """An answer, complete once its events were read."""

    def __init__(self, conversation: EmbeddedConversation, prompt: EmbeddedPrompt) -> None:
        self.prompt = prompt
        self._conversation = conversation
        self._answer = Answer()

    def stream_events(self) -> Iterator[TextEvent]:
        """Yield the reply piece by piece."""
        self._answer = answer_prompt(self.prompt, self._conversation.begun)
        self._conversation.begun = self._answer.begun
        for piece in self._answer.pieces:
            yield TextEvent(piece)
        text = "".join(self._answer.pieces)
        said: list[Any] = [*([TextPart(text)] if text else []), *self.tool_calls()]
        self._conversation.loaded_messages = [*self.prompt.messages, EmbeddedMessage("assistant", said)]

    @property
    def left_out(self) -> list[Any]:
        """The parts of the reply that a bug has cost."""
        return list(self._answer.left_out)

    @property
    def understood(self) -> bool:
        """Whether the analyst made anything of the question."""
        return self._answer.understood

    @property
    def offers(self) -> tuple[str, ...]:
        """The questions near to one that it did not understand which it can answer."""
        return self._answer.offers

    def tool_calls(self) -> list[AnalystCall]:
        """Return the calls that it needs next."""
        return list(self._answer.calls)

    def usage(self) -> EstimatedUsage:
        """Return its tokens."""
        return EstimatedUsage(self._answer.read, self._answer.written)
