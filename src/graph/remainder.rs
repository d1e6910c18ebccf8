//! Whole numbers split by weights, by the method of the largest remainder.

/// Splits a whole number by weights: each part is within one of its exact share, and all parts add up to the number. What
/// is left over by rounding down goes to the largest remainders, of equal ones to the first. The weights are not below 0,
/// and one of them is above.
pub fn split(amount: i128, weights: &[i128]) -> Vec<i128> {
    let total: i128 = weights.iter().sum();
    if total == 0 || weights.len() == 1 {
        let whole = (0..weights.len()).map(|at| if at == 0 { amount } else { 0 });
        return whole.collect();
    }
    // A negative amount, as differences that were read as profiles have, is split as its positive.
    let (sign, amount) = (amount.signum(), amount.abs());
    let exact = weights.iter().map(|&weight| amount * weight);
    let exact: Vec<i128> = exact.collect();
    let mut parts: Vec<i128> = exact.iter().map(|share| share / total).collect();
    let left = amount - parts.iter().sum::<i128>();
    if left > 0 {
        let remainders: Vec<i128> = exact.iter().map(|share| share % total).collect();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(remainders[at]));
        // Fewer than there are parts.
        for &at in order.iter().take(left as usize) {
            parts[at] += 1;
        }
    }
    parts.iter_mut().for_each(|part| *part *= sign);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        let table: [(i128, &[i128], &[i128]); 11] = [
            (10, &[1, 1, 1], &[4, 3, 3]),
            (10, &[2, 1], &[7, 3]),
            (5, &[0, 3, 0], &[0, 5, 0]),
            (-10, &[1, 1, 1], &[-4, -3, -3]),
            (0, &[1, 2], &[0, 0]),
            (7, &[0], &[7]),
            (7, &[0, 0], &[7, 0]),
            (1, &[3, 1], &[1, 0]),
            (10_000, &[2, 1], &[6667, 3333]),
            (2, &[3, 3, 4], &[1, 0, 1]),
            (
                i64::MAX as i128,
                &[i64::MAX as i128, i64::MAX as i128],
                &[i64::MAX as i128 / 2 + 1, i64::MAX as i128 / 2],
            ),
        ];
        for (amount, weights, parts) in table {
            let split = split(amount, weights);
            assert_eq!(split, parts, "{amount} {weights:?}");
            assert_eq!(parts.iter().sum::<i128>(), amount);
        }
    }
}
