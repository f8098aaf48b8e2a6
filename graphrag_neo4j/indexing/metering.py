"""A listener that also hears what a run has used so far."""

from graphrag_neo4j.events import Advanced, Event, Listener, Spent
from graphrag_neo4j.llm import Meter

__all__ = ["metered"]


def metered(listen: Listener, meter: Meter) -> Listener:
    """The listener; after each step forward it is also told what the meter shows."""

    def heard(event: Event) -> None:
        listen(event)
        if isinstance(event, Advanced):
            total = meter.total
            listen(Spent(total.input_tokens + total.output_tokens, total.cost))

    return heard
