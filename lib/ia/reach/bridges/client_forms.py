"""Forms of skills that an MCP client shows to its user.

A client that can ask its user is given the form; only what the user accepts fills slots. Any other client gets the form
as the result of the call, in words and as data.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ia.agent.tools.router import ToolOutcome
from ia.agent.tools.scope import Scope
from ia.faculties.skills import forms
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from mcp import types

COLLECT = "collect_info"
FORM = "form"
RESULTS_ASK = "2026-07-28"
"""The first version of the protocol in which a result asks for input; before, the server sends a request."""
CallTool = Callable[[str, Json], Awaitable[ToolOutcome]]


async def call_with_forms(
    ctx: Any, params: "types.CallToolRequestParams", call_tool: CallTool, scope: Scope
) -> "ToolOutcome | types.InputRequiredResult":
    """Make a call; where it opens a form, have the client ask its user, and fill in what the user accepts."""
    from mcp import types

    answered = (params.input_responses or {}).get(FORM)
    if isinstance(answered, types.ElicitResult) and params.request_state:
        if answered.action != "accept":
            return await call_tool(COLLECT, {"form": params.request_state})
        return await call_tool(COLLECT, {"form": params.request_state, "answers": answered.content or {}})
    outcome = await call_tool(params.name, params.arguments or {})
    name = open_form_name(outcome)
    if not name or not _can_ask(ctx):
        return outcome
    request = _describe_request(scope, outcome, name)
    if str(ctx.session.protocol_version) >= RESULTS_ASK:
        return types.InputRequiredResult(input_requests={FORM: types.ElicitRequest(params=request)}, request_state=name)
    told = await ctx.session.elicit_form(request.message, request.requested_schema, ctx.request_id)
    if told.action != "accept":
        return outcome
    return await call_tool(COLLECT, {"form": name, "answers": told.content or {}})


def open_form_name(outcome: ToolOutcome) -> str:
    """Return the name of the form that a call has opened; "" where it has opened none."""
    value = outcome.value
    is_open = outcome.ok and isinstance(value, dict) and value.get("status") == "open" and "fields" in value
    return str(value["form"]) if is_open else ""


def _can_ask(ctx: Any) -> bool:
    from mcp import types

    asking = types.ClientCapabilities(elicitation=types.ElicitationCapability())
    return bool(ctx.session.check_client_capability(asking))


def _describe_request(scope: Scope, outcome: ToolOutcome, name: str) -> "types.ElicitRequestFormParams":
    from mcp import types

    ws = Workspace(scope.ws.root)  # this is the thread of the protocol
    form = forms.find_form(ws, name, scope.active)
    filled = {f"{name}.{each['name']}": each["value"] for each in outcome.value["fields"] if "value" in each}
    return types.ElicitRequestFormParams(
        message=form.title(scope.lang), requested_schema=forms.mcp_schema(form, filled, scope.lang)
    )
