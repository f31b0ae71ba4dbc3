"""settings.list: the user's settings, without secrets and addresses."""

from typing import Annotated

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel.jsontypes import Json


@tool("settings.list", READ, together=True)
def list_settings(
    scope: Scope,
    prefix: Annotated[str, "only keys that begin with it: risk, ledger, turn.max_cost"] = "",
) -> Json:
    """List the user's settings: value (secrets and addresses as ***; "" is not set), where it was set (`origin`), what
    it is for; besides what models cost (`caps`: limit, spent, left), the profile, the version, the folder of the
    workspace, the time and its zone. Only the user changes settings: `ia config set KEY VALUE`.
    """
    import ia
    from ia.faculties.profiles import profile_in_use
    from ia.kernel import clock, config
    from ia.organs.spending import remaining_caps

    keys = [key for key in config.setting_names() if key.startswith(prefix.strip().casefold())]
    located = {key: config.locate_setting(key) for key in keys}
    return {
        "settings": [
            {
                "key": key,
                "value": config.redact_value(key, value),
                "origin": origin,
                "about": config.SPEC[key].text if key in config.SPEC else "",
            }
            for key, (value, origin) in located.items()
        ],
        "caps": [
            {
                "cap": name,
                "limit": float(cap.limit),
                "spent": float(cap.spent),
                "left": float(cap.left),
                "unit": cap.unit,
            }
            for name, cap in remaining_caps(scope.ws).items()
        ],
        "profile": profile_in_use(scope.ws),
        "version": ia.__version__,
        "folder": scope.ws.root,
        "time": clock.now().isoformat(timespec="minutes"),
        "simulated_time": clock.is_simulated(),
    }
