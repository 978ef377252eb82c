//! The devices that a driver can be made to believe in.

use platforms::Platform;

/// A device, by the name that the driver has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// The driver's name.
    pub name: &'static str,
    /// Whose code it runs.
    pub platform: Platform,
    /// The driver that serves it: a directory of what `get-neo` installs.
    pub driver: &'static str,
    /// Slices, subslices, execution units, where the driver must be told.
    pub hardware: Option<&'static str>,
}

const fn device(name: &'static str, platform: Platform, driver: &'static str) -> Device {
    Device { name, platform, driver, hardware: None }
}

/// All of them. Cherryview is not among them: Intel's compute runtime has no device of it (`shared/source/gen8` of
/// intel/compute-runtime describes Broadwell alone).
pub const DEVICES: [Device; 14] = [
    device("bdw", Platform::Bdw, "2243"),
    device("skl", Platform::Skl, "2435"),
    device("kbl", Platform::Skl, "2435"),
    device("cfl", Platform::Skl, "2435"),
    device("bxt", Platform::Bxt, "2435"),
    device("glk", Platform::Bxt, "2435"),
    device("icllp", Platform::Icllp, "2435"),
    device("ehl", Platform::Icllp, "2435"),
    device("lkf", Platform::Icllp, "2435"),
    device("tgllp", Platform::Tgllp, "2243"),
    device("rkl", Platform::Tgllp, "2243"),
    device("adls", Platform::Tgllp, "2243"),
    device("dg1", Platform::Tgllp, "2243"),
    Device { hardware: Some("8x8x8"), ..device("pvc", Platform::Pvc, "2243") },
];

impl Device {
    /// The device of a name.
    pub fn find(name: &str) -> Option<Device> {
        DEVICES.into_iter().find(|d| d.name.eq_ignore_ascii_case(name))
    }

    /// What the driver's environment must say for it to work on a simulator at a port of this machine.
    pub fn environment(&self, port: u16) -> Vec<(&'static str, String)> {
        let mut out = vec![
            ("NEOReadDebugKeys", "1".to_owned()),
            ("ProductFamilyOverride", self.name.to_owned()),
            // The driver's own simulator interface, not the library that nobody has.
            ("UseAubStream", "0".to_owned()),
            ("SetCommandStreamReceiver", "2".to_owned()),
            ("TbxPort", port.to_string()),
            // What the driver finds in its cache goes past compiler and finalizer.
            ("NEO_CACHE_PERSISTENT", "0".to_owned()),
            ("IGC_EnableZEBinary", "1".to_owned()),
            ("InjectInternalBuildOptions", "-ze-emit-zebin-visa-sections".to_owned()),
            // Messages do not say which of two memories an address is in.
            ("EnableLocalMemory", "0".to_owned()),
            ("EnableBlitterForEnqueueOperations", "0".to_owned()),
        ];
        out.extend(self.hardware.map(|h| ("HardwareInfoOverride", h.to_owned())));
        out
    }
}
