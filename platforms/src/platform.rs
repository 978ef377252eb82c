//! The names of platforms.

/// The enum of platforms, and the list of all that have a row.
macro_rules! platforms {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $platform:ident,)* }) => {
        $(#[$meta])*
        pub enum $name { $($(#[$vmeta])* $platform,)* }

        impl $name {
            /// All rows, that of the invented platform too, in the order of the enum: for tables by platform.
            #[doc(hidden)]
            pub const ROWS: [$name; [$($name::$platform),*].len()] = [$($name::$platform),*];
        }
    };
}

platforms! {
    /// A GPU generation.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Platform {
        /// Broadwell, Gen8.
        Bdw,
        /// Skylake, Gen9.
        Skl,
        /// Broxton, Gen9 low power: Skylake's instruction set with the Cherryview 64-bit region rules.
        Bxt,
        /// Ice Lake, Gen11.
        Icllp,
        /// Tiger Lake, Gen12 (Xe-LP).
        Tgllp,
        /// Ponte Vecchio, Xe-HPC.
        Pvc,
        /// No GPU: a row with features of several, so that tests see that nothing goes by the platform's name or
        /// takes one feature for another. The last one; not among [`Platform::ALL`], and no name stands for it.
        #[doc(hidden)]
        Mixed,
    }
}

impl Platform {
    /// All platforms, oldest first.
    pub const ALL: [Platform; Platform::ROWS.len() - 1] = {
        let mut all = [Platform::Mixed; Platform::ROWS.len() - 1];
        let mut i = 0;
        while i < all.len() {
            all[i] = Platform::ROWS[i];
            i += 1;
        }
        all
    };
}
