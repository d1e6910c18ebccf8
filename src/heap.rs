//! The heap in huge pages, where kernel and C library have them: most of what a large profile takes is written to
//! for the first time while it is read, and the kernel is asked for each 4 KB of it.
//!
//! Measured 2026-11-21 on two cores, the whole program with --auto=no, without and with this: python3 with contexts (28 MB)
//! 54.0 and 43.4 ms, cc1plus with contexts 44.8 and 35.8, python3 with contexts and addresses (49 MB) 63.0 and 51.9, cc1plus
//! (20 MB) 21.1 and 18.8 ms. Huge pages for the names of functions alone: 2 to 3%.

#![allow(unsafe_code)]

/// How much address space the heap grows by: what is not written to takes no memory.
const GROWTH: usize = 64 << 20;

/// Asks for huge pages for the heap. To be called before there is another thread.
#[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
pub fn use_huge_pages() {
    use std::ffi::c_int;

    const ALL: c_int = c_int::MAX;
    // SAFETY: `mallopt` sets numbers that later calls of `malloc` go by: that all memory is of the one heap, which
    // grows by much and is never given back. No other thread is there to read them meanwhile.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, ALL);
        libc::mallopt(libc::M_TRIM_THRESHOLD, ALL);
        libc::mallopt(libc::M_TOP_PAD, GROWTH as c_int);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
    // SAFETY: with 0 `sbrk` changes nothing, and tells where the heap ends.
    let end = || unsafe { libc::sbrk(0) } as usize;
    let before = end().next_multiple_of(4096);
    // More than is left of the heap so far: it grows.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 20)));
    let after = end();
    if after > before {
        // SAFETY: the advice changes no contents and takes nothing away, wherever it is for; here it is for what the
        // heap grew by. If it is not taken, all goes on with small pages.
        unsafe { libc::madvise(before as *mut _, after - before, libc::MADV_HUGEPAGE) };
    }
}

/// Elsewhere the heap is as it is.
#[cfg(not(all(target_os = "linux", target_env = "gnu", not(miri))))]
pub fn use_huge_pages() {}
