#[inline(never)]
fn twice<F: Fn(u64) -> u64>(f: F, n: u64) -> u64 {
    (0..n).fold(0, |sum, i| sum ^ f(i) ^ f(i + 1))
}
fn mix(x: u64) -> u64 {
    (0..5).fold(x, |x, i| (x ^ x >> 7).wrapping_mul(0x9e3779b97f4a7c15 + i))
}
#[inline(never)]
fn expensive() -> u64 {
    twice(mix, 3000)
}
#[inline(never)]
fn cheap() -> u64 {
    twice(|x| x + 1, 1000)
}
fn main() {
    println!("{} {}", expensive(), cheap());
}
