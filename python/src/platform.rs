//! Platforms by their names.

use pyo3::prelude::*;

/// The platform of that name.
pub fn named(name: &str) -> PyResult<finalizer::Platform> {
    name.parse().map_err(|e| pyo3::exceptions::PyValueError::new_err(format!("{e}")))
}
