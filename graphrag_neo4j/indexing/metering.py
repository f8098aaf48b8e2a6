"""Adds the use of the endpoint to the events of a run."""

from graphrag_neo4j.events import Advanced, Event, Listener, Spent
from graphrag_neo4j.llm import Meter

__all__ = ["metered"]


def metered(listen: Listener, meter: Meter) -> Listener:
    """A listener that passes all events on, and a Spent event after each Advanced event."""

    def forward(event: Event) -> None:
        listen(event)
        if isinstance(event, Advanced):
            total = meter.total
            listen(Spent(total.input_tokens + total.output_tokens, total.cost))

    return forward
