"""What every worker does: read a request, fit, write the answer beside it, say so.

Each line of standard input names a JSON file:

    {"method": ..., "settings": {...}, "values": "X.npy", "labels": "y.npy", "rows": "rows.npy" or null,
     "levels": [null or [texts]], "asked": bool, "speed": number of rows or 0}

``rows`` are the rows to fit; with ``asked`` a method without a card answers with its risks of all rows;
``speed`` asks how long predictions for this number of rows take. Older Pythons run this file too.
"""

import json
import os
import sys
import time
import warnings

THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def one_thread():
    """Before numpy is imported."""
    for name in THREADS:
        os.environ[name] = "1"


class Request:
    """The rows to fit and how."""

    def __init__(self, content):
        import numpy as np

        self.settings = content["settings"]
        self.levels = content["levels"]
        self.all_values = np.load(content["values"])
        labels = np.load(content["labels"])
        self.rows = np.load(content["rows"]) if content["rows"] else None
        self.values = self.all_values if self.rows is None else self.all_values[self.rows]
        self.labels = labels if self.rows is None else labels[self.rows]
        self.asked = content["asked"]
        self.speed = content["speed"]

    def frame(self, values):
        """A data frame: levels are texts."""
        import numpy as np
        import pandas as pd

        columns = {}
        for place, levels in enumerate(self.levels):
            column = values[:, place]
            if levels is None:
                columns[f"c{place}"] = column
                continue
            texts = np.array([*levels, None], dtype=object)
            codes = np.where(np.isnan(column), len(levels), column).astype(int)
            columns[f"c{place}"] = texts[codes]
        return pd.DataFrame(columns)


class Clock:
    """Wall-clock and processor seconds of a fit, and how far its memory rose above the start.

    ``ru_maxrss`` is of no use: a new process inherits that of the process that started it. Linux lets
    a process forget its peak; elsewhere there is no figure for the memory.
    """

    def __enter__(self):
        self._memory = resident() if forget_peak() else None
        self._wall, self._processor = time.perf_counter(), processor_seconds()
        return self

    def __exit__(self, *error):
        self.seconds = time.perf_counter() - self._wall
        self.processor = processor_seconds() - self._processor
        self.peak = None if self._memory is None else resident("VmHWM") - self._memory

    def figures(self):
        return {"seconds": self.seconds, "processor": self.processor, "peak": self.peak}


def processor_seconds():
    """Of this process, and of those that it has started and that have ended, such as a solver's."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def forget_peak():
    """Reset the peak of memory; whether that can be done."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return True


def resident(name="VmRSS"):
    """Bytes of memory in use, or with VmHWM their peak."""
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(name + ":"):
                return 1024 * int(line.split()[1])
    raise OSError(f"/proc/self/status has no {name}")


def rule_part(column, kind, value, points):
    """A rule "points when x <= value", "x = value" of a column of 0 and 1, or "x is missing"."""
    if kind == "missing":
        return {"column": column, "cuts": [], "points": [0], "missing": points}
    return {"column": column, "cuts": [value], "points": [points, 0], "missing": 0}


def prediction_rate(predict, values, n_rows):
    """Rows a second (of the processor) of a prediction, the best of three."""
    import numpy as np

    many = np.resize(values, (n_rows, values.shape[1]))
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        predict(many)
        best = min(best, time.process_time() - begin)
    return n_rows / best


def serve(fits):
    """Answer requests until the input ends.

    Parameters
    ----------
    fits
        From the name of a method to a function of a request; it returns a dictionary.
    """
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        path = line.strip()
        with open(path) as file:
            content = json.load(file)
        try:
            answer = fits[content["method"]](Request(content))
        except MemoryError:
            answer = {"error": "out of memory"}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        with open(path + ".part", "w") as file:
            json.dump(answer, file)
        os.replace(path + ".part", path + ".answer")
        sys.stdout.write("\n@done\n")
        sys.stdout.flush()
