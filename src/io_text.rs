//! The texts of the system's errors.

use std::io;

/// The text of an error without the number that the standard library writes behind the system's
/// text, such as `No such file or directory (os error 2)`.
pub fn io_text(error: &io::Error) -> String {
    let text = error.to_string();
    let of_code = error.raw_os_error().map(|code| format!(" (os error {code})"));
    match of_code.and_then(|code| text.strip_suffix(&code)) {
        Some(without) => without.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::io_text;

    #[test]
    fn a_number_is_left_out_only_of_the_systems_errors() {
        let of_system = io::Error::from_raw_os_error(2);
        assert!(!io_text(&of_system).contains("os error"), "{of_system}");
        let of_file = io::Error::other("odd (os error 2)");
        assert_eq!(io_text(&of_file), "odd (os error 2)");
    }
}
