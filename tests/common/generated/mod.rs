//! Profiles and programs that are made from random numbers, complete and damaged, what has to be
//! known of them, and what is true of any. The fuzz targets use them too.

pub mod damage;
pub mod elf;
pub mod expected;
pub mod grammar;
pub mod laws;
pub mod model;
pub mod simulated;
pub mod tables;
