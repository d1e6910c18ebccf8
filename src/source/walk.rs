//! Walks folders; and the files below the include folders by base name, for the search by path
//! suffix.
//!
//! A walk is bounded, skips hidden folders (`.git`) and does not follow links to folders, so it
//! terminates. Include folders are walked once, and only if a source was not found otherwise.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::path::Path;

use super::path;

/// The maximum number of files and directories to examine below each include directory. The Linux
/// kernel has some 90,000, which take about a tenth of a second.
pub const MAX_ENTRIES: usize = 250_000;

/// The maximum for a hint, without an include directory; takes a few milliseconds.
pub(super) const MAX_HINT_ENTRIES: usize = 5_000;

/// Where a walk ends.
#[derive(Clone, Copy, Debug)]
pub struct WalkBounds {
    /// The maximum number of files and directories to examine.
    pub entries: usize,
    /// The maximum number of folders from the first one to a file.
    pub depth: usize,
}

#[derive(Debug, Default)]
pub(super) struct Index {
    /// All folders, with trailing slashes, each with its path components from the root.
    folders: Vec<(Vec<u8>, Vec<Vec<u8>>)>,
    /// By base name the folders with such a file.
    files: HashMap<Vec<u8>, Vec<usize>>,
    pub(super) walked: Vec<WalkSummary>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkSummary {
    pub folder: Vec<u8>,
    /// The number of examined files below it.
    pub files: usize,
    pub is_complete: bool,
}

/// A file with the right base name.
pub(super) struct Candidate {
    pub(super) path: Vec<u8>,
    /// The number of components that its path and the name share at their ends.
    pub(super) matched: usize,
}

/// Calls `visit` with each folder at and below `root`, which have trailing slashes, and with the
/// names of its files: those nearest to `root` first.
pub fn walk(
    root: &[u8],
    bounds: WalkBounds,
    mut visit: impl FnMut(&[u8], Vec<Vec<u8>>),
) -> WalkSummary {
    let (mut seen, mut examined, mut is_complete) = (0, 0, true);
    let mut waiting = VecDeque::from([(root.to_vec(), 0)]);
    while let Some((folder, depth)) = waiting.pop_front().filter(|_| is_complete) {
        let Ok(entries) = fs::read_dir(path(&folder)) else {
            continue;
        };
        let (mut below, mut files) = (Vec::new(), Vec::new());
        for entry in entries.flatten() {
            seen += 1;
            if seen > bounds.entries {
                is_complete = false;
                break;
            }
            let name = entry.file_name().into_encoded_bytes();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !name.starts_with(b".") => below.push(name),
                Ok(kind) if kind.is_file() || kind.is_symlink() && is_file(&entry.path()) => {
                    files.push(name);
                }
                _ => {}
            }
        }
        examined += files.len();
        visit(&folder, files);
        // Sorted, so that the walk is cut at the same file every time.
        below.sort_unstable();
        let below = below.iter().filter(|_| depth < bounds.depth);
        waiting.extend(below.map(|name| ([&folder[..], name, b"/"].concat(), depth + 1)));
    }
    WalkSummary { folder: root.to_vec(), files: examined, is_complete }
}

impl Index {
    /// Walks the folders, which have trailing slashes.
    pub(super) fn of(folders: &[Vec<u8>], max: usize) -> Index {
        let mut index = Index::default();
        folders.iter().for_each(|folder| index.walk(folder, max));
        index
    }

    fn walk(&mut self, root: &[u8], max: usize) {
        let summary =
            walk(root, WalkBounds { entries: max, depth: usize::MAX }, |folder, files| {
                let number = self.folders.len();
                self.folders.push((folder.to_vec(), components(&absolute(folder))));
                for name in files {
                    self.files.entry(name).or_default().push(number);
                }
            });
        self.walked.push(summary);
    }

