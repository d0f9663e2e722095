"""What an encoder around another passes on from it."""

from embeddings.encoder.protocol import TextEncoder


class PassedOn:
    """The properties of the encoder inside; how texts are encoded is left to the class that is made of this one."""

    def __init__(self, encoder: TextEncoder) -> None:
        """Pass on what `encoder` says of itself."""
        self._encoder = encoder

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._encoder.dimensions

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the model."""
        return self._encoder.fingerprint

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the model reads."""
        return self._encoder.languages

    def knows(self, word: str) -> bool:
        """Whether the model knows a lower-case word."""
        return self._encoder.knows(word)
