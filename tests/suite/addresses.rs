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
        let mut file = flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap());
        file.read_to_end(&mut original).unwrap();
        let print = |options: &[&str], profile: &[u8]| {
            let run = program().args(options).arg("-").stdin(profile).run();
            assert_eq!(run.status, 0, "{}", run.error());
            run.out
        };
        let written = print(&["--format=callgrind"], &original);
        let (read, again) = (sums(&original), sums(&written));
        assert!(read.len() > 100 && read.keys().any(|key| key.contains("jcnd")));
        assert_eq!(read, again, "{case}");
        // Reading it again changes nothing: also the cost of skipped code is recognized.
        let twice = print(&["--format=callgrind"], &written);
        assert!(twice == written, "{case}");
        let asm = |profile: &[u8]| {
            let options = ["--asm=main", "--counts", "--threshold=0", "--objdump=true"];
            let page = String::from_utf8(print(&options, profile)).unwrap();
            page[page.find("Instructions").unwrap()..].to_owned()
        };
        assert_eq!(asm(&original), asm(&written), "{case}");
    }
}
