"""From coefficients of conditions to rows, and from rows back: by way of codes.

A row is looked at once per group, whatever the number of its conditions: coefficients become levels
of places, places levels of codes, and codes say what each row gets; sums go the other way.
"""

from riskcard.kernels.jit import bare_inner_kernel


@bare_inner_kernel
def levels_of_places(first, coefficients, levels):
    """Write the sum of the coefficients that a row has at each place of each chain."""
    for f in range(first.size - 1):
        levels[first[f + 1] + f] = 0.0
        for c in range(first[f + 1] - 1, first[f] - 1, -1):
            levels[c + f] = levels[c + f + 1] + coefficients[c]


@bare_inner_kernel
def levels_of_codes(family, groups, n_groups, levels, by_code):
    """Write the sum of the levels of a code's places in all chains of its group."""
    first, base, places = family.first, family.base, family.places
    for a in range(n_groups):
        g = groups[a]
        for u in range(base[g + 1] - base[g]):
            total = 0.0
            for f in range(family.chains[g], family.chains[g + 1]):
                total += levels[first[f] + f + places[f, u]]
            by_code[base[g] + u] = total


@bare_inner_kernel
def add_to_rows(begin, groups, n_groups, codes, base, by_code, values):
    """Add what their codes are worth to the rows."""
    for a in range(n_groups):
        g = groups[a]
        start = base[g]
        for r in range(values.size):
            values[r] += by_code[start + codes[g, begin + r]]


@bare_inner_kernel
def sum_over_rows(begin, groups, n_groups, codes, base, values, by_code):
    """Write the sum of the rows of each code."""
    for a in range(n_groups):
        g = groups[a]
        start = base[g]
        for u in range(start, base[g + 1]):
            by_code[u] = 0.0
        for r in range(values.size):
            by_code[start + codes[g, begin + r]] += values[r]


@bare_inner_kernel
def sums_of_places(family, groups, n_groups, by_code, sums):
    """Write the sum of the codes at each place of each chain of the groups."""
    first, base = family.first, family.base
    for a in range(n_groups):
        g = groups[a]
        for f in range(family.chains[g], family.chains[g + 1]):
            start = first[f] + f
            for v in range(start, first[f + 1] + f + 1):
                sums[v] = 0.0
            for u in range(base[g + 1] - base[g]):
                sums[start + family.places[f, u]] += by_code[base[g] + u]


@bare_inner_kernel
def sums_of_conditions(family, groups, n_groups, sums, gradient):
    """Write the sum of the places in which each condition of the groups holds; others are 0."""
    first = family.first
    for c in range(gradient.size - 1):
        gradient[c] = 0.0
    for a in range(n_groups):
        g = groups[a]
        for f in range(family.chains[g], family.chains[g + 1]):
            below = 0.0
            for c in range(first[f], first[f + 1]):
                below += sums[c + f]
                gradient[c] = below
