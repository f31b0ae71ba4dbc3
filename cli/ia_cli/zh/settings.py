"""Chinese of what the settings are for, and of the headings of `ia --help`."""

CATALOG = {
    "a server of yours that is asked instead of the hosts: RELAY/HOST/PATH": "你自己的服务器，代替各主机接受请求：RELAY/HOST/PATH",
    "how many years of bars a first sync fetches": "首次同步取多少年的 K 线",
    "how what is sold is costed": "卖出成本的计算方法",
    "commission of your broker, per cent of the amount": "券商佣金，占成交额的百分比",
    "least commission of a trade": "每笔最低佣金",
    "money that you invest with, where no deposit is in the ledger: `100000 CNY`": "账本里没有入金时的投资本金：`100000 CNY`",
    "largest part of the account in one security": "单只证券占账户的最大比例（%）",
    "loss of a day that is warned of": "当日亏损达到多少时提醒（%）",
    "loss of a day after which nothing is bought": "当日亏损达到多少后不再买入（%）",
    "loss of a position at which selling is recalled": "单只持仓亏损达到多少时提醒止损（%）",
    "hours between two trades in one security": "同一证券两次交易之间的小时数",
    "rise of a day above which a security is not bought": "当日涨幅超过多少不买（%）",
    "Ask": "提问",
    "Prices and the market": "行情与市场",
    "Calculate and draw": "计算与画图",
    "Trades and the account": "交易与账户",
    "Notes and memory": "笔记与记忆",
    "Skills and other programs": "技能与其他程序",
    "Tasks and messages": "任务与消息",
    "This installation": "安装与设置",
}
