"""Run against the installed wheel: `python/test`."""

import _thread
import json
import pathlib
import signal
import threading
import unittest

import numpy as np

import visa_finalize as vf

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SAXPY = EXAMPLES / "saxpy_skl.isa"


class Finalize(unittest.TestCase):
    def test_code_and_what_a_launch_needs(self) -> None:
        [binary] = vf.finalize(SAXPY, "skl")
        self.assertEqual((binary.name, binary.platform, binary.simd), ("saxpy", "skl", 16))
        self.assertEqual(len(binary.code) % 8, 0)
        self.assertIn(176, [i.offset for i in binary.inputs])
        self.assertEqual(binary.symbols[0].name, "saxpy")
        self.assertIn("saxpy", repr(binary))

    def test_bytes_text_and_paths_give_the_same_code(self) -> None:
        from_path = vf.finalize(SAXPY, "skl", kernel="saxpy")[0].code
        self.assertEqual(vf.finalize(SAXPY.read_bytes(), "skl")[0].code, from_path)
        self.assertEqual(vf.finalize(bytearray(SAXPY.read_bytes()), "skl", threads=2)[0].code, from_path)
        text = (EXAMPLES / "saxpy_skl.visaasm").read_text()
        self.assertEqual(vf.finalize(text, "skl")[0].code, from_path)

    def test_options_by_name(self) -> None:
        whole = vf.finalize(SAXPY, "skl", compact=False)[0]
        self.assertEqual(len(whole.code), 16 * whole.gen_instructions)
        self.assertGreater(len(whole.code), len(vf.finalize(SAXPY, "skl", opt_level=2)[0].code))
        with self.assertRaises(vf.Error) as caught:
            vf.finalize(SAXPY, "skl", opt_level=9)
        self.assertEqual(caught.exception.faults[0].code, "BadOption")

    def test_every_platform_of_these_registers(self) -> None:
        self.assertEqual(set(vf.platforms()), {"bdw", "chv", "skl", "bxt", "icllp", "tgllp", "pvc"})
        for platform in ("bdw", "skl", "bxt", "icllp", "tgllp"):
            made = vf.retarget(SAXPY, platform)
            self.assertIn(platform, [c.platform for c in vf.info(made).kernels[0].codes])


class Refused(unittest.TestCase):
    def test_places_in_text(self) -> None:
        text = (EXAMPLES / "saxpy_skl.visaasm").read_text().replace("mad (M1", "madd (M1", 1)
        self.assertIn("madd", text)
        with self.assertRaises(vf.Error) as caught:
            vf.finalize(text, "skl")
        fault = caught.exception.faults[0]
        lines = text.splitlines()
        self.assertIsNotNone(fault.line)
        self.assertIn("madd", lines[(fault.line or 0) - 1])
        self.assertIn(fault.message, str(caught.exception))

    def test_places_in_objects(self) -> None:
        with self.assertRaises(vf.Error) as caught:
            vf.finalize(b"CISA\x02\x00", "skl")
        fault = caught.exception.faults[0]
        self.assertEqual((fault.code, fault.offset), ("UnsupportedVersion", 4))
        with self.assertRaises(vf.Error) as caught:
            vf.finalize(SAXPY, "skl", kernel="nobody")
        self.assertEqual(caught.exception.faults[0].code, "UnknownKernel")

    def test_wrong_names_are_value_errors(self) -> None:
        with self.assertRaises(ValueError):
            vf.finalize(SAXPY, "gen7")


class Listings(unittest.TestCase):
    def test_there_and_back(self) -> None:
        code = vf.finalize(SAXPY, "tgllp")[0].code
        listing = vf.disassemble(code, "tgllp")
        self.assertEqual(vf.assemble(listing, "tgllp"), code)
        self.assertEqual(json.loads(vf.disassemble(code, "tgllp", json=True))["version"], "2.0")
        with self.assertRaises(vf.Error) as caught:
            vf.assemble("nonsense", "tgllp")
        self.assertEqual(caught.exception.faults[0].line, 1)

    def test_info(self) -> None:
        held = vf.info(SAXPY)
        self.assertEqual([k.name for k in held.kernels], ["saxpy"])
        self.assertEqual(len(held.version), 2)
        self.assertGreater(held.kernels[0].visa_instructions, 5)


class Run(unittest.TestCase):
    def saxpy(self, interpret: bool = False, fast: bool = False) -> vf.Report:
        y = np.full(64, 2, dtype=np.float32)
        x = np.arange(64, dtype=np.float32)
        args: list[vf.Argument] = [y, x, np.float32(1.5), np.uint32(64)]
        report = vf.run(SAXPY, "skl", args, global_size=64, interpret=interpret, fast=fast)
        np.testing.assert_array_equal(y, 1.5 * np.arange(64, dtype=np.float32) + 2)
        np.testing.assert_array_equal(x, np.arange(64, dtype=np.float32))
        return report

    def test_buffers_hold_what_the_kernel_wrote(self) -> None:
        report = self.saxpy()
        self.assertEqual(report.findings, [])
        self.assertEqual(report.threads, 4)
        self.assertEqual(sum(report.opcodes.values()), report.instructions)

    def test_the_interpreter_agrees(self) -> None:
        self.saxpy(interpret=True)
        self.saxpy(fast=True)

    def test_arguments_must_have_a_type(self) -> None:
        with self.assertRaisesRegex(TypeError, "argument 0: found float"):
            vf.run(SAXPY, "skl", [1.5], global_size=64)  # type: ignore[list-item]
        with self.assertRaises(ValueError):
            vf.run(SAXPY, "skl", [], global_size=(1, 1, 1, 1))

    def test_read_only_arrays_stay(self) -> None:
        y = np.zeros(64, dtype=np.float32)
        x = np.arange(64, dtype=np.float32)
        y.flags.writeable = False
        vf.run(SAXPY, "skl", [y, x, np.float32(2), np.uint32(64)], global_size=64)
        self.assertEqual(float(np.abs(y).sum()), 0)


class Interrupt(unittest.TestCase):
    def setUp(self) -> None:
        # Shells start what runs in the background with interrupts ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def test_a_signal_ends_a_long_compile(self) -> None:
        timer = threading.Timer(0.2, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(1_000_000):
                vf.finalize(SAXPY, "skl")


if __name__ == "__main__":
    unittest.main()
