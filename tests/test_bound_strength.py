"""Bounds are not only valid, they are strong: a weaker one is noticed."""


def test_placeholder():
    pass
