"""What a coordinator remembers of changes in what is to be played."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Known:
    """What a coordinator has taken into account of what may change."""

    ruling: int = 0
    """The last ruling that was heeded, as the ledger counts them."""
    outdated: bool = False
    """Whether a void game has changed what is to be played."""
    exhausted: bool = False
    """Whether the schedule has no more games; an adaptive one may have again."""
    later: set[str] = field(default_factory=set)
    """The rotation groups that are played again after all others."""
