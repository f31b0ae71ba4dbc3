"""What people type, and what the command line says: the status, and what the hint must name."""

import io
import shlex
import sys

import click
import pytest

from ia_cli import main as command

ROWS = [line for line in r"""
ia                                       | 0  | Trades and the account:
ia help                                  | 0  | Trades and the account:
ia help ohlcv                            | 0  | --adjust
ia help trade buy                        | 0  | --because
ia trade help                            | 0  | deposit
ia ohlcv help                            | 0  | --adjust
ia help nothing                          | 2  | no such command: nothing
ia version                               | 0  | ia 0.
ia -v                                    | 0  | ia 0.
ia --version                             | 0  | ia 0.
ia -V                                    | 0  | ia 0.
ia trade                                 | 0  | deposit
ia ask                                   | 2  | `ia turn "…"`
ia ask "How is CATL?"                    | 2  | `ia turn "…"`
ia price 300750                          | 2  | `ia quote SYMBOL`
ia prices                                | 2  | `ia quote SYMBOL`
ia track 300750                          | 2  | `ia watch add SYMBOL`
ia watchlist                             | 2  | `ia watch list`
ia portfolio                             | 2  | `ia account`
ia holdings                              | 2  | `ia account`
ia positions                             | 2  | `ia account`
ia pnl                                   | 2  | `ia profit`
ia dividends                             | 2  | `ia profit --income`
ia buy 300750 100                        | 2  | `ia trade buy
ia sell 300750 100                       | 2  | `ia trade sell
ia deposit 1000                          | 2  | `ia trade deposit`
ia search rates                          | 2  | `ia recall
ia messages                              | 2  | `ia inbox`
ia gainers                               | 2  | `ia market gainers
ia lhb                                   | 2  | `ia market lhb`
ia northbound                            | 2  | `ia market northbound`
ia believe x                             | 2  | `ia memory believe
ia plot 300750                           | 2  | `ia chart
ia kline 300750                          | 2  | `ia ohlcv
ia update                                | 2  | `ia sync`
ia status                                | 2  | `ia doctor`
ia settings                              | 2  | `ia config list`
ia setup                                 | 2  | `ia init`
ia 持仓                                  | 2  | `ia account`
ia 行情 300750                           | 2  | `ia quote
ia 帮助                                  | 2  | `ia --help`
ia chrat 300750                          | 2  | did you mean ia chart?
ia olhcv 300750                          | 2  | did you mean ia ohlcv?
ia memroy                                | 2  | did you mean ia memory?
ia tradee                                | 2  | did you mean ia trade?
ia versoin                               | 2  | did you mean ia version?
ia How is CATL doing?                    | 2  | `ia turn "How is CATL doing?"`
ia 宁德时代最近怎么样                       | 2  | `ia turn "宁德时代最近怎么样"`
ia 300750                                | 2  | `ia quote 300750.SZ`
ia 茅台                                  | 2  | `ia quote 600519.SH`
ia xyzzy                                 | 2  | `ia --help`
ia trade undo 3                          | 2  | `ia trade void ID
ia trade delete 3                        | 2  | `ia trade void ID
ia trade remove 3                        | 2  | `ia trade void ID
ia trade edit 3                          | 2  | `ia trade correct ID
ia trade add 300750                      | 2  | `ia trade buy
ia trade history                         | 2  | `ia trade list`
ia trade depsoit 100                     | 2  | did you mean ia trade deposit?
ia trade foo                             | 2  | subcommands of `ia trade`: check, buy, sell
ia config show                           | 2  | `ia config list`
ia config remove lang                    | 2  | `ia config unset KEY`
ia config edit                           | 2  | `ia config set KEY VALUE`
ia task add "x"                          | 2  | `ia task propose
ia task delete x                         | 2  | `ia task remove NAME`
ia task logs                             | 2  | `ia task history`
ia market losers                         | 2  | `ia market gainers --losers`
ia market industries                     | 2  | `ia market sectors`
ia session rm x                          | 2  | `ia session delete ID`
ia skill add x                           | 2  | `ia skill install SOURCE`
ia indicator show rsi                    | 2  | `ia indicator describe NAME`
ia soul write x                          | 2  | `ia soul propose
ia ohlcv 300750 --json                   | 2  | this command prints CSV
ia ohlcv 300750 -o x.csv                 | 2  | > FILE`
ia ohlcv 300750 --from 2024-01-01        | 2  | use `--start` instead
ia ohlcv 300750 --since 2024-01-01       | 2  | use `--start` instead
ia ohlcv 300750 --to 2024-01-01          | 2  | use `--end` instead
ia ohlcv 300750 --top 5                  | 2  | use `--limit` instead
ia ohlcv 300750 -c 5                     | 2  | use `--limit` instead
ia ohlcv 300750 --interval 1d            | 2  | use `--period` instead
ia ohlcv 300750 --source sina            | 2  | use `--adapter` instead
ia ohlcv --symbol 300750                 | 2  | without an option: `ia ohlcv 600519`
ia ohlcv 300750 -z                       | 2  | options of `ia ohlcv`: --period
ia ohlcv 300750 --zzz                    | 2  | options of `ia ohlcv`: --period
ia ohlcv 300750 --perido daily           | 2  | did you mean --period?
ia ohlcv 300750 --start                  | 2  | `ia ohlcv … --start DATE`
ia report 300750 -o                      | 2  | `ia report … -o FILE`
ia ohlcv 300750 --now 2024-01-01         | 2  | put it before the command
ia ohlcv 300750 600519                   | 2  | `ia quote` takes several
ia account x                             | 2  | takes no arguments
ia recall x --from 1w                    | 2  | use `--since` instead
ia trade buy 300750 100 80 --reason x    | 2  | use `--because` instead
ia trade buy 300750 100 80 --why x       | 2  | use `--because` instead
ia trade buy 300750 100 80 --fee 5       | 2  | use `--commission` instead
ia approve 1 --force                     | 2  | use `--yes` instead
ia quote --symbol 300750                 | 2  | without an option
ia quote 300750 --csv                    | 2  | piped output is TSV
ia screen 'pe < 9' --order-by pe         | 2  | use `--sort` instead
ia note scratch/x hi there               | 2  | put the text in quotation marks
ia log --limit 1 --since 3/4             | 2  | write 2024-03-04 or 2023-04-03
ia log --since soon                      | 2  | yesterday, -30d, 10:30
ia log --since tomorrow                  | 2  | in the future
ia ohlcv 300750 --start 2024-02-30       | 2  | 20240315, 2024/3/15
ia ohlcv 300750 --start 10:30            | 2  | is a time of day
ia ohlcv 300750 --start 2024-03-16       | 2  | in the future
ia ohlcv 300750 --start 03/04            | 2  | 2024-03-04 or 2023-04-03
ia ohlcv 300750 --start -1w --end -2w    | 2  | is after --end
ia ohlcv 300750 --period 1m              | 2  | --period monthly
ia ohlcv 300750 --period 5min            | 2  | daily (1d, day)
ia market lhb --date 2024-03             | 2  | is a period, not a single day
ia --now someday log                     | 2  | yesterday, -30d, 10:30
ia ohlcv NDSD                            | 2  | 300750.SZ CATL, NDSD.US
ia ohlcv zgyh                            | 2  | 601881.SH China Galaxy Securities, 601988.SH
ia ohlcv 60051                           | 2  | 600519.SH Kweichow Moutai
ia ohlcv 31234                           | 2  | `31234.HK`
ia ohlcv 700                             | 2  | `00700.HK`
ia ohlcv maotia                          | 66 | 600519.SH
ia quote watch                           | 2  | `ia quote --universe watch`
ia ohlcv qqqqq                           | 66 | `QQQQQ.US`
ia config list risk                      | 0  | risk.position_pct
ia config list risk.                     | 0  | risk.position_pct
ia config list nothing                   | 66 | `ia config list`
ia config unset lang                     | 66 | lang is not set
ia config unset nothing                  | 2 | `ia config list`
ia approve                               | 1  |
ia compute close --symbol 300750 --start 1y | 2 | `ia ohlcv SYMBOL --start
ia market gainers --date yesterday       | 2  | `ia --now 2024-03-15 market gainers
ia turn -c hello                         | 66 | there is no session to continue
ia approve all                           | 77 | `ia approve 1 2 --yes`
ia indicator rsi 300750                  | 2  | `ia indicator calc RSI 300750`
ia compute rsi --symbol 300750           | 65 | for example `rsi(close, 14)`
ia compute RSI14 --symbol 300750         | 65 | for example `rsi(close, 14)`
ia compute 'rsi(14)' --symbol 300750     | 65 | for example `rsi(close, 14)`
ia compute 'sma(20)' --symbol 300750     | 65 | for example `sma(close, 20)`
ia compute 300750                        | 2  | `ia compute 300750 'rsi(close, 14)'`
ia compute 300750 'rsi(close, 14)' x     | 2  | too many arguments: x
ia compute 300750 close --symbol 600519  | 2  | two securities given: 300750 and 600519
ia note "some text"                      | 2  | `ia note scratch/ideas 'some text'`
ia note 宁德时代产能利用率下降               | 2  | `ia note scratch/ideas
ia memory observe "宁德时代 产能利用率下降"  | 2  | `ia memory observe '宁德时代' '产能利用率下降'`
ia provider add http://x                 | 77 | only https, ssh and file
ia screen 'rsi < 30'                     | 65 | rsi(close, 14) < 30
ia screen 'dividend > 3'                 | 65 | `ia screen --columns`
ia task propose 'remind me tomorrow at 9' | 65 | the job is missing
ia quote --universe watch                | 66 | `ia watch add 600519`
ia quote --universe held                 | 66 | `ia trade buy`
ia trade deposit 10x                     | 2  | is not a number
ia trade deposit 万                      | 2  | is not a number
ia approve x                             | 2  | `ia pending` lists them
ia approve 1 2                           | 66 | proposal 1 does not exist
""".splitlines() if line.strip()]  # fmt: skip
WORK = [line for line in r"""
ia ohlcv CATL --start -5d -n 1           | 2024-03-15
ia ohlcv ndsd --start yesterday --end yesterday | 2024-03-14
ia ohlcv 300750 --start 20240314 --end 2024/3/14 | 2024-03-14
ia ohlcv moutai --period 1w --limit 1    | 2024-03-15
ia ohlcv byd --period month --start 2024-02 --end 2024-02 | 2024-02-29
ia ohlcv ningdeshidai --start ytd --end 01-02 | 2024-01-02
ia ohlcv ３００７５０ --start 前天 -n 1  | 2024-03-15
ia ohlcv 300750 --start 3月14日 -n 2     | 2024-03-14
ia trade deposit 10万                    | 100000.00 CNY
ia trade deposit 1.5亿                   | 150000000.00 CNY
ia compute 300750 'close > 0'            | true
ia compute 茅台 'close > 0'              | true
ia indicator calc RSI 300750             | "value"
ia chart 300750 --indicator ma20 -n 20   | sma(close, 20)
ia chart 300750 --panes RSI,MACD --last 20 | RSI
ia config set model foo                  |
ia --now 昨天 config get risk.position_pct | 20
""".splitlines() if line.strip()]  # fmt: skip


