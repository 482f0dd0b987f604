"""Notes on the nodes of a proof: the model of each, and how it was divided.

A proof that is to be written to a file goes through its nodes twice. With notes the second time needs no
Newton steps. Nothing rests on a note: it says where a tangent may touch and where a node may be divided, and any
tangent and any division are valid.

The notes follow each other. One has two entries, and one more for each column of the model::

    mark                                        number
    key of the node                             its bound
    division, number of columns                 offset of the model
    slot, side and cut of a column              its coefficient
"""

from typing import NamedTuple

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, bare_kernel

#: Entries of a note before those of its columns.
HEAD = 2
#: Most entries that one node and all of its children take.
MOST_ENTRIES = 16 * (HEAD + hull.MOST_COLUMNS)
#: How a node was divided.
NOT_DIVIDED, BY_LIST, BY_SLOT = 0, 1, 2
#: Where the parts of a mark begin.
SLOT_DIGIT, SIDE_DIGIT = 57, 31
KIND_DIGIT, PLACE_DIGIT, MIDDLE_DIGIT = 8, 10, 16
#: Keys are two remainders by this prime.
PRIME, FIRST_FACTOR, SECOND_FACTOR = 2147483647, 1103515245, 907633385


class Notes(NamedTuple):
    """Notes of one task, or of a whole proof; no entries where nothing is noted."""

    marks: np.ndarray  # (entries,)
    numbers: np.ndarray  # (entries,)
    used: np.ndarray  # (1,) entries that are in use
    table: np.ndarray  # where the notes begin, by their keys; -1: free


def empty_notes(n_entries: int) -> Notes:
    """Room for notes that are not yet looked up."""
    return Notes(
        np.zeros(n_entries, dtype=np.int64),
        np.zeros(n_entries),
        np.zeros(1, dtype=np.int64),
        np.full(1, -1, dtype=np.int64),
    )


@bare_inner_kernel
def key_of(nodes, index):
    """A number that two different nodes hardly ever share."""
    one, two = 1, 1
    for slot in range(nodes.counts[index]):
        for field in range(at.SLOT_FIELDS):
            part = int(nodes.slots[index, slot, field]) + 2
            one = (one * FIRST_FACTOR + part) % PRIME
            two = (two * SECOND_FACTOR + part) % PRIME
    for word in range(nodes.excluded.shape[1]):
        for third in range(3):
            digits = nodes.excluded[index, word] >> np.uint64(22 * third)
            part = int(digits & np.uint64(4194303))
            one = (one * FIRST_FACTOR + part) % PRIME
            two = (two * SECOND_FACTOR + part) % PRIME
    return (one << 31) | two


@bare_inner_kernel
def note_node(nodes, index, side, slot, middle, notes):
    """Note the model of a node, and its division: by a side of the list, by a slot, or none (slot below 0)."""
    if notes.marks.size == 0:
        return
    place = int(notes.used[0])
    n_columns = int(nodes.n_columns[index])
    division = NOT_DIVIDED
    if slot >= 0 and side >= 0:
        division = BY_LIST << KIND_DIGIT | side << MIDDLE_DIGIT
    elif slot >= 0:
        division = BY_SLOT << KIND_DIGIT | slot << PLACE_DIGIT | middle << MIDDLE_DIGIT
    notes.marks[place] = key_of(nodes, index)
    notes.numbers[place] = nodes.bounds[index]
    notes.marks[place + 1] = division | n_columns
    notes.numbers[place + 1] = nodes.offsets[index]
    for c in range(n_columns):
        column = nodes.columns[index, c]
        notes.marks[place + HEAD + c] = (
            int(column[hull.COLUMN_SLOT]) << SLOT_DIGIT
            | int(column[hull.COLUMN_SIDE]) << SIDE_DIGIT
            | int(column[hull.COLUMN_CUT])
        )
        notes.numbers[place + HEAD + c] = nodes.thetas[index, c]
    notes.used[0] = place + HEAD + n_columns


@bare_inner_kernel
def is_full(notes):
    """Is there no room for the notes of one more node and its children?"""
    return notes.marks.size > 0 and notes.used[0] + MOST_ENTRIES > notes.marks.size


@bare_kernel
def note_nodes(nodes, first, notes):
    """Note the models of nodes from the given one on, while there is room; returns the first that is left."""
    while first < nodes.counts.size and not is_full(notes):
        note_node(nodes, first, -1, -1, 0, notes)
        first += 1
    return first


@bare_kernel
def index_notes(notes, factor):
    """Fill the table, so that notes are found by their keys; bounds are multiplied by a factor.

    Of two notes on one node the later one counts: it has the better model, or the division.
    """
    table, size = notes.table, notes.table.size
    place = 0
    while place < notes.used[0]:
        key = notes.marks[place]
        notes.numbers[place] *= factor
        entry = key % size
        while table[entry] >= 0 and notes.marks[table[entry]] != key:
            entry = (entry + 1) % size
        table[entry] = place
        place += HEAD + (notes.marks[place + 1] & 255)


@bare_inner_kernel
def find_note(nodes, index, notes):
    """Where the note on a node begins; -1 if there is none."""
    if notes.marks.size == 0:
        return -1
    table, size = notes.table, notes.table.size
    key = key_of(nodes, index)
    entry = key % size
    while table[entry] >= 0:
        if notes.marks[table[entry]] == key:
            return int(table[entry])
        entry = (entry + 1) % size
    return -1


@bare_inner_kernel
def load_note(nodes, index, notes, place):
    """Give a node the bound and the model of a note."""
    nodes.bounds[index] = notes.numbers[place]
    nodes.offsets[index] = notes.numbers[place + 1]
    n_columns = int(notes.marks[place + 1] & 255)
    nodes.n_columns[index] = n_columns
    for c in range(n_columns):
        mark = notes.marks[place + HEAD + c]
        nodes.columns[index, c, hull.COLUMN_SLOT] = mark >> SLOT_DIGIT
        nodes.columns[index, c, hull.COLUMN_SIDE] = (mark >> SIDE_DIGIT) & 67108863
        nodes.columns[index, c, hull.COLUMN_CUT] = mark & 2147483647
        nodes.thetas[index, c] = notes.numbers[place + HEAD + c]


@bare_inner_kernel
def division_of(notes, place):
    """How a node was divided: a side of the list or -1, a slot, its last cut on the left; slot -1: not at all."""
    mark = notes.marks[place + 1]
    kind = (mark >> KIND_DIGIT) & 3
    middle = int(mark >> MIDDLE_DIGIT)
    if kind == BY_LIST:
        return middle, hull.LIST, 0
    if kind == BY_SLOT:
        return -1, int((mark >> PLACE_DIGIT) & 63), middle
    return -1, -1, 0
