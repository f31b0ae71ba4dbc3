"""The command behind `news.items`: announcements of mainland companies, and articles that name one of any market.

`python -m ia.faculties.providers.news_items`, as the provider `news` starts it: a call as JSON on standard input, the
answer as JSON on standard output. The items come from the first source of `market.adapter` that has any.
"""

import sys

from ia.faculties.providers.answering import answer_one_call
from ia.kernel import config
from ia.kernel.errors import IaError, NotFound, UsageError
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json


def answer_call(_tool: str, arguments: Json) -> Json:
    """Return the answer to one call: the newest items of a security, and the source that told them.

    raises  NotFound for a security that is no stock; NotDelivered, TryLater, ShapeChanged of the source. What
            one kind of items fails with is raised only where the other one failed too.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.organs.market import sources
    from ia.organs.market.sources import NEWS_KINDS

    company = resolve_security(str(arguments.get("symbol") or ""), traded=True)
    if company.kind != "stock":
        raise NotFound("{symbol}: no source of news; ia has one for stocks", symbol=company.canonical)
    wanted = [kind for kind in NEWS_KINDS if arguments.get("kind") in (None, "", kind)]
    refused: IaError | None = None
    for name in config.get_setting_words("market.adapter"):
        try:
            source = sources.load_source(name)
            items, failures = [], []
            for kind in wanted:
                try:
                    items += source.news_of(company.canonical, kind)
                except sources.NotDelivered:
                    raise
                except IaError as exc:
                    failures.append(exc)
            if failures and len(failures) == len(wanted):
                raise failures[0]
        except sources.NotDelivered as exc:
            refused = refused or exc
            continue
        return {
            "symbol": company.canonical,
            "source": source.name,
            "simulated": source.simulated,
            "items": [item._asdict() for item in items],
            "failed": [Voice(config.locale_lang()).say(exc) for exc in failures],
        }
    hint = "run `ia config set market.adapter akshare`"
    raise refused or UsageError("market.adapter names no data source", hint=hint)


if __name__ == "__main__":
    sys.exit(answer_one_call(answer_call))
