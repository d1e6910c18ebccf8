//! Any bytes: the same profile is made of them in whatever pieces they come, by however many
//! threads, and packed.

#![no_main]

use generated::laws;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The first bytes say into what pieces the others are cut.
    let (sizes, text) = input.split_at(input.len().min(4));
    laws::chunks_and_gzip_change_nothing(text, sizes);
    laws::threads_change_nothing(text, sizes.first().copied().unwrap_or(63));
});