@pytest.fixture
def typed(monkeypatch, capsys):
    """Run a command line in this process; return status, standard output and standard error."""
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))

    def run(line):
        status = command.run_command_line(shlex.split(line)[1:])
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[0].strip())
def test_what_is_typed_ends_in_its_status_and_says_what_to_type(typed, row):
    line, status, wanted = (part.strip() for part in row.split("|", 2))
    got, out, err = typed(line)
    assert got == int(status), err
    assert wanted in out + err
    if got > 1:
        assert not out
        lines = [text for text in err.splitlines() if "simulated prices" not in text and "bars" not in text]
        assert lines[0].startswith("ia: ")
        assert len(lines) <= 2
        assert "Traceback" not in err and "internal error" not in err


@pytest.mark.parametrize("row", WORK, ids=lambda row: row.split("|")[0].strip())
def test_what_people_write_works(typed, row):
    line, wanted = (part.strip() for part in row.rsplit("|", 1))
    status, out, err = typed(line)
    assert status == 0, err
    assert wanted in out


@pytest.mark.parametrize("row", ROWS[::7], ids=lambda row: row.split("|")[0].strip())
def test_hints_are_told_in_chinese_too(typed, row, monkeypatch):
    monkeypatch.setenv("IA_LANG", "zh")
    status, _, err = typed(row.split(" | ")[0].strip())
    if status > 1:
        assert any("\u4e00" <= char <= "\u9fff" for char in err.splitlines()[0])


