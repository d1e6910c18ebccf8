//! Plain names, compared with what cpp_demangle prints.

use proptest::prelude::*;

use super::{BUILTIN_TYPES, OPERATORS, print};
use crate::demangle::{expand, print_any};

/// The text of a name; none if it is not plain.
fn plain(name: &str) -> Option<String> {
    let expanded = expand::expand(name)?;
    let text = print(&expanded.name, &expanded.texts)?;
    let expected = print_any(&expanded.name, &expanded.texts);
    assert_eq!(Some(&text), expected.as_ref(), "{name}");
    Some(text)
}

#[test]
fn each_kind_of_plain_name() {
    let table = [
        ("_Z1fv", "f()"),
        (
            "_Z1fPKcRKdOiVl",
            "f(char const*, double const&, int&&, long volatile)",
        ),
        ("_ZNK1a1b1cEmS0_", "a::b::c(unsigned long, a::b) const"),
        ("_ZN1aC1Ei", "a::a(int)"),
        ("_ZN1aD2Ev", "a::~a()"),
        ("_ZN1aIiEC1IlEET_", "a<int>::a<long>(long)"),
        ("_Z1fIiEvT_", "void f<int>(int)"),
        ("_Z1fIiJEEvT_DpT0_", "void f<int>(int)"),
        ("_ZN1aplERKS_", "a::operator+(a const&)"),
        (
            "_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_",
            "std::remove_reference<int&>::type&& std::move<int&>(int&)",
        ),
        ("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"),
        ("_ZN1a1fB5cxx11Ev", "a::f[abi:cxx11]()"),
        ("_ZZ1fvE1x", "f()::x"),
        (
            "_Z1fI1aILb1ELj3ELin2EEEvT_",
            "void f<a<true, 3u, -2> >(a<true, 3u, -2>)",
        ),
    ];
    for (name, text) in table {
        assert_eq!(plain(name).as_deref(), Some(text), "{name}");
    }
    for (sign, text) in BUILTIN_TYPES {
        let name = format!("_Z1fP{}", char::from(sign));
        assert_eq!(plain(&name), Some(format!("f({text}*)")), "{name}");
    }
    for operator in OPERATORS.split_ascii_whitespace() {
        let (letters, sign) = operator.split_at(2);
        let name = format!("_ZN1a{letters}Ei");
        assert_eq!(
            plain(&name),
            Some(format!("a::operator{sign}(int)")),
            "{name}"
        );
    }
}

/// Types and names of these, in a mangled name.
fn types() -> impl Strategy<Value = String> {
    let simple = prop::sample::select(vec!["i", "c", "m", "b", "1a", "N1b1cE", "Ss"]);
    simple
        .prop_map(str::to_owned)
        .prop_recursive(3, 12, 3, |inner| {
            let sign = prop::sample::select(vec!["P", "R", "O", "K", "PK", "V"]);
            let arguments = prop::collection::vec(inner.clone(), 1..3);
            prop_oneof![
                (sign, inner).prop_map(|(sign, of)| format!("{sign}{of}")),
                arguments.prop_map(|all| format!("1tI{}E", all.concat())),
            ]
        })
}

/// Each of these was once printed otherwise than by cpp_demangle.
#[test]
fn names_that_were_wrong_before() {
    for name in ["_Z1fIEvOi", "_Z1fI1tIViEEvi"] {
        let _ = plain(name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn plain_names_are_printed_as_others(
        name in prop::sample::select(vec!["1f", "N1b1fE", "NK1b1fE", "N1bC1E", "N1bplE", "N1tIiE1fE"]),
        parameters in prop::collection::vec(types(), 1..4),
        arguments in prop::collection::vec(types(), 0..3),
    ) {
        let _ = plain(&format!("_Z{name}{}", parameters.concat()));
        let template = format!("_Z1fI{}Ev{}", arguments.concat(), parameters.concat());
        let _ = plain(&template);
    }
}
