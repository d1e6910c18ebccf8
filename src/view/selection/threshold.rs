//! Up to which part of the total rows are listed.

/// A percentage of the total, as the user wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// How it was written, and is shown.
    pub text: String,
    /// From 0 to 100.
    pub percent: f64,
}

impl Threshold {
    /// One that lets all pass.
    pub fn all() -> Threshold {
        Threshold {
            text: "100".to_owned(),
            percent: 100.0,
        }
    }

    /// One that lists all there is, also what adds nothing.
    pub fn unlimited() -> Threshold {
        Threshold {
            percent: f64::INFINITY,
            ..Threshold::all()
        }
    }

    /// A threshold of 0 to 100, a percent sign behind it tolerated.
    pub fn parse(text: &str) -> Option<Threshold> {
        let text = text.strip_suffix('%').unwrap_or(text);
        let is_number = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let percent: f64 = text.parse().ok().filter(|_| is_number)?;
        (percent <= 100.0).then(|| Threshold {
            text: text.to_owned(),
            percent,
        })
    }
}

impl Default for Threshold {
    fn default() -> Threshold {
        Threshold {
            text: "99".to_owned(),
            percent: 99.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds() {
        for (text, percent) in [
            ("99", 99.0),
            ("50%", 50.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("007", 7.0),
            ("100", 100.0),
        ] {
            assert_eq!(
                Threshold::parse(text).map(|t| t.percent),
                Some(percent),
                "{text}"
            );
        }
        for text in [
            "", "%", ".", "101", "-1", "1e1", "nan", "inf", "1.2.3", "5 ", "+5",
        ] {
            assert_eq!(Threshold::parse(text), None, "{text}");
        }
    }
}
