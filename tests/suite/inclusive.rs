//! The rule of inclusive costs (`laws::functions_follow_the_rule`) for all profiles of testdata.

use std::cell::Cell;

use cgannotate::internal::profile::SuffixFold;
use cgannotate::internal::read::ReadOptions;

use crate::common::corpus;
use crate::common::generated::laws;

trials![testdata_follows_the_rule];

fn testdata_follows_the_rule() {
    for fold in [SuffixFold::default(), corpus::BOTH_SUFFIXES] {
        let options = ReadOptions {
            fold,
            ..ReadOptions::default()
        };
        let (consistent, members) = (Cell::new(0), Cell::new(0));
        corpus::for_each(&corpus::profiles_read(&options), |profile| {
            members.set(members.get() + laws::functions_follow_the_rule(profile));
            laws::rows_are_within_bounds(profile);
            let is_consistent = laws::is_consistent(profile) && !profile.calls().is_empty();
            consistent.set(consistent.get() + usize::from(is_consistent));
        });
        let (consistent, members) = (consistent.get(), members.get());
        assert!(consistent >= 60, "only {consistent} are consistent");
        assert!(members >= 40, "only {members} members of cycles");
    }
}
