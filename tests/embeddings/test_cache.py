"""A bounded mapping that forgets what was used longest ago."""

from concurrent.futures import ThreadPoolExecutor

from embeddings.cache import LruCache


def test_the_value_used_longest_ago_is_forgotten() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)
    assert len(cache) == 2


def test_a_value_that_is_put_again_is_used() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put_many({"a": 1, "b": 2})
    cache.put("a", 4)
    cache.put("c", 3)
    assert cache.get_many(["a", "b", "c"]) == {"a": 4, "c": 3}


def test_values_found_together_are_used_in_their_order() -> None:
    cache: LruCache[str, int] = LruCache(3)
    cache.put_many({"a": 1, "b": 2, "c": 3})
    assert cache.get_many(["c", "missing", "a"]) == {"c": 3, "a": 1}
    assert cache.values() == [2, 3, 1]


def test_threads_keep_to_the_bound() -> None:
    cache: LruCache[int, int] = LruCache(8)

    def use(thread: int) -> None:
        for number in range(2000):
            key = (number * 7 + thread) % 20
            found = cache.get(key)
            assert found in {None, key}
            cache.put(key, key)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(4)))
    assert len(cache) == 8
