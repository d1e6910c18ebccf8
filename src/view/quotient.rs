//! Quotients of costs and calls.

/// A quotient by a positive number, rounded; halves away from 0.
pub fn rounded(count: i128, by: i128) -> i128 {
    let half = if count < 0 { -by } else { by };
    (2 * count + half) / (2 * by)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn halves_are_rounded_away_from_0() {
        let table =
            [(5, 2, 3), (-5, 2, -3), (4, 3, 1), (-4, 3, -1), (107_114, 2_000, 54), (0, 7, 0)];
        for (count, by, expected) in table {
            assert_eq!(rounded(count, by), expected, "{count} by {by}");
        }
    }
}
