"""A plugin of pytest, for `tests/tools/others`.

With VISA_FINALIZE_PIECE=K/N, those of the tests collected run whose number leaves K when divided by N. With
`--counts-below M`, PyOpenCL's `test_algorithm` sorts and scans arrays of fewer than M items only: those of its list that follow have
786,432 and more."""

import os


def pytest_addoption(parser):
    parser.addoption("--counts-below", type=int)


def pytest_collection_modifyitems(config, items):
    most = config.getoption("counts_below")
    for module in {item.module for item in items}:
        counts = getattr(module, "scan_test_counts", None)
        if most and counts:
            counts[:] = [count for count in counts if count < most]
    if "VISA_FINALIZE_PIECE" in os.environ:
        mine, pieces = (int(n) for n in os.environ["VISA_FINALIZE_PIECE"].split("/"))
        left = [item for at, item in enumerate(items) if at % pieces != mine]
        items[:] = items[mine::pieces]
        config.hook.pytest_deselected(items=left)
