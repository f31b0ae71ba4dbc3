"""Chinese of the risk guard."""

CATALOG = {
    "position limit: {value} > {limit}": "仓位超限: {value} > {limit}",
    "{name}: {value!r} is not a limit": "{name}：{value!r} 不是可用的上限",
}
