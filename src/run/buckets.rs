//! The files of `--bucket @FILE`.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::message::display_path;
use crate::io_text::io_text;
use crate::options::Options;
use crate::view::Bucket;

/// The maximum size of such a file, in bytes.
const MAX_BUCKETS: u64 = 1 << 20;

/// Adds the buckets of the files to those of the command line.
pub(super) fn read_files(options: &mut Cow<'_, Options>) -> Result<()> {
    for path in &options.input.bucket_files.clone() {
        let buckets = read(path)?;
        options.to_mut().rows.buckets.extend(buckets);
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Bucket>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BUCKETS + 1).read_to_end(&mut bytes));
    read.map_err(|error| anyhow!("{}: {}", display_path(path), io_text(&error)))?;
    if bytes.len() as u64 > MAX_BUCKETS {
        bail!("{}: more than 1 MiB of buckets", display_path(path));
    }
    let text =
        str::from_utf8(&bytes).map_err(|error| anyhow!("{}: {error}", display_path(path)))?;
    let buckets = Bucket::parse_lines(text);
    buckets.map_err(|(line, error)| anyhow!("{}:{line}: {error}", display_path(path)))
}
