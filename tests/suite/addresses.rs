//! Profiles with addresses and jumps that are written back: a small reader of its own finds the same costs, calls and
//! jumps in what was read and what was written.

use std::io::Read;

use crate::common::corpus::files_of_case;
use crate::common::formats::callgrind::sums;
use crate::common::program::program;

trials![addresses_calls_and_jumps_are_written_back];

fn addresses_calls_and_jumps_are_written_back() {
    for case in ["asm/functions", "asm/contexts"] {
        let path = files_of_case(case).join("profile.out.gz");
        let mut original = Vec::new();
        let file = std::fs::File::open(&path).unwrap();
        flate2::read::GzDecoder::new(file)
            .read_to_end(&mut original)
            .unwrap();
        let written = program()
            .args(["--format=callgrind", "-"])
            .stdin(original.clone())
            .run();
        assert_eq!(written.status, 0, "{}", written.err.escape_ascii());
        let (read, again) = (sums(&original), sums(&written.out));
        assert!(read.len() > 100 && read.keys().any(|key| key.contains("jcnd")));
        assert_eq!(read, again, "{case}");
        // Reading it again changes nothing: also the cost of skipped code is recognized.
        let twice = program()
            .args(["--format=callgrind", "-"])
            .stdin(written.out.clone())
            .run();
        assert!(twice.out == written.out, "{case}");
        let asm = |profile: &[u8]| {
            let args = [
                "--asm=main",
                "--counts",
                "--threshold=0",
                "--objdump=true",
                "-",
            ];
            let page = program().args(args).stdin(profile.to_vec()).run().out;
            let page = String::from_utf8(page).unwrap();
            page[page.find("Instructions").unwrap()..].to_owned()
        };
        assert_eq!(asm(&original), asm(&written.out), "{case}");
    }
}
