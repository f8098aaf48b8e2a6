"""How strongly two things belong together, from counts alone. Pure."""

import math

__all__ = ["npmi", "weight_of"]

LEAST = 0.05  # of the weight of a pair that comes together no more often than by chance


def npmi(together: int, one: int, other: int, total: int) -> float:
    """Normalised pointwise mutual information, from -1 (never together) over 0 (as often as by
    chance) to 1 (never apart).

    `together`: chunks with both; `one`, `other`: chunks with each; `total`: all chunks.

    >>> npmi(2, 2, 2, 100)
    1.0
    """
    if together <= 0 or total <= 0:
        return -1.0
    if together >= total:
        return 1.0
    chance = together * total / (max(one, together) * max(other, together))
    return round(math.log(chance) / -math.log(together / total), 9)


def weight_of(together: int, one: int, other: int, total: int) -> float:
    """What a pair weighs: how often it comes, times its association.

    >>> weight_of(4, 4, 4, 100), weight_of(4, 40, 40, 100)
    (4.0, 0.2)
    """
    return round(together * max(LEAST, npmi(together, one, other, total)), 9)
