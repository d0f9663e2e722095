"""Asks a provider several things at the same time."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import anyio

Item = TypeVar("Item")


async def for_each(items: Iterable[Item], action: Callable[[Item], Awaitable[None]], concurrency: int) -> None:
    """Run an action for every item, at most `concurrency` of them at the same time."""
    limiter = anyio.CapacityLimiter(concurrency)

    async def limited(item: Item) -> None:
        async with limiter:
            await action(item)

    try:
        async with anyio.create_task_group() as group:
            for item in items:
                group.start_soon(limited, item)
    except BaseExceptionGroup as errors:
        raise first_error(errors) from None


def first_error(error: BaseException) -> BaseException:
    """The first error inside nested groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
