fn main() {
    let mut all = std::collections::HashMap::<String, Vec<u64>>::new();
    for i in 0..300u64 {
        all.entry((i % 17).to_string()).or_default().push(i * 7919 % 1000);
    }
    let mut sums: Vec<u64> = all.values().map(|one| one.iter().sum()).collect();
    sums.sort_by_key(|sum| sum % 97);
    println!("{sums:?}");
}
