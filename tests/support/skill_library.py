"""A package with library functions for tools of skills, and skills that use them, for tests."""

import sys
from pathlib import Path

FUNCTIONS = """
import random

from ia.kernel.errors import BadData

asked = []


def plan(date, bed="north", sun=False, lang="en"):
    asked.append((date, bed, sun, lang))
    if date == "never":
        raise BadData("{date} is no date to sow on", date=date)
    if date == "bug":
        raise ZeroDivisionError("a bug")
    return {"date": date, "bed": bed, "rows": [{"plant": "豌豆", "count": 3}, {"plant": "leek", "count": 12}]}


def draw(count=1):
    return {"drawn": random.SystemRandom().sample(range(10), count)}


def bad_card(date):
    return {"date": 5}


def place(ws):
    return {"root": ws.root}


def own_text(date):
    return {"props": {"date": date}, "text": f"own words for {date}"}
"""
GARDEN = """
tools:
  - name: plan_garden
    display_name: 种植计划
    display_name_en: Garden plan
    type: compute
    description: Reckon what to sow
    when_to_call: 用户问种什么
    when_to_call_en: the user asks what to sow
    parameters:
      type: object
      properties:
        date: {type: string, title: 日期, title_en: Date}
        bed: {type: string, enum: [north, south]}
        sun: {type: boolean}
      required: [date]
    slots: {date: plot.date}
    run: garden.plan
    returns: [{name: date, type: string}, {name: rows, type: array}]
  - name: draw_seed
    type: random
    description: Draw seeds
    parameters: {count?: integer}
    run: garden.draw
  - name: show_garden
    type: display
    description: Show the plan
    card_type: garden_plan
    parameters:
      type: object
      title: 种植图
      title_en: Garden chart
      properties:
        date: {type: string, title: 日期, title_en: Date}
        rows:
          type: array
          title: 行
          title_en: Rows
          items:
            type: object
            properties:
              plant: {type: string, title: 植物, title_en: Plant}
              count: {type: integer, title: 株数, title_en: Count}
      required: [date]
  - name: show_bad
    type: display
    card_type: bad
    card_props: {date: string}
    parameters: {date: string}
    run: garden.bad_card
  - name: show_words
    type: display
    card_type: words
    card_props: {date: string}
    parameters: {date: string}
    run: garden.own_text
  - name: read_almanac
    level: core
    type: retrieve
    description: Read the almanac
    parameters: {date: string}
    run: garden.plan
  - name: use_gone
    type: compute
    parameters: {}
    run: garden.gone
"""


def install_functions(folder: Path, monkeypatch) -> list:
    """Install the package `garden-tools`; return the list of what `plan` is asked."""
    info = folder / "garden_tools-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "garden_functions.py").write_text(FUNCTIONS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: garden-tools\nVersion: 1.0\n")
    points = {name: f"garden_functions:{name}" for name in ("plan", "draw", "bad_card", "own_text", "place")}
    lines = [f"garden.{name} = {target}" for name, target in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[ia.tools]", *lines, ""]))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "garden_functions", raising=False)
    import importlib

    return importlib.import_module("garden_functions").asked


def write_skill(home: Path, name: str, files: dict[str, str], front: str = "") -> None:
    """Write a skill with other files beside its SKILL.md."""
    base = home / ".claude" / "skills" / name
    for path, text in {"SKILL.md": f"---\ndescription: {name}\n{front}\n---\nFollow the plan.\n", **files}.items():
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(text)


FORMS = """
forms:
  plot:
    title: 地块信息
    title_en: The plot
    order: [date, bed]
    properties:
      bed:
        title: 花坛
        title_en: Bed
        oneOf: [{const: north, title: 北面, title_en: north side}, {const: south, title: 南面, title_en: south side}]
      date: {type: string, format: date, title: 播种日期, title_en: Sowing date, description: 哪一天播种,
             description_en: the day on which you sow, narrate: "{value}播种", narrate_en: "sown on {value}"}
      size: {type: number, minimum: 1, maximum: 500, title: 面积, title_en: Area, default: 10}
      tools:
        type: array
        title: 工具
        title_en: Tools
        items: {enum: [spade, rake, hose]}
      sunny: {type: boolean, title: 有阳光, title_en: Sunny}
    required: [date, bed]
"""
FORM_TOOLS = """
tools:
  - name: plan_garden
    type: compute
    description: Reckon what to sow
    parameters:
      type: object
      properties: {date: {type: string}, bed: {type: string}}
      required: [date]
    slots: {date: plot.date, bed: plot.bed}
    run: garden.plan
  - name: draw_seed
    type: random
    parameters: {count?: integer}
    run: garden.draw
  - name: ask_plot
    type: collect
    parameters: {}
    form: plot
"""
FRONT = "display_name: 菜园\ndisplay_name_en: Kitchen garden\nrequires: [plot]"
