"""How far rounding may falsify a bound, and by how much every bound is lowered for it.

Let ``u = 2**-53``. Adding up ``n`` numbers, one after another, errs by at most ``n u`` times the
sum of their sizes. The bound of a node (`lower_bound_at`) is the loss at ``w`` plus slopes times
the ways to the ends of a box. Take a card of 12 terms with steps of up to 30 each in log-odds: the
coefficients, and the ways, add up to at most ``T = 750``. Three errors add up, each relative to the
size of all summands, which includes the loss:

1. A sum over at most 2**12 cells: ``2**12 u``, which is less than 5e-13. The weights of the cells
   are exact, see `exact_weights`.
2. The log-odds of a cell are a sum of at most 13 coefficients: ``12 u T``. A row whose log-odds are
   wrong by ``d`` has a loss that is wrong by at most ``p d``, where ``p`` is the chance that it
   gave to what did not happen, and ``p`` is at most the loss. That is 1e-12.
3. A slope is a sum of chances in 12 rounds of additions, and a chance has an error of a few units:
   ``17 u`` times a sum that is at most the loss. Times the ways: ``17 u T``, which is 1.4e-12.

Together less than 3e-12. ROUNDING covers cards whose steps add up to 1,400 in log-odds. Only a
given multiplier far below 1, such as 0.04 with 12 terms of 5 points, allows more than that; the
allowance is then below the worst case, which needs all errors to be largest and of one sign.
"""

#: Every bound is lowered by this part of the size of all that was added up to it.
ROUNDING = 1e-11
#: A sum over rows, of which there may be millions, is lowered by at least ``2 u`` for each of them;
#: that is more than ROUNDING from 45,000 rows on.
ROUNDING_PER_ROW = 2.0**-52
