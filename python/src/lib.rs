//! The finalizer for Python: what `visa_finalize/__init__.py` is built on.
//!
//! Bytes come in and go out; NumPy is the business of the Python side. Work is done without the interpreter's lock,
//! and ends when a signal handler raises (Control-C).

mod error;
mod finalize;
mod info;
mod platform;
mod run;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        error::{Error, Fault},
        finalize::{Binary, Input, Relocation, Symbol, assemble, disassemble, finalize, platforms, retarget},
        info::{Code, Info, Kernel, info},
        run::{Report, run},
    };
}
