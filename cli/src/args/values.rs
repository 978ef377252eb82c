//! Values of options: how they are read, and which there are.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use platforms::Platform;

/// An option of [`finalizer::SETTINGS`] and its value.
pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("found no `=` behind the name")?;
    let mut options = finalizer::Options::new(Platform::Skl);
    let refused = |r: finalizer::Refusal| r.0.first().map_or_else(String::new, |d| d.message.clone());
    options.set(name, value).map_err(refused)?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Names of passes, and `all`.
pub(super) fn passes() -> PossibleValuesParser {
    let all = PossibleValue::new("all").help("each of them");
    finalizer::PASSES.iter().map(pass).chain([all]).collect::<Vec<_>>().into()
}

/// Names of passes that can be left out.
pub(super) fn optional_passes() -> PossibleValuesParser {
    finalizer::PASSES.iter().filter(|p| p.optional).map(pass).collect::<Vec<_>>().into()
}

fn pass(pass: &finalizer::Pass) -> PossibleValue {
    PossibleValue::new(pass.name).help(pass.about)
}

/// Devices by their names.
pub(super) fn device() -> impl TypedValueParser<Value = tbx::Device> {
    let named = |d: &tbx::Device| PossibleValue::new(d.name).help(d.platform.caps().title);
    PossibleValuesParser::new(tbx::DEVICES.iter().map(named).collect::<Vec<_>>())
        .try_map(|name| tbx::Device::find(&name).ok_or("no such device"))
}

/// One to three numbers, not 0.
pub(super) fn sizes(text: &str) -> Result<[u32; 3], String> {
    match triple(text, 1)? {
        numbers if numbers.contains(&0) => Err("no work items".into()),
        numbers => Ok(numbers),
    }
}

/// One to three numbers.
pub(super) fn offsets(text: &str) -> Result<[u32; 3], String> {
    triple(text, 0)
}

fn triple(text: &str, default: u32) -> Result<[u32; 3], String> {
    let mut out = [default; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(format!("{} numbers; a launch has at most three dimensions", parts.len()));
    }
    for (o, part) in out.iter_mut().zip(parts) {
        *o = part.trim().parse().map_err(|_| format!("`{part}` is not a number of work items"))?;
    }
    Ok(out)
}

/// A version whose layout the writer knows.
pub(super) fn isa_version(text: &str) -> Result<visa::Version, String> {
    let parts = text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match parts {
        Some((major @ 3, minor @ 0..=8)) | Some((major @ 4, minor @ 0..=1)) => {
            Ok(visa::Version::new(major, minor))
        }
        _ => Err("allowed: 3.0 to 3.8, 4.0, 4.1".to_owned()),
    }
}

/// A rule of the verifier by its name.
pub(super) fn rule(text: &str) -> Result<visa::Rule, String> {
    visa::Rule::from_id(text).filter(|r| !r.is_safety()).ok_or_else(|| {
        let names: Vec<_> = visa::Rule::ALL.iter().filter(|r| !r.is_safety()).map(|r| r.id()).collect();
        format!("allowed: {}", names.join(", "))
    })
}

/// Platforms by any of their names; the help lists them.
pub(super) fn platform() -> impl TypedValueParser<Value = Platform> {
    let named = |p: &Platform| {
        let caps = p.caps();
        let help = format!("{}; also {}", caps.title, caps.aliases.join(", "));
        PossibleValue::new(caps.name).aliases(caps.aliases.iter().copied()).help(help)
    };
    PossibleValuesParser::new(Platform::ALL.iter().map(named).collect::<Vec<_>>())
        .try_map(|name| name.parse::<Platform>())
}
