//! Short keys that start the order of rows by file and name, so that few names are compared in full.

use std::cmp::Ordering;

use crate::profile::{FileId, Profile};

/// The first eight bytes of a name, as a number of the same order.
pub(super) fn first_bytes(name: &[u8]) -> u64 {
    let first = name.first_chunk().copied().unwrap_or_else(|| {
        let mut short = [0; 8];
        short[..name.len()].copy_from_slice(name);
        short
    });
    u64::from_be_bytes(first)
}

/// The rank of a file among all, by its name and a colon.
#[derive(Clone, Copy, Default)]
pub(super) struct FileRank {
    /// From 1.
    pub(super) rank: u32,
    /// Whether several files have this rank, since `a` and `a:b` do not decide the order of `a:x` and `a:b:x`.
    pub(super) is_shared: bool,
}

/// The ranks of all files of a profile.
pub(super) fn file_ranks(profile: &Profile) -> Vec<FileRank> {
    let files: Vec<&[u8]> = profile.files().collect();
    ranks(&files)
}

fn ranks(names: &[&[u8]]) -> Vec<FileRank> {
    let mut files: Vec<(&[u8], u32)> = names.iter().copied().zip(0..).collect();
    files.sort_unstable_by(|(a, _), (b, _)| cmp_with_colon(a, b));
    let mut ranks = vec![FileRank::default(); files.len()];
    let continues = |(a, _): &(&[u8], u32), (b, _): &(&[u8], u32)| {
        b.strip_prefix(*a)
            .is_some_and(|rest| rest.starts_with(b":"))
    };
    let (mut rank, mut rest) = (1, &files[..]);
    while let [first, others @ ..] = rest {
        let others = others
            .iter()
            .take_while(|other| continues(first, other))
            .count();
        let (same, after) = rest.split_at(1 + others);
        for &(_, file) in same {
            let is_shared = others > 0;
            ranks[FileId(file).index()] = FileRank { rank, is_shared };
        }
        (rank, rest) = (rank + 1, after);
    }
    ranks
}

/// Compares two texts as if each were followed by a colon.
fn cmp_with_colon(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let rest = |text: &[u8]| text.get(common).copied().unwrap_or(b':');
    // Where both are at a colon, one of them ends: it comes first, as nothing follows its colon.
    let by_rest = || rest(a).cmp(&rest(b)).then(a.len().cmp(&b.len()));
    a[..common].cmp(&b[..common]).then_with(by_rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_in_the_order_of_their_labels() {
        let names: [&[u8]; 9] = [
            b"a", b"a:b", b"a.c", b"a:b:c", b"ab", b"b", b"", b"a:", b"A",
        ];
        let ranks = ranks(&names);
        for (a, rank_a) in names.iter().zip(&ranks) {
            for (b, rank_b) in names.iter().zip(&ranks) {
                let label = |file: &[u8]| [file, b":"].concat();
                if rank_a.rank != rank_b.rank {
                    let expected = label(a).cmp(&label(b));
                    assert_eq!(rank_a.rank.cmp(&rank_b.rank), expected);
                } else if a != b {
                    assert!(rank_a.is_shared && rank_b.is_shared);
                }
                if label(b).starts_with(&label(a)) {
                    assert_eq!(rank_a.rank, rank_b.rank);
                }
            }
        }
    }
}
