//! The names of platforms.

/// The enum of platforms, their lists, and macros over all of them. (The first word is a dollar sign, for those.)
macro_rules! platforms {
    (
        $dollar:tt
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$vmeta:meta])* $platform:ident = $module:ident::$row:ident,)*
        } and {
            $($(#[$imeta:meta])* $invented:ident = $imodule:ident::$irow:ident,)*
        }
    ) => {
        $(#[$meta])*
        pub enum $name { $($(#[$vmeta])* $platform,)* $($(#[$imeta])* $invented,)* }

        impl $name {
            /// All platforms, oldest first.
            pub const ALL: [$name; [$($name::$platform),*].len()] = [$($name::$platform),*];

            /// Platforms that no GPU is.
            #[doc(hidden)]
            pub const INVENTED: [$name; [$($name::$invented),*].len()] = [$($name::$invented),*];

            /// All rows, those of invented platforms too, in the order of the enum: for tables by platform.
            #[doc(hidden)]
            pub const ROWS: [$name; $name::ALL.len() + $name::INVENTED.len()] =
                [$($name::$platform,)* $($name::$invented,)*];

            /// Its place in [`Self::ROWS`].
            #[doc(hidden)]
            #[expect(clippy::as_conversions, reason = "nothing else reads the number of a variant")]
            pub const fn index(self) -> usize {
                self as usize
            }
        }

        /// The row of a platform.
        macro_rules! row_of {
            ($dollar platform:expr) => {
                match $dollar platform {
                    $($name::$platform => &$module::$row,)*
                    $($name::$invented => &$imodule::$irow,)*
                }
            };
        }

        /// One test for each platform, by its name, that calls a function with it.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! test_on_each {
            ($dollar check:path) => {$(
                #[test]
                fn $module() {
                    $dollar check($dollar crate::$name::$platform);
                }
            )*};
        }
    };
}

platforms! {
    $
    /// A GPU generation.
    ///
    /// More may come: whoever matches has an arm for others.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    #[non_exhaustive]
    pub enum Platform {
        /// Broadwell, Gen8.
        Bdw = bdw::BDW,
        /// Cherryview, Gen8 low power: Broadwell's instruction set with 64-bit region rules of its own.
        Chv = chv::CHV,
        /// Skylake, Gen9.
        Skl = skl::SKL,
        /// Broxton, Gen9 low power: Skylake's instruction set with Cherryview's 64-bit region rules.
        Bxt = bxt::BXT,
        /// Ice Lake, Gen11.
        Icllp = icllp::ICLLP,
        /// Tiger Lake, Gen12 (Xe-LP).
        Tgllp = tgllp::TGLLP,
        /// Ponte Vecchio, Xe-HPC.
        Pvc = pvc::PVC,
    } and {
        /// No GPU: a row with features of several, so that tests see that nothing goes by the platform's name or
        /// takes one feature for another. Behind all others; not among [`Platform::ALL`], and no name stands for it.
        #[doc(hidden)]
        Mixed = mixed::MIXED,
        /// No GPU either: Tiger Lake's words with three named pipes and messages of the load/store cache, as Xe-HPG.
        #[doc(hidden)]
        LikeHpg = like_hpg::LIKE_HPG,
    }
}
