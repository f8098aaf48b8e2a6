"""What the reference shows of classes that griffe doesn't understand by itself."""

from copy import copy
from typing import Any

import griffe
from griffe import Parameter, ParameterKind


class BlockingMethods(griffe.Extension):
    """GraphRAG's `index = _blocking(AsyncGraphRAG.index)` is that method, without `await`."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:  # noqa: ANN401 - of the base
        """Replaces such attributes by the methods, which have signatures and docstrings."""
        client = pkg["client.sync_client.GraphRAG"]
        for name, attribute in client.attributes.items():
            if str(attribute.value).startswith("_blocking("):
                method = copy(pkg["client.async_client.AsyncGraphRAG"][name])
                method.labels = method.labels - {"async"}
                client.del_member(name)  # so that it comes after `open` and `close`
                client.set_member(name, method)


class Fields(griffe.Extension):
    """A TypedDict has a signature of its fields, as a dataclass has."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:  # noqa: ANN401 - of the base
        """Gives an `__init__` to each public TypedDict."""
        for name in pkg.members:
            kind = pkg[name]
            if kind.is_alias and kind.target_path.startswith(f"{pkg.name}.") and kind.is_class:
                lines = (kind.final_target, *kind.mro())
                if any("TypedDict" in map(str, one.bases) for one in lines):
                    kind.final_target.set_member("__init__", _init(kind.final_target))


def _init(kind: griffe.Class) -> griffe.Function:
    default = "..." if "total" in kind.keywords else None
    fields = [
        Parameter(
            name, annotation=field.annotation, kind=ParameterKind.keyword_only, default=default
        )
        for name, field in (kind.inherited_members | kind.attributes).items()
    ]
    own = Parameter("self", kind=ParameterKind.positional_or_keyword)
    return griffe.Function("__init__", parameters=griffe.Parameters(own, *fields))
