"""The same work on many items, several at a time; the order of answers does not depend on threads."""

import warnings
from collections.abc import Callable, Iterable
from threading import Event
from typing import Any, TypeVar

from riskcard.errors import RiskcardWarning

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def run_side_by_side(
    work: Callable[[Item, Event], Answer], items: Iterable[Item], n_jobs: int | None
) -> list[Answer]:
    """Do the work for every item, in threads, and return the answers in the order of the items.

    Threads, since the inner loops run without the interpreter's lock, and since every new process
    would load the compiled code again, which takes longer than most fits. Warnings of riskcard are
    not shown: levels and missing values that only held-out rows have are nothing to warn about.

    Parameters
    ----------
    work
        Is given an item and an event. When something went wrong elsewhere, or Ctrl-C was pressed,
        the event is set, and the answer no longer matters.
    items
        What to work on.
    n_jobs
        Threads, as everywhere in scikit-learn.

    Examples
    --------
    >>> run_side_by_side(lambda number, stop: number**2, [3, 1, 2], n_jobs=2)
    [9, 1, 4]
    """
    from joblib import Parallel, delayed

    stop = Event()

    def unless_stopped(item: Item) -> Any:
        return None if stop.is_set() else work(item, stop)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiskcardWarning)
        try:
            tasks = (delayed(unless_stopped)(item) for item in items)
            return list(Parallel(n_jobs=n_jobs, require="sharedmem")(tasks))
        except BaseException:
            stop.set()  # a thread cannot be ended from outside
            raise