    /// The best matches of `name`: the files whose paths share the longest suffix with it.
    pub(super) fn best(&self, name: &[u8]) -> Vec<Candidate> {
        let wanted = components(name);
        let Some((base, parents)) = wanted.split_last() else {
            return Vec::new();
        };
        // The number of components at the ends of both paths.
        let shared_by = |own: &[Vec<u8>]| {
            let pairs = parents.iter().rev().zip(own.iter().rev());
            pairs.take_while(|(a, b)| a == b).count()
        };
        let folders = self.files.get(base).map_or(&[][..], Vec::as_slice);
        let mut candidates: Vec<Candidate> = folders
            .iter()
            .filter_map(|&number| self.folders.get(number))
            .map(|(folder, own)| Candidate {
                path: [&folder[..], base].concat(),
                matched: 1 + shared_by(own),
            })
            .collect();
        let longest = candidates.iter().map(|candidate| candidate.matched).max();
        candidates.retain(|candidate| Some(candidate.matched) == longest);
        // A file may have several paths, through links or repeated folders.
        let mut seen = HashSet::new();
        candidates.retain(|candidate| {
            let real = fs::canonicalize(path(&candidate.path));
            seen.insert(real.unwrap_or_default())
        });
        candidates
    }
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file())
}

pub(super) fn absolute(folder: &[u8]) -> Vec<u8> {
    let absolute = std::path::absolute(path(folder));
    let bytes = absolute.map(|path| path.into_os_string().into_encoded_bytes());
    bytes.unwrap_or_else(|_| folder.to_vec())
}

/// The components of a path, normalised: `a/./b/../c` is `a`, `c`. A profile may come from a system
/// with `\` as separator.
pub(super) fn components(name: &[u8]) -> Vec<Vec<u8>> {
    let mut components: Vec<Vec<u8>> = Vec::new();
    for component in name.split(|&b| b == b'/' || b == b'\\') {
        match component {
            b"" | b"." => {}
            b".." => drop(components.pop()),
            _ => components.push(component.to_vec()),
        }
    }
    components
}

pub fn basename(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// Whether the last components of a name are those of another one.
pub fn ends_with(name: &[u8], end: &[u8]) -> bool {
    let end_of = components(end);
    !end.starts_with(b"/") && !end_of.is_empty() && components(name).ends_with(&end_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_without_detours() {
        let table = [
            ("/a/./b/../c.c", "a c.c"),
            ("./elf/../sysdeps/x.S", "sysdeps x.S"),
            ("../../a", "a"),
            (r"C:\www\index.php", "C: www index.php"),
            ("/", ""),
        ];
        for (name, expected) in table {
            let parts = components(name.as_bytes()).join(&b' ');
            assert_eq!(String::from_utf8(parts).unwrap(), expected);
        }
    }

    #[test]
    fn a_walk_is_bounded_and_passes_hidden_folders_by() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a/x.c", "b/x.c", ".git/x.c", "a/y.c"] {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let root = [folder.path().as_os_str().as_encoded_bytes(), b"/"].concat();
        let index = Index::of(std::slice::from_ref(&root), 10);
        let best = index.best(b"/elsewhere/x.c");
        let below = best.iter().map(|found| &found.path[root.len()..]);
        assert_eq!(below.collect::<Vec<_>>(), [b"a/x.c", b"b/x.c"]);
        assert_eq!(index.best(b"/elsewhere/b/x.c").len(), 1);
        assert!(index.best(b"z.c").is_empty());
        let [walked] = &index.walked[..] else { panic!() };
        assert_eq!((&walked.folder, walked.files, walked.is_complete), (&root, 3, true));
        // Three folders, one of which is hidden, and three files.
        for (entries, is_complete) in [(6, true), (5, false), (4, false)] {
            let index = Index::of(std::slice::from_ref(&root), entries);
            assert_eq!(index.walked[0].is_complete, is_complete, "{entries}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_do_not_lead_in_circles_and_one_file_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("x.c"), "").unwrap();
        std::os::unix::fs::symlink(root, root.join("loop")).unwrap();
        fs::create_dir(root.join("more")).unwrap();
        std::os::unix::fs::symlink(root.join("x.c"), root.join("more/x.c")).unwrap();
        let name = [root.as_os_str().as_encoded_bytes(), b"/"].concat();
        let best = Index::of(&[name.clone(), name], 10).best(b"/gone/x.c");
        assert_eq!(best.len(), 1);
    }
}
