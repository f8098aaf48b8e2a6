"""Normalised pointwise mutual information (NPMI) of pairs, and the edge weights made of it.

Bouma, Normalized (Pointwise) Mutual Information in Collocation Extraction (2009).
"""

import math

__all__ = ["npmi", "weight_of"]

LEAST = 0.05  # the smallest NPMI in a weight: for pairs that meet no more often than by chance


def npmi(together: int, one: int, other: int, total: int) -> float:
    """The NPMI of two entities, from -1 to 1.

    It is -1 if they are never together, 0 if they are together as often as by chance, and 1 if
    they are always together. `together` is the number of chunks that mention both; `one` and
    `other` are the numbers of chunks that mention each; `total` is the number of all chunks.

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
    """The weight of a pair: the number of chunks that mention both, times their NPMI.

    The arguments are those of `npmi`. An NPMI below LEAST counts as LEAST.

    >>> weight_of(4, 4, 4, 100), weight_of(4, 40, 40, 100)
    (4.0, 0.2)
    """
    return round(together * max(LEAST, npmi(together, one, other, total)), 9)