@pytest.mark.parametrize(
    ("word", "known", "near"),
    [
        ("ask", ["task"], ""), ("version", ["session"], ""), ("-n", ["--now", "-s"], ""), ("--since", ["--json"], ""),
        ("--reason", ["--json"], ""), ("sector", ["st"], ""), ("dividend", ["kind"], ""), ("rsi", ["price"], ""),
        ("chat", ["chart"], "chart"), ("chrat", ["chart"], "chart"), ("acount", ["account"], "account"),
        ("--strat", ["--start", "--strict"], "--start"), ("quotes", ["quote"], "quote"), ("wach", ["watch"], "watch"),
        ("--ajust", ["--adjust"], "--adjust"), ("compte", ["compute"], "compute"), ("x", ["y"], ""), ("", ["a"], ""),
    ],
)  # fmt: skip
def test_only_what_is_near_is_offered(word, known, near):
    from ia_cli.terminal.hints import find_closest

    assert find_closest(word, known) == near


def test_part_of_a_holding_is_sold_by_its_share(typed):
    typed("ia trade deposit 10万")
    assert typed("ia trade buy CATL 400 80 --date 2024-03-01")[0] == 0
    assert "200 @ 85" in typed("ia trade sell ndsd 50% 85 --date 2024-03-11")[1]
    status, _, err = typed("ia trade sell 300750 33.3% 85 --date 2024-03-13")
    assert status == 2 and "give the number of shares" in err
    assert typed("ia trade buy 300750 all 85 --date 2024-03-13")[0] == 2
    assert "85" in typed("ia trade sell 300750 all 85 --date 2024-03-14")[1]
    assert typed("ia trade sell 300750 100 85 --date 2024-03-15")[0] == 77


