"""Single labels of a published catalog put and removed."""

from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import PhraseBookError, StoreError
from embeddings.index.quantization import quantize
from embeddings.index.stores.record import StoredLabel, key_of
from embeddings.index.stores.store import Store
from embeddings.index.vector_product import BLOCK_SIZE
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.whitening import whiten
from embeddings.text.normalization import fold


def put_label(store: Store, encoder: TextEncoder, label: Label) -> None:
    """Embed a label, and add it or put it in the place of the one with its key; see `StoreMatcher.put`.

    Raises:
        PhraseBookError: the label cannot be used, or another one has its name and not both have ids.
        StoreError: the store cannot be written.
    """
    book = PhraseBook((label,))
    (label,), key = book.labels, key_of(label)
    namesakes = [record.label for record in store.records(store.named([fold(label.name)])) if record.key != key]
    if any(fold(other.name) == fold(label.name) and not (other.id and label.id) for other in namesakes):
        raise PhraseBookError(
            f"the label {label.name!r} repeats the name of another one; names must differ in more than case and "
            "punctuation, or both labels need an 'id'; rename one, or give each an id"
        )
    manifest = store.manifest()
    phrases = tuple((phrase.text, phrase.kind) for phrase in book.phrases())
    vectors = whiten(encoder.encode([text for text, _ in phrases]), manifest.whitening)
    record = StoredLabel.of(key, label, phrases, quantize(vectors, BLOCK_SIZE))
    store.put([record], manifest.changed([record], store.records([key])))


def removed_keys(store: Store, name: str) -> list[str]:
    """Remove the labels with exactly this id, else with this name but for case and punctuation; returns their keys.

    Raises:
        StoreError: the store cannot be written, or no label would be left.
    """
    records = store.records(store.named([*dict.fromkeys((fold(name), name.strip()))]))
    gone = [record for record in records if record.label.id == name.strip() and record.label.id]
    gone = gone or [record for record in records if fold(record.label.name) == fold(name)]
    if not gone:
        return []
    manifest = store.manifest()
    if manifest.statistics.labels <= len(gone):
        raise StoreError(
            f"{name!r} is the last label; a catalog has at least one; put another one first, or build another catalog"
        )
    store.remove([record.key for record in gone], manifest.changed([], gone))
    return [record.key for record in gone]
