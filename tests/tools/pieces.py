"""A plugin of pytest, for `tests/tools/others`.

With VISA_FINALIZE_PIECE=K/N, those of the tests collected run whose number leaves K when divided by N. With
`--counts-below M`, PyOpenCL's `test_algorithm` sorts and scans arrays of fewer than M items only: those that follow in its lists
have 262,144 and more."""

import os


def pytest_addoption(parser):
    parser.addoption("--counts-below", type=int)


def pytest_collection_modifyitems(config, items):
    most = config.getoption("counts_below")
    if most:
        for module in {item.module for item in items}:
            counts = getattr(module, "scan_test_counts", [])
            counts[:] = [count for count in counts if count < most]
        keep(config, items, [item for item in items if size(item) < most])
    if "VISA_FINALIZE_PIECE" in os.environ:
        mine, pieces = (int(n) for n in os.environ["VISA_FINALIZE_PIECE"].split("/"))
        keep(config, items, items[mine::pieces])


def size(item):
    return item.callspec.params.get("size", 0) if hasattr(item, "callspec") else 0


def keep(config, items, kept):
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