def test_every_indicator_has_an_example_that_computes():
    from ia.organs.compute.calculate import calculate_expression
    from ia.organs.compute.indicators import REGISTRY, example_call
    from ia.organs.ohlcv.canonical import Bars

    days = [f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]
    bars = Bars.from_rows([(day, 10.0, 11.0, 9.0, 10.0 + at % 7 / 10, 1000) for at, day in enumerate(days)])
    for name in REGISTRY:
        call = example_call(name)
        assert calculate_expression(call, lambda: bars, trusted=True, timeout=60, isolation="prefer"), call


def test_a_reflection_has_one_heading(ws, monkeypatch):
    from ia.organs.memory import writing

    monkeypatch.setenv("IA_NOW", "2024-03-05T09:10")
    writing.add_reflection(ws, "## 2024-03-05 教练反馈\n\n追高")
    writing.add_reflection(ws, "没有标题")
    text = ws.read("memory/reflections/2024-03.md")
    assert "## 2024-03-05 09:10 教练反馈\n\n追高" in text
    assert "## 2024-03-05 09:10\n\n没有标题" in text
    assert text.count("## ") == 2


def test_simulated_prices_are_told_in_two_lines_at_most(typed):
    for symbol in ("AAPL", "MSFT", "00700.HK"):
        typed(f"ia ohlcv {symbol}")
    _, _, err = typed("ia quote AAPL MSFT 00700.HK")
    assert err.count("simulated prices") <= 2
    assert "MSFT.US, 00700.HK also come from the demo market" in err
    assert "MSFT" not in typed("ia ohlcv AAPL")[2]


def test_all_proposals_are_asked_about_one_by_one(ws, typed, monkeypatch):
    from ia.kernel import proposals

    for text in ("- short\n", "- shorter\n"):
        proposals.propose(ws, "preference", "memory/preferences.md", text, because="")
    assert typed("ia approve all --yes")[0] == 77
    assert typed("ia approve all")[0] == 77
    assert typed("ia approve 1 9 --yes")[0] == 66
    assert [found.id for found in proposals.pending_proposals(ws)] == [
        1,
        2,
    ]  # nothing was carried out before the wrong number
    assert typed("ia approve")[0] == 0
    assert typed("ia approve 2 1 --yes")[0] in (0, 77)


def test_the_help_lists_each_command_once(typed):
    from ia_cli.main import COMMANDS, GROUPS

    _, out, _ = typed("ia")
    listed = [line.split()[0] for line in out.splitlines() if line.startswith("  ") and not line.startswith("   ")]
    for name in COMMANDS:
        assert listed.count(name) == 1, name
    named = [name for names in GROUPS.values() for name in names]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"a":' * 50_000 + "1" + "}" * 50_000, "[" * 5_000 + "]" * 5_000])
@pytest.mark.parametrize(
    "words", [("tool", "call", "notebook.list"), ("provider", "test", "calendar", "calendar.next")]
)
def test_arguments_that_nest_without_end_are_told_in_plain_words(typed, words, nested):
    status, out, err = typed(shlex.join(["ia", *words, nested]))
    assert (status, out) == (2, "")
    assert err.splitlines()[0] == "ia: the arguments are nested too deeply" and len(err.splitlines()) == 2


@pytest.mark.parametrize("depth", [100, 300, 600])
def test_arguments_that_nest_far_reach_the_tool_and_are_refused(typed, depth):
    nested = '{"directory": ' + "[" * depth + "]" * depth + "}"
    status, out, err = typed(shlex.join(["ia", "tool", "call", "notebook.list", nested]))
    assert (status, out) == (65, "")
    assert err.startswith("ia: notebook.list: ") and len(err.splitlines()) <= 2


def test_every_word_that_leads_to_a_command_leads_to_one_that_is_there():
    from ia_cli.main import cli
    from ia_cli.terminal.synonyms import COMMANDS as SYNONYMS

    for word, lines in SYNONYMS.items():
        for line in filter(None, lines.split("`, `")):
            program, *names = line.split()
            command, at = cli, 0
            while isinstance(command, click.Group) and at < len(names) and not names[at].startswith("-"):
                found = command.get_command(click.Context(command), names[at])
                if found is None:
                    break
                command, at = found, at + 1
            known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
            options = {name for name in names[at:] if name.startswith("--")}
            assert (
                program == "ia" and (at or names[0].startswith("-")) and options <= known | {"--version", "--help"}
            ), (word, line)
