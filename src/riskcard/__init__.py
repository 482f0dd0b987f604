"""Small cards of integer points, learned from data and proven optimal.

The public names are listed in ``__init__.pyi``. Each is loaded when it is first asked for, so that the
import itself stays fast.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
