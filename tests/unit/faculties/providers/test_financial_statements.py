"""The provider of financial statements, through the router and its program."""

import io
import json

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.faculties.providers import financial_statements
from ia.faculties.providers.answering import answer_one_call
from ia.kernel.errors import BadData, NotFound
from ia.kernel.untrusted import has_only_figures
from support.program import REPO


@pytest.fixture
def demo(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-06-14T16:00+08:00")


@pytest.fixture
def scope(ws):
    return Scope(ws, actor="model x")


@pytest.fixture
def call(put, ws, scope, demo):
    for name, lang in (("financial", ""), ("financial", ".en")):
        text = (REPO / f"profiles/invest/.claude/providers/{name}/PROVIDER{lang}.md").read_text(encoding="utf-8")
        (put(name, "x: y") / "PROVIDER.md").write_text(text, encoding="utf-8")
        router = Router(catalog.provider_tools(ws))
        assert {tool.name for tool in catalog.provider_tools(ws)} == {
            f"financial.{kind}" for kind in ("income", "balance", "cashflow")
        }
    return lambda kind, **arguments: router.call_tool(scope, f"financial.{kind}", arguments)


@pytest.mark.process
def test_a_model_reads_figures_and_not_text_from_outside(call, scope):
    told = call("cashflow", symbol="600519", periods=2).value
    assert (told["symbol"], told["unit"], told["source"], told["simulated"]) == ("600519.SH", "yuan", "demo", True)
    newest, before = told["reports"]
    assert (newest["period"], newest["basis"], newest["currency"]) == ("2024-03-31", "year-to-date", "CNY")
    assert (before["period"], before["basis"]) == ("2023-12-31", "annual")
    year = told["twelve_months"]
    assert (year["period"], year["basis"], year["published"]) == ("2024-03-31", "ttm", newest["published"])
    assert year["free_cash_flow"] == pytest.approx(year["operating_cash_flow"] - year["capital_expenditure"])
    assert call("balance", symbol="600519").value["reports"][0]["basis"] == "period-end"
    assert "twelve_months" not in call("balance", symbol="600519").value
    assert isinstance(call("income", symbol="600519", periods=12).value, dict)
    assert not scope.tainted


@pytest.mark.process
def test_a_failure_keeps_its_class_and_hands_no_text_to_a_model(call, scope, ws):
    failure = call("cashflow", symbol="SPY").failure
    assert isinstance(failure, NotFound) and "stock" not in str(failure)
    assert not scope.tainted
    user = Router(catalog.provider_tools(ws)).call_tool(
        Scope(ws, actor="user"), "financial.cashflow", {"symbol": "SPY"}
    )
    assert "SPY.US has no financial statements, because it is not a stock" in str(user.failure)
    assert isinstance(call("cashflow", symbol="600519", period="2024-05-31").failure, BadData)


@pytest.mark.process
def test_every_answer_is_made_of_figures(demo):
    for kind in ("income", "balance", "cashflow"):
        for symbol in ("600519", "600036"):
            assert has_only_figures(
                financial_statements.answer_call(f"financial.{kind}", {"symbol": symbol, "periods": 12})
            )


@pytest.mark.parametrize("given, status", [
    ("{", 65), ("[]", 65), ('{"tool": "financial.income"}', 65), ('{"tool": "financial.income", "arguments": {}}', 65),
    ('{"tool": "financial.income", "arguments": {"symbol": "中国"}}', (65, 66)),
    ('{"tool": "financial.income", "arguments": {"symbol": "SPY"}}', 66),
])  # fmt: skip
def test_the_program_ends_as_the_contract_says(demo, monkeypatch, capsys, given, status):
    monkeypatch.setattr("sys.stdin", io.StringIO(given))
    assert answer_one_call(financial_statements.answer_call) in (status if isinstance(status, tuple) else (status,))
    told = capsys.readouterr()
    assert told.out == "" and len(told.err.splitlines()) == 1


def test_its_complaint_is_in_the_users_language(demo, monkeypatch, capsys):
    monkeypatch.setenv("IA_LANG", "zh")
    monkeypatch.setattr(
        "sys.stdin", io.StringIO(json.dumps({"tool": "financial.income", "arguments": {"symbol": "SPY"}}))
    )
    assert answer_one_call(financial_statements.answer_call) == NotFound.status
    assert capsys.readouterr().err == "SPY.US 没有财务报表：它不是股票\n"
