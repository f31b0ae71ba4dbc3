"""A server of tools that speaks MCP over stdio itself: the package `mcp` takes a second of the processor to load.

A program serves its functions with `serve({"add": add}, read_only={"add"})`. What the package says of a function, this
says, too: its docstring, a schema of its parameters, its value as text and as structure, and an exception as an error.
"""

import inspect
import json
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any

TYPES = {str: "string", int: "integer"}


def serve(tools: Mapping[str, Callable[..., Any]], read_only: Collection[str] = ()) -> None:
    """Answer the requests on standard input until its end, each in a thread of its own."""
    writing = threading.Lock()

    def answer(request: dict[str, Any]) -> None:
        given = request.get("params") or {}
        match request["method"]:
            case "initialize":
                about = {"name": "small", "version": "1"}
                version = given["protocolVersion"]
                result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
            case "tools/list":
                result = {"tools": [_describe(name, tools[name], name in read_only) for name in tools]}
            case "tools/call":
                result = _call(tools, given["name"], given.get("arguments") or {})
            case _:
                result = {}
        with writing:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)

    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and "method" in request:
            threading.Thread(target=answer, args=(request,), daemon=True).start()


def _describe(name: str, function: Callable[..., Any], reads: bool) -> dict[str, Any]:
    fields = inspect.signature(function).parameters.values()
    schema = {
        "type": "object",
        "properties": {each.name: {"type": TYPES[each.annotation]} for each in fields},
        "required": [each.name for each in fields if each.default is each.empty],
    }
    said = {"name": name, "description": inspect.getdoc(function), "inputSchema": schema}
    return said | ({"annotations": {"readOnlyHint": True}} if reads else {})


def _call(tools: Mapping[str, Callable[..., Any]], name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if name not in tools:
        return {"content": [{"type": "text", "text": f"Unknown tool: {name}"}], "isError": True}
    try:
        value = tools[name](**arguments)
    except Exception as exc:
        return {"content": [{"type": "text", "text": f"Error executing tool {name}: {exc}"}], "isError": True}
    text = value if isinstance(value, str) else json.dumps(value)
    structure = value if isinstance(value, dict) else {"result": value}
    return {"content": [{"type": "text", "text": text}], "structuredContent": structure, "isError": False}
