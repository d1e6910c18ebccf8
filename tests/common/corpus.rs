//! The files of all golden cases, in folders, and all profiles of testdata, each once.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cgannotate::internal::profile::{Profile, SuffixFold};
use cgannotate::internal::read::{self, Detail, ReadOptions};
use cgannotate::internal::view::RowBy;

use super::case::{self, Case};
use super::generated::tables::read_file;

/// The file of testdata with this path.
pub fn testdata(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(path)
}

/// The same as text.
pub fn path_of(path: &str) -> String {
    testdata(path).into_os_string().into_string().unwrap()
}

/// A folder with the files of a golden case.
pub fn files_of_case(name: &str) -> PathBuf {
    cases().join(name)
}

/// The golden case with this name.
pub fn case(name: &str) -> Case {
    let path = testdata("golden").join(format!("{name}.txt"));
    let text = fs::read_to_string(path).unwrap();
    Case::parse(&text).unwrap()
}

/// A folder with a folder for each golden case, made once for each state of testdata.
fn cases() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let texts: Vec<(String, String)> = case::files()
            .into_iter()
            .map(|(name, path)| (name, fs::read_to_string(path).unwrap()))
            .collect();
        let mut inputs = Vec::new();
        case::walk(&case::profiles(), &mut inputs).unwrap();
        let mut hasher = DefaultHasher::new();
        texts.hash(&mut hasher);
        for path in inputs {
            (&path, fs::read(&path).unwrap()).hash(&mut hasher);
        }
        let all = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = all.join(format!("cases-{:x}", hasher.finish()));
        if !folder.exists() {
            let new = tempfile::tempdir_in(all).unwrap();
            for (name, text) in texts {
                let case = Case::parse(&text).unwrap();
                case.write_to(&new.path().join(name)).unwrap();
            }
            let new = new.keep();
            if fs::rename(&new, &folder).is_err() {
                // Another process was faster.
                fs::remove_dir_all(new).unwrap();
            }
        }
        folder
    })
}

/// All files that are profiles, each content once.
pub fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in [&testdata("words"), &testdata("languages"), cases()] {
        case::walk(folder, &mut files).unwrap();
    }
    let mut seen = HashSet::new();
    files.retain(|path| read::is_profile(path) && seen.insert(fs::read(path).unwrap()));
    files
}

/// All profiles with their files, errors left out.
pub fn profiles() -> Vec<(PathBuf, Profile)> {
    profiles_read(&ReadOptions::default())
}

/// The same, read with options.
pub fn profiles_read(options: &ReadOptions) -> Vec<(PathBuf, Profile)> {
    let read = |path: PathBuf| {
        let profile = read_file(&path, options);
        profile.ok().map(|profile| (path, profile))
    };
    let profiles: Vec<_> = files().into_iter().filter_map(read).collect();
    assert!(profiles.len() >= 100, "where are the profiles?");
    profiles
}

/// The same, read for rows of this kind.
pub fn profiles_by(row_by: RowBy) -> Vec<(PathBuf, Profile)> {
    let options = ReadOptions {
        detail: Detail { divide_by: row_by.divide_by(), ..Detail::default() },
        ..ReadOptions::default()
    };
    let divided = |profile: Profile| match row_by {
        RowBy::Line => profile.divided_by_line().unwrap(),
        _ => profile,
    };
    let profiles =
        profiles_read(&options).into_iter().map(|(path, profile)| (path, divided(profile)));
    profiles.collect()
}

/// All that callgrind puts behind names.
pub const BOTH_SUFFIXES: SuffixFold = SuffixFold { callers: true, recursion: true };

/// Says which file it was if that panics.
struct Named<'p>(&'p Path);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in {}", self.0.display());
        }
    }
}

/// Checks each profile, and says which one it was if that panics. Returns of how many the check
/// says that it was about them.
pub fn check(profiles: &[(PathBuf, Profile)], check: impl Fn(&Path, &Profile) -> bool) -> usize {
    let checked = profiles.iter().filter(|(path, profile)| {
        let _named = Named(path);
        check(path, profile)
    });
    checked.count()
}

/// The same of all profiles, of which at least `least` have to be checked.
pub fn check_each(least: usize, of_one: impl Fn(&Path, &Profile) -> bool) {
    let checked = check(&profiles(), of_one);
    assert!(checked >= least, "only {checked} profiles");
}

/// Compares something in each file, and at least `least` of it in all.
pub fn compare_files(least: usize, of_one: impl Fn(&Path) -> Option<usize>) {
    let files = files();
    let compared: usize = files
        .iter()
        .filter_map(|path| {
            let _named = Named(path);
            of_one(path)
        })
        .sum();
    assert!(compared >= least, "only {compared} were compared");
}

/// Checks each profile.
pub fn for_each(profiles: &[(PathBuf, Profile)], of_one: impl Fn(&Profile)) {
    check(profiles, |_, profile| {
        of_one(profile);
        true
    });
}
