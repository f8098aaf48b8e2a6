"""Finds the texts of a reply that repeat the instructions instead of following them.

A small model fills a form with the form's own words: "A short name for the community". Or it takes
the examples of a prompt for its material, and tells what they tell.
"""

from graphrag_neo4j.llm.phrases import phrases, words

__all__ = ["INVENTED", "Instructions"]

# The names in the examples of our prompts. No other text has these words.
INVENTED = frozenset({"arkwell", "norrask", "ostrenvik", "quillmere", "vessany"})

SHORTEST = 12  # characters of a text with fewer words, as in Chinese


class Instructions:
    """The phrases of a prompt, without the texts that fill its placeholders."""

    def __init__(self, prompt: str) -> None:
        said = words(prompt)
        self._phrases = set(phrases(said))
        self._text = " ".join(said)
        self._names = INVENTED.intersection(said)

    def are_copied_in(self, text: str, material: str = "") -> bool:
        """Tells whether a text consists mostly of phrases of the prompt, or holds no word.

        So does a text with a name of the examples. Text that stands in the material, too, is not
        copied from the prompt.
        """
        said = words(text, cited=False)
        if not said:
            return True
        whole = " ".join(said)
        named = self._names.intersection(said)
        if named and not named.issubset(words(material)):
            return True
        if here := phrases(said):
            copied = 2 * sum(phrase in self._phrases for phrase in here) >= len(here)
        else:
            copied = len(whole) >= SHORTEST and whole in self._text
        return copied and whole not in " ".join(words(material))
