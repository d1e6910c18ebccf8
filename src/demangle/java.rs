//! Names of Java, as GCJ mangled them: those of C++ with Java's types, and with the type of the
//! result behind the parameters, as in `java.io.InputStream.read(byte[], int, int)int`.

use super::printed::printed;

/// Types that have other names in Java than in C++.
const TYPES: [(&str, &str); 5] = [
    ("bool", "boolean"),
    ("char", "byte"),
    ("long long", "long"),
    ("unsigned int", "unsigned"),
    ("wchar_t", "char"),
];

/// The name in Java; none if it is that of a template or an operator, which only C++ has.
pub(super) fn demangle(symbol: &str) -> Option<String> {
    let (name, types) = symbol.split_at(end_of_name(symbol)?);
    let Some(types) = types.strip_prefix('J') else {
        return printed(symbol).map(|text| in_java(&text));
    };
    // C++ has no type of the result here, so it is read as that of the first parameter.
    let text = in_java(&printed(&[name, types].concat())?);
    let (name, list) = text.strip_suffix(')')?.split_once('(')?;
    let (result, parameters) = list.split_once(", ")?;
    let parameters = if parameters == "void" { "" } else { parameters };
    Some(format!("{name}({parameters}){result}"))
}

/// The end of a mangled name: of an identifier, or of several in `N` and `E`, of which the last can
/// be that of a constructor or destructor.
fn end_of_name(symbol: &str) -> Option<usize> {
    let rest = symbol.strip_prefix("_Z")?;
    let types = match rest.strip_prefix('N') {
        None => after_identifier(rest)?,
        Some(mut rest) => {
            while let Some(after) = after_identifier(rest) {
                rest = after;
            }
            for special in ["C1", "C2", "D0", "D1", "D2"] {
                rest = rest.strip_prefix(special).unwrap_or(rest);
            }
            rest.strip_prefix('E')?
        }
    };
    (!types.starts_with('I')).then_some(symbol.len() - types.len())
}

/// What is behind an identifier, which stands behind its length.
fn after_identifier(text: &str) -> Option<&str> {
    let (length, after) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    after.get(length.parse().ok()?..)
}

/// A name of C++ with dots, without pointers, and with `X[]` for `JArray<X>`.
fn in_java(text: &str) -> String {
    let ends_piece = ['(', ')', '<', '>', '*', ','];
    let mut java = String::with_capacity(text.len());
    // By open bracket whether it is that of an array.
    let mut brackets = Vec::new();
    for piece in text.split_inclusive(ends_piece) {
        let word = piece.trim_end_matches(ends_piece).trim_start();
        let is_array = word == "JArray" && piece.ends_with('<');
        let is_type = |(of_cpp, _): &&(&str, &str)| !java.is_empty() && *of_cpp == word;
        let of_java = TYPES.iter().find(is_type).map(|(_, of_java)| of_java.to_string());
        let space = if piece.starts_with(' ') { " " } else { "" };
        java.push_str(space);
        if !is_array {
            java.push_str(&of_java.unwrap_or_else(|| word.replace("::", ".")));
        }
        match piece.chars().next_back() {
            Some('<') => {
                brackets.push(is_array);
                java.push_str(if is_array { "" } else { "<" });
            }
            Some('>') if brackets.pop() == Some(true) => {
                java.truncate(java.trim_end().len());
                java.push_str("[]");
            }
            Some(end) if end != '*' && ends_piece.contains(&end) => java.push(end),
            _ => {}
        }
    }
    java
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What GNU gprof 2.40 prints with `--demangle=java`.
    #[test]
    fn names_of_java_as_gprof_prints_them() {
        let names = [
            ("_ZN4java4lang6ObjectC1Ev", "java.lang.Object.Object()"),
            ("_ZN4java4lang5ClassD1Ev", "java.lang.Class.~Class()"),
            (
                "_ZN4java4lang6String7valueOfEPNS0_6ObjectE",
                "java.lang.String.valueOf(java.lang.Object)",
            ),
            ("_ZN4java4lang6String7valueOfEP6JArrayIwE", "java.lang.String.valueOf(char[])"),
            (
                "_ZN4java4lang6String6formatEJPS1_S2_P6JArrayIPNS0_6ObjectEE",
                "java.lang.String.format(java.lang.String, java.lang.Object[])java.lang.String",
            ),
            (
                "_ZN4java4util7HashMap3putEJPNS_4lang6ObjectES3_S3_",
                "java.util.HashMap.put(java.lang.Object, java.lang.Object)java.lang.Object",
            ),
            ("_ZN4java2io11PrintStream7printlnEJvb", "java.io.PrintStream.println(boolean)void"),
            (
                "_ZN4java2io11InputStream4readEJiP6JArrayIcEii",
                "java.io.InputStream.read(byte[], int, int)int",
            ),
            (
                "_ZN3gnu3gcj7convert6CharToEwcsilxbfd",
                "gnu.gcj.convert.CharTo(char, byte, short, int, long, long, boolean, float, double)",
            ),
            (
                "_ZN5words4mainEJvP6JArrayIPN4java4lang6StringEE",
                "words.main(java.lang.String[])void",
            ),
            ("_ZN5words5tableEJP6JArrayIPS0_IxEEv", "words.table()long[][]"),
            ("_ZN1a1fEJP6JArrayIfEP6JArrayIPS0_IdEE", "a.f(double[][])float[]"),
            ("_ZN1a1bC1EJvi", "a.b.b(int)void"),
            ("_ZN5words6class$E", "words.class$"),
            // A function of GCJ's library, in C++.
            ("_Z13_Jv_InitClassPN4java4lang5ClassE", "_Jv_InitClass(java.lang.Class)"),
            ("_Z4mainiPPc", "main(int, byte)"),
            ("_ZN1a4_$_bEJvi", "a._$_b(int)void"),
            // `E` and `J` in an identifier, and a member with the name of a type.
            ("_ZN3HEJ1fEJbx", "HEJ.f(long)boolean"),
            ("_ZN1a4charEJcPNS_4boolE", "a.char(a.bool)byte"),
            ("_ZN4boolC1Ev", "bool.bool()"),
            ("_Z4boolv", "bool()"),
            ("_ZN1a1fEthj", "a.f(unsigned short, unsigned char, unsigned)"),
        ];
        for (symbol, expected) in names {
            assert_eq!(demangle(symbol).as_deref(), Some(expected), "{symbol}");
        }
        // Names of C++ alone, and such as are cut.
        for symbol in [
            "main",
            "_Z1fIiEvT_",
            "_ZN1a1fIiEEvT_",
            "_ZN1aplERKS_",
            "_ZN9words",
            "_ZN1a1fEJ",
            "_ZN1a1fEJv",
        ] {
            assert_eq!(demangle(symbol), None, "{symbol}");
        }
    }
}
