"""A bounded mapping that forgets what was used longest ago."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Keeps the values that were used last. Safe to share between threads.

    `functools.lru_cache` keeps what one function returns; here values are looked up and added apart, also many at once.
    """

    def __init__(self, bound: int) -> None:
        """Keep at most `bound` values."""
        self._bound = bound
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Number of values that are kept."""
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return the value of a key, which is then the one used last; None if there is none."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Keep a value, and forget the one used longest ago if there are too many."""
        with self._lock:
            self._keep(key, value)

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the values of those keys that have one, each as `get` finds it."""
        with self._lock:
            found = {key: self._values[key] for key in keys if key in self._values}
            for key in found:
                self._values.move_to_end(key)
            return found

    def put_many(self, values: Mapping[K, V]) -> None:
        """Keep values, each as `put` does, the last of them as the one used last."""
        with self._lock:
            for key, value in values.items():
                self._keep(key, value)

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._values.clear()

    def values(self) -> list[V]:
        """Return all values, the one used last at the end."""
        with self._lock:
            return list(self._values.values())

    def _keep(self, key: K, value: V) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._bound:
            self._values.popitem(last=False)
