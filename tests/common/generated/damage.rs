//! Damages a text: bytes are changed, lines are removed, repeated or moved.

/// Damages a text by a list of numbers: what, where, and how.
pub fn damaged(text: &[u8], damages: &[(u8, u16, u8)]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    for &(kind, at, value) in damages {
        let at = usize::from(at) % lines.len();
        let other = (at + usize::from(value)) % lines.len();
        let column = usize::from(value) % (lines[at].len() + 1);
        match kind % 6 {
            0 => lines[at].truncate(column),
            1 => lines[at].insert(column, b"0189+-*.()= \0\xff"[usize::from(kind / 6) % 14]),
            2 => lines.swap(at, other),
            3 => {
                let line = lines[at].clone();
                lines.insert(other, line);
            }
            4 if lines.len() > 1 => drop(lines.remove(at)),
            4 => {}
            _ => {
                let byte = lines[at].get_mut(column);
                byte.into_iter().for_each(|b| *b ^= 1 << (kind / 6 % 8));
            }
        }
    }
    lines.join(&b'\n')
}
