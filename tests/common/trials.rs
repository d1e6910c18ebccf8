//! The tests of a module, listed: a function that is not in the list is not used, which the
//! compiler says.

use libtest_mimic::Trial;

/// Defines `trials()`, which returns the tests with these names.
macro_rules! trials {
    ($($(#[$cfg:meta])? $test:ident),+ $(,)?) => {
        pub fn trials() -> Vec<libtest_mimic::Trial> {
            vec![$($(#[$cfg])? crate::common::trial(module_path!(), stringify!($test), $test)),+]
        }
    };
}

/// Defines `trials()`, which returns the tests of these modules.
macro_rules! trials_of {
    ($($module:ident)+) => {
        pub fn trials() -> Vec<libtest_mimic::Trial> {
            [$($module::trials),+].into_iter().flat_map(|trials| trials()).collect()
        }
    };
}

/// A test, with the name that a test of this module has for libtest.
pub fn trial(module: &str, name: &str, test: fn()) -> Trial {
    let (_, module) = module.split_once("::").unwrap();
    Trial::test(format!("{module}::{name}"), move || {
        test();
        Ok(())
    })
}
