//! Makes the compact style and script of the page for browsers, which would take a third of the
//! time of a small page.

#[path = "src/render/html/compact.rs"]
mod compact;
#[path = "src/render/html/short_names.rs"]
mod short_names;
#[path = "src/render/html/texts.rs"]
mod texts;

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

use compact::{compact_script, compact_style};
use texts::{SCRIPT, STYLE};

fn main() -> io::Result<()> {
    // The texts are part of this script, which is built again when one of them changes.
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(folder.join("page.css"), compact_style(STYLE))?;
    fs::write(folder.join("page.js"), compact_script(SCRIPT))
}
