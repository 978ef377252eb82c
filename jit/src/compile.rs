//! What `JITCompile` does, once its arguments are Rust values.

use std::cell::RefCell;

use finalizer::{Binary, Finalizer, Refusal};
use platforms::Platform;

use crate::{
    arguments,
    failure::{Code, Failure},
};

/// The arguments of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub kernel: &'a [u8],
    pub object: &'a [u8],
    pub platform: &'a [u8],
    pub version: (i32, i32),
    pub args: &'a [&'a [u8]],
}

/// The longest name of a kernel, in bytes.
const MAX_NAME: usize = 255;

/// The platform of a name in any case: ours, or one that runtimes use for the same instruction set.
pub fn platform(name: &[u8]) -> Option<Platform> {
    let name = std::str::from_utf8(name).ok()?;
    name.parse().ok()
}

thread_local! {
    /// The finalizer of this thread's last call. In a box, since each call takes it and puts it back.
    static KEPT: RefCell<Option<Box<Finalizer>>> = const { RefCell::new(None) };
}

/// Compiles one kernel.
pub(crate) fn compile(request: Request<'_>) -> Result<Binary, Failure> {
    let bad_input = |message: &str| Failure::new(Code::BadInput, message);
    let Some(platform) = platform(request.platform) else {
        let name = String::from_utf8_lossy(request.platform);
        let allowed = Platform::ALL.map(|p| p.to_string().to_uppercase()).join(", ");
        return Err(Failure::new(
            Code::BadPlatform,
            format_args!("found platform `{name}`; allowed: {allowed}"),
        ));
    };
    if request.kernel.is_empty() || request.kernel.len() > MAX_NAME {
        return Err(bad_input("the kernel's name has 1 to 255 bytes"));
    }
    let &[b'C', b'I', b'S', b'A', major, minor, ..] = request.object else {
        return Err(bad_input("found no vISA object: it starts with `CISA` and its version"));
    };
    if (i32::from(major), i32::from(minor)) != request.version {
        let (a, b) = request.version;
        let message = format!("found an object of version {major}.{minor}, where the call says {a}.{b}");
        return Err(bad_input(&message));
    }
    let name =
        std::str::from_utf8(request.kernel).map_err(|_| bad_input("the kernel's name is not UTF-8"))?;
    let options = arguments::options(platform, request.args.iter().copied())?;
    // A call that panics leaves none behind.
    let kept = KEPT.take().filter(|f| *f.options() == options);
    let mut finalizer = kept.unwrap_or_else(|| Box::new(Finalizer::new(options)));
    let result = finalizer.finalize_named(request.object, name);
    KEPT.set(Some(finalizer));
    result.map_err(|refusal: Refusal| {
        let unknown = refusal.0.iter().any(|d| d.code == "UnknownKernel");
        let code = if unknown { Code::BadInput } else { Code::Refused };
        Failure::new(code, refusal)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_names_for_platforms_are_known_in_any_case() {
        for p in Platform::ALL {
            let caps = p.caps();
            for name in caps.aliases.iter().chain([&caps.name, &caps.genx_name]) {
                assert_eq!(platform(name.to_uppercase().as_bytes()), Some(p), "{name}");
            }
        }
        for (name, expected) in
            [("Gen9LP", Platform::Bxt), ("DG1", Platform::Tgllp), ("pvcxt", Platform::Pvc)]
        {
            assert_eq!(platform(name.as_bytes()), Some(expected));
        }
        assert_eq!(platform(b"IVB"), None);
        assert_eq!(platform(b""), None);
        assert_eq!(platform(&[0xff]), None);
    }
}
