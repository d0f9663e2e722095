from embeddings.encoder.model_files import ModelFiles, official_model_folder
from embeddings.index import vector_file
from server.catalog.catalog import phrase_book
from server.catalog.loading import load_catalog
from server.matching.matcher_provider import VECTORS_FILE
from tests.data.shipped import DATA


def test_the_vector_file_is_of_this_catalog_and_model() -> None:
    stored = vector_file.read(DATA / VECTORS_FILE, ModelFiles.open(official_model_folder()))
    assert stored.corpus.book == phrase_book(load_catalog(DATA))
