from embeddings import vector_file
from embeddings.model_files import ModelFiles, shipped_model_folder
from server.catalog.loading import load_catalog
from server.catalog.phrase_book import phrase_book
from server.matcher_provider import VECTORS_FILE
from tests.data.shipped import DATA


def test_the_vector_file_is_of_this_catalog_and_model() -> None:
    book = phrase_book(load_catalog(DATA))
    fitted = vector_file.read(DATA / VECTORS_FILE, ModelFiles.open(shipped_model_folder()).fingerprint, book)
    assert fitted.index.book == book
