"""Names in an expression over bars that stand for something else: figures of a screen, functions without arguments."""

import ast

from ia.kernel.errors import BadData


def check_names(source: str, origin: str) -> None:
    """Refuse names of which the sandbox could only say that it does not know them; `origin` is where they stand.

    A source that does not parse is left to who parses it.

    raises  BadData for `pe < 10` and for `rsi < 30`.
    """
    from ia.organs.compute.array_lane import SERIES
    from ia.organs.compute.functions import FUNCTIONS

    try:
        tree = ast.parse(source.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    nodes = list(ast.walk(tree))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    operands = {part.id for node in nodes for part in _operands(node) if isinstance(part, ast.Name)}
    if all(each.id in FUNCTIONS or each.id in SERIES for each in names) and not operands & FUNCTIONS.keys():
        return  # what the rest needs takes time to load
    from ia.organs.compute.sandbox import NAMES
    from ia.organs.market.screen_columns import find_column

    known = {each.id for each in names if isinstance(each.ctx, ast.Store)} | {*NAMES}
    known |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    for each in names:
        if each.id not in known and each.id not in FUNCTIONS and find_column(each.id) is not None:
            raise BadData(
                "{origin}: {name} is a figure of `ia screen`, which bars do not have",
                origin=origin,
                name=each.id,
                hint="`ia scan` takes a condition on such figures with --where: 'pe < 15 and roe > 10'",
            )
    for operand in (part for node in nodes for part in _operands(node)):
        if isinstance(operand, ast.Name) and operand.id in FUNCTIONS and operand.id not in known:
            raise BadData(
                "{origin}: {name} is a function and needs its arguments",
                origin=origin,
                name=operand.id,
                hint="for example rsi(close, 14); see `ia indicator describe {name}`",
            )


def _operands(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.BinOp():
            return [node.left, node.right]
        case ast.BoolOp():
            return node.values
        case ast.UnaryOp():
            return [node.operand]
    return []
