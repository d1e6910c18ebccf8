//! The file that a report is written to, whole or not at all: it is written beside its place and moved there at the end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// A file that is being written.
pub(super) enum OutputFile {
    /// One that is not there before it is finished.
    Beside {
        file: BufWriter<NamedTempFile>,
        place: PathBuf,
    },
    /// A pipe, a terminal or another device, which is there already.
    Device(BufWriter<File>),
}

impl OutputFile {
    /// Begins to write the file at `path`. A link stays one; what it leads to is replaced.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn create(path: &Path) -> Result<OutputFile> {
        let known = fs::metadata(path).ok();
        if known.as_ref().is_some_and(|known| known.is_dir()) {
            bail!("{}: is a directory", path.display());
        }
        // These directories hold devices, and links to open files of any kind.
        let is_device = ["/dev", "/proc"]
            .iter()
            .any(|folder| path.starts_with(folder));
        if is_device || known.as_ref().is_some_and(|known| !known.is_file()) {
            let file = OpenOptions::new().append(true).open(path);
            let file = file.with_context(|| path.display().to_string())?;
            return Ok(OutputFile::Device(BufWriter::new(file)));
        }
        let place = fs::canonicalize(path).or_else(|_| end_of_links(path));
        let place = place.with_context(|| path.display().to_string())?;
        let folder = place
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cgannotate-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")));
        let file = file.and_then(|file| {
            if let Some(known) = known {
                file.as_file().set_permissions(known.permissions())?;
            }
            Ok(file)
        });
        let folder = folder.unwrap_or(Path::new("."));
        let file = file.map_err(|error| without_temporary_name(error, folder));
        let file = file.with_context(|| path.display().to_string())?;
        Ok(OutputFile::Beside {
            file: BufWriter::new(file),
            place,
        })
    }

    /// Whether a terminal shows what is written.
    pub(super) fn is_terminal(&self) -> bool {
        match self {
            OutputFile::Beside { .. } => false,
            OutputFile::Device(file) => file.get_ref().is_terminal(),
        }
    }

    /// Moves the file to its place.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            OutputFile::Device(mut file) => Ok(file.flush()?),
            OutputFile::Beside { file, place } => {
                let done = file
                    .into_inner()
                    .map_err(io::IntoInnerError::into_error)
                    .and_then(|file| Ok(file.persist(&place)?));
                done.with_context(|| place.display().to_string())?;
                Ok(())
            }
        }
    }
}

/// Where a link leads that leads to nothing yet, or the path of no link.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        match fs::read_link(&place) {
            Ok(target) => place = place.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(place),
        }
    }
    // The links are a circle, which is its error.
    fs::metadata(path).map(|_| place)
}

/// The error without the name of the temporary file, which means nothing to the user.
fn without_temporary_name(error: io::Error, folder: &Path) -> io::Error {
    let of_folder = fs::metadata(folder).err();
    of_folder.unwrap_or_else(|| io::Error::from(error.kind()))
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OutputFile::Beside { file, .. } => file.write(bytes),
            OutputFile::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            OutputFile::Beside { file, .. } => file.flush(),
            OutputFile::Device(file) => file.flush(),
        }
    }
}
