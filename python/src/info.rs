//! What objects hold.

use std::borrow::Cow;

use finalizer::Platform;
use pyo3::{prelude::*, types::PyBytes};

use crate::{error::raise, finalize::Input};

/// An object.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Info {
    /// The version of the format.
    version: (u8, u8),
    kernels: Vec<Py<Kernel>>,
    functions: Vec<Py<Kernel>>,
}

/// A kernel or function of an object.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Kernel {
    name: String,
    visa_instructions: usize,
    inputs: Vec<Py<Input>>,
    codes: Vec<Py<Code>>,
}

/// Machine code that an object carries.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Code {
    /// Its platform, if it is one that is known.
    platform: Option<String>,
    /// The number that the object gives it.
    platform_number: u8,
    code: Py<PyBytes>,
}

/// What an object or a text holds. The platform says whose registers a text is for.
#[pyfunction]
pub fn info(py: Python<'_>, data: Cow<'_, [u8]>, platform: Option<&str>) -> PyResult<Info> {
    let platform = platform.map_or(Ok(Platform::Skl), crate::platform::named)?;
    let module =
        py.detach(|| finalizer::read_input(&data, platform)).map_err(|refusal| raise(py, refusal))?;
    let all = |list: &[finalizer::visa::Kernel]| -> PyResult<Vec<Py<Kernel>>> {
        list.iter().map(|k| Py::new(py, kernel(py, k)?)).collect()
    };
    Ok(Info {
        version: (module.version.major, module.version.minor),
        kernels: all(&module.kernels)?,
        functions: all(&module.functions)?,
    })
}

fn kernel(py: Python<'_>, from: &finalizer::visa::Kernel) -> PyResult<Kernel> {
    let code = |b: &finalizer::visa::GenBinary| {
        let platform = Platform::from_gen_platform(b.platform).map(|p| p.to_string());
        Py::new(py, Code { platform, platform_number: b.platform, code: PyBytes::new(py, &b.code).unbind() })
    };
    Ok(Kernel {
        name: from.name().into_owned(),
        visa_instructions: finalizer::instructions(from) as usize,
        inputs: finalizer::inputs_of(from)
            .iter()
            .map(|i| Py::new(py, Input::new(i)))
            .collect::<PyResult<_>>()?,
        codes: from.gen_binaries.iter().map(code).collect::<PyResult<_>>()?,
    })
}
