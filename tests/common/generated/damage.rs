//! Damages a text: bytes are changed, lines are removed, repeated or moved.

use super::model::Dice;

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

/// What happens to a file on a disk that is full or fails.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// The end is lost.
    Cut,
    /// Some bytes are lost.
    Gap,
    /// Some lines are lost.
    Lines,
    /// Some bytes are NUL.
    Hole,
    /// One byte is another one.
    Byte,
    /// One bit is another one.
    Bit,
}

impl Damage {
    pub const ALL: [Damage; 6] =
        [Damage::Cut, Damage::Gap, Damage::Lines, Damage::Hole, Damage::Byte, Damage::Bit];
}

/// A text with damage of a kind; it differs from the text.
pub fn struck(text: &[u8], kind: Damage, dice: &mut Dice<'_>) -> Vec<u8> {
    let mut bytes = text.to_vec();
    // A cut that leaves out no more than the last newline loses nothing.
    let at = dice.below(text.len() - 2);
    let end = text.len().min(at + 1 + dice.below(64));
    match kind {
        Damage::Cut => bytes.truncate(at),
        Damage::Gap => drop(bytes.drain(at..end)),
        Damage::Lines => {
            let is_newline = |byte: &u8| *byte == b'\n';
            let start = text[..at].iter().rposition(is_newline).map_or(0, |at| at + 1);
            let end = text[end - 1..].iter().position(is_newline).map_or(text.len(), |n| end + n);
            drop(bytes.drain(start..end));
        }
        Damage::Hole => bytes[at..end].fill(0),
        Damage::Byte => bytes[at] ^= 1 + dice.below(255) as u8,
        Damage::Bit => bytes[at] ^= 1 << dice.below(8),
    }
    bytes
}
