//! What tests share, and where a new test belongs. From the cheapest kind on:
//!
//! 1. **A unit test in src**, beside the code: what a type promises that no command shows.
//! 2. **A golden case** (`testdata/golden`, a text file): what one command prints for one input. The first choice; `case`
//!    describes the files.
//! 3. **A law** (`generated::laws`): what is true of every profile, such as that rows add up. It is written once, called by
//!    `laws::hold`, and so checked for all profiles of testdata (`corpus`), for those that `generated` makes, whole, damaged or
//!    unusual (`generated::grammar`), and by the fuzz targets (`tests/fuzz`). What formats have in common is in `suite`.
//! 4. **The model** (`generated::model`): a program that is made from random numbers is run, its profile written and read, and
//!    every view compared with what was executed.
//! 5. **A test of the running program** (`suite`): what needs a process or a folder, such as a terminal, a pipe, a full disk, a
//!    limit of memory, or a file that is written.
//! 6. **An oracle** (`oracles`): what another program prints for the same input, callgrind_annotate, gprof, objdump or gcov.
//! 7. **Growth** (`growth`): that four times the input takes four times the time.
//!
//! `trials!` lists the tests of a module, `trials_of!` those of several. `program` runs programs,
//! in a `Folder` of files where they need one, `corpus` has all profiles of testdata, and `formats`
//! one reader a format.

#[macro_use]
mod trials;

pub mod case;
pub mod corpus;
pub mod formats;
pub mod generated;
pub mod gprof_page;
pub mod program;
pub mod walk;
pub use trials::trial;
