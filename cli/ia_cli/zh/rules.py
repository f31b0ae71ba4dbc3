"""Chinese of the exchanges' rules."""

CATALOG = {
    "no rule for {what} of {market} is known before {since}": "{market} 的规则 {what} 在 {since} 之前未收录",
    "give the fees as they stand in the statement": "请按对账单直接填写费用",
    "{quantity} is not a quantity": "{quantity} 不是有效数量",
    "{symbol} is not traded in parts of a share: {quantity}": "{symbol} 不能买卖不足一股的部分：{quantity}",
    "{symbol} is bought in orders of at least {least}: {quantity} is too few": "{symbol} 单笔买入至少 {least}：{quantity} 太少",
    "{symbol} is bought in lots of {least}: {quantity} is not a multiple": "{symbol} 须按 {least} 的整数倍买入：{quantity} 不是整数倍",
    "{symbol} is sold in orders of at least {least}, or all of it: {quantity} is too few": "{symbol} 单笔卖出至少 {least}，不足时须一次卖完：{quantity} 太少",
    "{symbol} is sold in lots of {least}: {quantity} is not a multiple": "{symbol} 须按 {least} 的整数倍卖出：{quantity} 不是整数倍",
    "{symbol} is sold in lots of {least}, an odd rest of {rest} at once: {quantity} is neither": "{symbol} 须按 {least} 的整数倍卖出，零股 {rest} 须一次卖出：{quantity} 都不符",
}
