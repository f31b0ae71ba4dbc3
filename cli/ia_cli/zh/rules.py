"""Chinese of the exchanges' rules."""

CATALOG = {
    "no rule for {what} of {market} is known before {since}": "{since} 之前 {market} 的 {what} 规则未知",
    "give the fees as they stand in the statement": "请按对账单直接给出费用",
    "{quantity} is not a quantity": "{quantity} 不是数量",
    "{symbol} is bought in lots of {least}": "{symbol} 每手 {least} 股",
}
