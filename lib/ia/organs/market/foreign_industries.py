"""The industries of companies of Hong Kong and the US, as the profiles of the sources name them.

What a source told is kept below `.ia/cache/profiles`. A profile is of now: there is no history of it.
"""

from datetime import timedelta

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import config
from ia.organs.market import sources
from ia.organs.market.foreign_reports import is_covered
from ia.organs.market.kept_answers import load_kept
from ia.organs.market.sources import NotDelivered

MONTH = timedelta(days=30)
"""A profile is asked for anew after this time."""


def load_industry(symbol: str, *, quiet: bool = False) -> str:
    """Return the industry of a stock of Hong Kong or the US by its canonical symbol; "" where no source tells one.

    quiet   nobody is asked over a network: what was told before counts
    raises  what the source raises.
    """
    if not is_covered(from_canonical(symbol)):
        return ""
    for name in config.get_setting_words("market.adapter"):
        try:
            source = sources.load_source(name)
            if source.simulated:
                return source.foreign_industry_of(symbol)
            told = load_kept(
                f"profiles/{source.name}-{symbol}",
                str,
                lambda _, source=source: [source.foreign_industry_of(symbol)],  # type: ignore[misc]
                within=MONTH,
                quiet=quiet,
            )
        except NotDelivered:
            continue
        return told[0] if told else ""
    return ""
