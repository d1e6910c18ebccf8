//! The newest runs of folders that are compared: which run of a folder is the one of the other
//! side, and whether a limit can be judged of it.

use std::path::Path;

use anyhow::{Result, bail};

use super::judgeable::NOT_JUDGED;
use super::message::{display_name, display_path};
use super::newest::{Newest, run_in};
use super::run_name::RunName;
use crate::render::counted;

/// What is compared with the newest run of a folder: that is one of the same benchmark or profile.
#[derive(Default)]
pub(super) struct OtherSide {
    /// What its run is called.
    name: Option<String>,
    /// Whether its run is one of several benchmarks or profiles in its folder.
    is_choice: bool,
}

impl OtherSide {
    /// Adds the run of a folder.
    pub(super) fn add(&mut self, newest: &Newest) {
        self.is_choice |= newest.named() > 1;
        self.name = self.name.take().or_else(|| newest.name.clone());
    }

    /// Adds a file of a run.
    pub(super) fn add_file(&mut self, path: &Path) {
        self.name = self.name.take().or_else(|| name_of_run(path));
    }

    /// The newest run of a folder that is called as the other side is. A run of another name is an
    /// error if a folder of one of them has several, as nobody named these two; the error begins
    /// with `option`.
    pub(super) fn run_in(&self, folder: &Path, option: &str) -> Result<Newest> {
        let newest = run_in(folder, self.name.as_deref(), false)?;
        let is_choice = self.is_choice || newest.named() > 1;
        if let Some(name) = &self.name
            && newest.name.as_ref() != Some(name)
            && is_choice
        {
            let (folder, name) = (display_path(folder), display_name(name));
            bail!("{option}{folder}: no run of {name} there; name the folder or file of each side");
        }
        Ok(newest)
    }
}

/// Checks that a limit is about all that a folder has: one benchmark within its limit says nothing
/// of the others.
pub(super) fn check_limits(folder: &Path, newest: &Newest, has_limits: bool) -> Result<()> {
    let named = newest.named();
    if has_limits && named > 1 {
        let what = if newest.is_benchmark() { "folder" } else { "file" };
        bail!(
            "{}: {}, and a limit is about one; {NOT_JUDGED}. Name the {what} of each",
            display_path(folder),
            counted(named, newest.kind())
        );
    }
    Ok(())
}

/// What the run of a file is called, if it is not only the number of a process.
fn name_of_run(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let run = RunName::parse(name, |_| false).unwrap_or_else(|| RunName::of_other(name, |_| false));
    let (pid, _, name) = run.key;
    pid.is_none().then_some(name.0)
}
