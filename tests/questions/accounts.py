"""Accounts of ten weeks, by the commands that make them: what the tables of reviewers are asked about."""

_FIRST = """
watch add 002594 --group ev
watch add 300750 --group batteries --because "below 150"
watch add 600519 000858 --group liquor
watch add 600900 AAPL 00700.HK
trade deposit 500000 --date 2024-01-02
trade deposit 20000 --currency USD --date 2024-01-02
trade deposit 200000 --currency HKD --date 2024-01-02
trade buy 600036 1000 30 --date 2024-02-01 --because high-dividend
trade buy 600519 100 700 --date 2024-02-05 --because wholesale-price
trade sell 600036 300 31 --date 2024-03-04 --override --because trim
trade buy 601318 500 40 --date 2024-01-10 --because cheap
trade buy 601318 300 41 --date 2024-01-24
trade sell 601318 800 42 --date 2024-02-20 --because target-reached
trade buy 00700.HK 200 280 --date 2024-01-15
trade buy AAPL 30 180 --date 2024-01-16 --because "services growth"
trade buy 300750 200 150 --date 2024-01-22
trade buy 300750 100 160 --date 2024-03-01
alert 600519 "close < 760"
alert 300750 "close > 150"
task approve 4 --yes
task approve 5 --yes
task approve 6 --yes
"""
_FIRST_NOTES = {
    "en": """
note research/moutai/2024-03-08 "Wholesale price firm. My target price for Moutai is 820, stop at 640."
note research/catl/2024-02-28 "CATL: margins hold. Compare with BYD, whose exports rise. What would make me sell: market share below 35%."
note observation/2024-02-21 "Sold Ping An because the target was reached; next time sell in two parts."
note research/byd/2024-03-01 "BYD exports up 40% year on year. I would buy below 80."
""",
    "zh": """
note research/茅台/2024-03-08 批价企稳，渠道库存下降。茅台目标价820，止损640。
note research/宁德/2024-02-28 宁德时代毛利率稳住。和比亚迪对比，后者出口在涨。份额低于35%就卖。
note observation/2024-02-21 平安到目标价卖了，下次分两次卖。
note research/比亚迪/2024-03-01 比亚迪出口同比增长40%，80以下想买。
""",
}

_SECOND = """
watch add 600519 000858 000568 --group liquor
watch add 300750 002594 --group ev --because "{low}"
watch add 601398 600036 --group banks
watch add 688981 AAPL 00700.HK NVDA
trade deposit 400000 --date 2024-01-02
trade deposit 15000 --currency USD --date 2024-01-02
trade deposit 150000 --currency HKD --date 2024-01-03
trade deposit 50000 --date 2024-02-19
trade withdraw 20000 --date 2024-03-06
trade buy 000858 500 60 --date 2024-01-08 --because "{cheap}"
trade buy 600900 1000 15.4 --date 2024-01-09 --because "{payout}"
trade buy 601398 5000 4.13 --date 2024-01-11
trade buy 002594 300 74 --date 2024-01-16 --because "{exports}"
trade buy 00700.HK 200 395 --date 2024-01-17 --because "{games}"
trade buy AAPL 20 218 --date 2024-01-18 --because "{services}"
trade buy NVDA 40 96 --date 2024-01-19
trade sell 002594 100 80.6 --date 2024-02-06 --because "{trim}"
trade buy 688981 300 94 --date 2024-02-20
trade sell 688981 300 101 --date 2024-03-04 --because "{target}"
trade buy 601398 2000 4.5 --date 2024-03-05
trade sell NVDA 20 108 --date 2024-03-07 --because "{half}"
alert 600519 "close < 740"
alert 002594 "close > 82"
task approve 4 --yes
task approve 5 --yes
task approve 6 --yes
"""
_SECOND_NOTES = {
    "en": """
note research/moutai/2024-03-08 "Moutai: wholesale price firm at 2700. I would buy below 700. What would make me change my mind: wholesale price below 2400."
note research/byd/2024-03-01 "BYD exports up 40% year on year. Target price 90, stop at 70."
note research/nvda/2024-02-22 "NVIDIA: data centre revenue tripled; the valuation needs growth of 30% a year."
note observation/2024-03-04 "Sold SMIC at the target. Lesson: sell chips in two halves."
""",
    "zh": """
note research/茅台/2024-03-08 "茅台批价稳在2700。700以下想买。批价跌破2400就改变看法。"
note research/比亚迪/2024-03-01 "比亚迪出口同比增长40%，目标价90，止损70。"
note research/英伟达/2024-02-22 "英伟达数据中心收入翻三倍，估值需要每年30%的增长。"
note observation/2024-03-04 "中芯国际到目标卖了。教训：财报前不买芯片。"
""",
}
_REASONS = {
    "en": {
        "cheap": "cheap against Moutai",
        "payout": "dividend",
        "exports": "exports rise",
        "games": "games licences",
        "services": "services growth",
        "trim": "trim a little",
        "target": "target reached",
        "half": "half the profit home",
        "low": "below 75",
    },
    "zh": {
        "cheap": "比茅台便宜",
        "payout": "高股息",
        "exports": "出口增长",
        "games": "游戏版号",
        "services": "服务收入增长",
        "trim": "减一点",
        "target": "到目标",
        "half": "一半利润落袋",
        "low": "75以下",
    },
}


def list_steps(account: str, lang: str) -> list[str]:
    """Return the arguments of the commands that make an account, first or second, in a language."""
    if account == "first":
        steps = f"{_FIRST}{_FIRST_NOTES[lang]}"
    else:
        steps = _SECOND.format_map(_REASONS[lang]) + _SECOND_NOTES[lang]
    return [step for step in steps.split("\n") if step]
