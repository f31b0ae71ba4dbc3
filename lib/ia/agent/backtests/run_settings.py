"""What a run depends on besides bars and answers: `run.yaml` of its folder."""

from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation

from ia import __version__
from ia.domain.rules.table import rules_digest
from ia.faculties.lab.exchange import Terms
from ia.kernel.errors import BadData, UsageError
from ia.kernel.formats.yaml import dump_editable, load_yaml
from ia.kernel.jsontypes import Json
from ia.organs.ledger.guard import RiskLimits

FILE = "run.yaml"
KIND = "agent"
MAX_PRESETS = 60_000
"""Characters of all texts that a run is given."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """The settings of a run.

    Attributes:
        created: when the run was planned, by the clock of its user.
        symbols: canonical symbols, in the order in which they were given.
        start, end: the first and the last day that may be a session, YYYY-MM-DD.
        cash: what the account begins with, as decimal text.
        strategy: the strategy in words, with which the playbook begins.
        presets: texts that the run's memory begins with, by path.
        source: the run whose playbook it begins with; "" for none.
        seed: decides ids, the order of securities in prompts from seed 1 on, masks and random agents.
        price: what a million tokens cost: input, output, currency; {} where it is not known.
        cutoff: the last day that the model's training data reaches to: date, source; {} where it is not known.
        bars: a digest of the bars and actions of each security.
        counterfactual: the day from which on the bars are invented, YYYY-MM-DD; "" for none. invention: which one.
        repeats, counterfactuals: how many runs belong to it, itself counted among the repeats.
    """

    created: str
    model: str
    symbols: list[str]
    start: str
    end: str
    cash: str
    lang: str
    strategy: str = ""
    moments: bool = True
    mask: bool = False
    seed: int = 0
    steps: int = 12
    commission_pct: str = "0.025"
    commission_min: str = "5"
    volume_cap_pct: str = "10"
    limits: dict[str, str] = field(default_factory=dict)
    presets: dict[str, str] = field(default_factory=dict)
    source: str = ""
    price: Json = field(default_factory=dict)
    cutoff: Json = field(default_factory=dict)
    max_cost: float | None = None
    max_tokens: int | None = None
    bars: dict[str, str] = field(default_factory=dict)
    counterfactual: str = ""
    invention: int = 0
    repeats: int = 1
    counterfactuals: int = 0

    def terms(self) -> Terms:
        """Return the terms of the broker."""
        return Terms(
            commission_pct=Decimal(self.commission_pct),
            commission_min=Decimal(self.commission_min),
            volume_cap_pct=Decimal(self.volume_cap_pct),
        )

    def risk_limits(self) -> RiskLimits:
        """Return the limits of the risk guard."""
        return RiskLimits(**{name: Decimal(value) for name, value in self.limits.items()})

    def to_yaml(self) -> str:
        """Return the text of run.yaml: nothing in it depends on when or where it is written."""
        head = {
            "kind": KIND,
            "ia": __version__,
            "rules_sha256": rules_digest(),
            "universe": ", ".join(self.symbols[:20]),
        }
        return dump_editable({**head, **asdict(self)})


def parse_settings(text: str, name: str) -> RunSettings:
    """Return the settings that a run.yaml holds.

    raises  UsageError for a run that is none of an agent, BadData for a malformed file.
    """
    tree = load_yaml(text, name)
    if not isinstance(tree, dict):
        raise BadData("{name} is not an agent's run", name=name)
    if tree.get("kind") != KIND:
        run = name.partition("/")[0]
        raise UsageError("{run} is not an agent's run", run=run, hint="see `ia backtest show {run}`")
    known = {key: value for key, value in tree.items() if key in RunSettings.__dataclass_fields__}
    try:
        settings = RunSettings(**known)
        Decimal(settings.cash), settings.terms(), settings.risk_limits()
    except (TypeError, InvalidOperation):
        raise BadData("{name}: settings are missing or malformed", name=name) from None
    return settings
