//! The build script, which makes the compact style and script of the page for browsers: at run
//! time that would take a third of the time of a small page.

mod compact;
mod short_names;
mod texts;

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

use compact::{compact_script, compact_style};
use texts::{SCRIPT, STYLE};

fn main() -> io::Result<()> {
    // The texts are part of this script, which is built again when one of them changes.
    println!("cargo::rerun-if-changed=src/render/html/build.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(folder.join("page.css"), compact_style(STYLE))?;
    fs::write(folder.join("page.js"), compact_script(SCRIPT))
}
