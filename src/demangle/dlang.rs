//! Names of D, by the ABI of the language: `_D4math3sumFAiZi` is the function `math.sum(int[])`.
//! What c++filt does not read stays as it is, and what it prints is printed the same way: without
//! the attributes and the result of the function. Names are here, `arguments` has those of
//! templates, `types` has types.

mod arguments;
mod types;

use super::MAX_LEN;

/// How deep names and types may be within others.
const MAX_DEPTH: usize = 100;

/// How many names, types and values are read of one symbol. References make it read some again.
const MAX_STEPS: usize = 100_000;

/// Members that the compiler names, and how the source has them.
const MEMBERS: [(&str, &str); 3] =
    [("6__ctor", "this"), ("6__dtor", "~this"), ("10__postblitMFZ", "this(this)")];

/// What the compiler makes for a class or module, without a type.
const MADE: [(&str, &str); 5] = [
    (".__init", "initializer for "),
    (".__vtbl", "vtable for "),
    (".__Class", "ClassInfo for "),
    (".__Interface", "Interface for "),
    (".__ModuleInfo", "ModuleInfo for "),
];

/// The name in D; none if it is not mangled.
pub(super) fn demangle(symbol: &str) -> Option<String> {
    if symbol == "_Dmain" {
        return Some("D main".to_owned());
    }
    let mut reader =
        DNameReader { symbol, at: 0, depth: 0, steps: 0, written: 0, last_reference: symbol.len() };
    let name = reader.mangled_name()?;
    (reader.at == symbol.len() && name.len() <= MAX_LEN).then_some(name)
}

struct DNameReader<'s> {
    symbol: &'s str,
    at: usize,
    depth: usize,
    steps: usize,
    /// The number of bytes of all texts so far: references can double a name repeatedly.
    written: usize,
    /// Where the innermost reference to a type is that is being read. Others within what it refers
    /// to are before it, so that none leads back to itself.
    last_reference: usize,
}

impl<'s> DNameReader<'s> {
    fn rest(&self) -> &'s str {
        self.symbol.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    fn skips(&mut self, text: &str) -> bool {
        let begins = self.rest().starts_with(text);
        if begins {
            self.at += text.len();
        }
        begins
    }

    /// Reads what is within something else.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == MAX_DEPTH || self.steps == MAX_STEPS {
            return None;
        }
        self.depth += 1;
        self.steps += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// The text, if all texts together are not too long.
    fn bounded(&mut self, text: String) -> Option<String> {
        self.written += text.len();
        (self.written <= 16 * MAX_LEN).then_some(text)
    }

    fn number(&mut self) -> Option<usize> {
        let digits = self.digits(|byte| byte.is_ascii_digit());
        digits.parse().ok()
    }

    fn digits(&mut self, is_digit: impl Fn(u8) -> bool) -> &'s str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !is_digit(byte)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// `_D`, the name, and its type or `Z`.
    fn mangled_name(&mut self) -> Option<String> {
        if !self.skips("_D") {
            return None;
        }
        let name = self.qualified_name(true)?;
        if self.skips("Z") {
            let made = MADE.iter().find_map(|(end, made)| {
                let of = name.strip_suffix(end)?;
                Some([*made, of].concat())
            });
            return Some(made.unwrap_or(name));
        }
        self.read_type()?;
        Some(name)
    }

    /// Names with dots between them, each with its parameters if it is a function.
    fn qualified_name(&mut self, has_modifiers: bool) -> Option<String> {
        let mut name = String::new();
        loop {
            // Names without text.
            while self.skips("0") {}
            if self.begins_name() {
                if !name.is_empty() {
                    name.push('.');
                }
                let part = self.nested(Self::name)?;
                name.push_str(&part);
                let start = self.at;
                match self.nested(|reader| reader.function_of_name(has_modifiers)) {
                    Some(parameters) => name.push_str(&parameters),
                    None => self.at = start,
                }
            }
            if !self.begins_name() && self.peek() != Some(b'0') {
                break;
            }
        }
        self.bounded(name).filter(|name| !name.is_empty())
    }

    /// The parameters of a function, and what its object is.
    fn function_of_name(&mut self, has_modifiers: bool) -> Option<String> {
        let modifiers = if self.skips("M") { self.modifiers() } else { String::new() };
        self.convention()?;
        self.attributes();
        let parameters = self.parameters()?;
        Some(if has_modifiers {
            format!("({parameters}){modifiers}")
        } else {
            format!("({parameters})")
        })
    }

    fn begins_name(&self) -> bool {
        match self.peek() {
            Some(b'1'..=b'9') => true,
            Some(b'_') => self.rest().starts_with("__T") || self.rest().starts_with("__U"),
            Some(b'Q') => {
                let target = self.reference(self.at).map(|(target, _)| target);
                let byte = target.and_then(|target| self.symbol.as_bytes().get(target));
                byte.is_some_and(u8::is_ascii_digit)
            }
            _ => false,
        }
    }

    /// Where the reference at a place leads, and where it ends: the distance in base 26, whose last
    /// digit is lowercase.
    fn reference(&self, at: usize) -> Option<(usize, usize)> {
        let mut distance = 0usize;
        for (end, byte) in self.symbol.bytes().enumerate().skip(at + 1) {
            let digit = usize::from(byte.to_ascii_lowercase().checked_sub(b'a')?);
            if digit >= 26 {
                return None;
            }
            distance = distance.checked_mul(26)?.checked_add(digit)?;
            if byte.is_ascii_lowercase() {
                let target = at.checked_sub(distance).filter(|_| distance > 0)?;
                return Some((target, end + 1));
            }
        }
        None
    }

    fn name(&mut self) -> Option<String> {
        if self.peek() == Some(b'Q') {
            let (target, end) = self.reference(self.at)?;
            self.at = target;
            let name = self.identifier();
            self.at = end;
            return name;
        }
        if self.peek() == Some(b'_') { self.template(None) } else { self.identifier() }
    }

    /// A length in bytes and a name of that length, which may be an instance of a template.
    fn identifier(&mut self) -> Option<String> {
        let known = MEMBERS.iter().find(|(member, _)| self.skips(member));
        if let Some((_, known)) = known {
            return Some((*known).to_owned());
        }
        let length = self.number()?;
        let name = self.rest().get(..length)?;
        let number = name.strip_prefix("__S").filter(|number| !number.is_empty());
        if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            // A scope that the compiler numbers; it is not printed.
            self.at += length;
            return self.nested(Self::identifier);
        }
        if length >= 5 && (name.starts_with("__T") || name.starts_with("__U")) {
            return self.template(Some(length));
        }
        self.at += length;
        Some(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What c++filt 2.40 prints with `-s dlang`, which gprof prints too: names of D's library, and
    /// others.
    #[test]
    fn names_as_cxxfilt_prints_them() {
        let names = [
            (
                "_D3std6format8internal4read12__ModuleInfoZ",
                "ModuleInfo for std.format.internal.read",
            ),
            (
                "_D3std3uni__T9BitPackedTkVmi15ZQs6__initZ",
                "initializer for std.uni.BitPacked!(uint, 15uL).BitPacked",
            ),
            ("_D3std6int1286Int1286__ctorMFNaNbNcNiNflZSQBoQBnQBj", "std.int128.Int128.this(long)"),
            (
                "_D3std5stdio4File17LockingTextWriter10__postblitMFNeZv",
                "std.stdio.File.LockingTextWriter.__postblit()",
            ),
            (
                "_D3std5stdio17LockingTextReader10__postblitMFZv",
                "std.stdio.LockingTextReader.this(this)",
            ),
            (
                "_D3std3xml12checkCharRefFNaNfKAyaJwZv",
                "std.xml.checkCharRef(ref immutable(char)[], out dchar)",
            ),
            (
                "_D4core6thread8osthread6Thread6__ctorMFNaNbNiNfDFZvmZCQCaQByQBuQBo",
                "core.thread.osthread.Thread.this(void() delegate, ulong)",
            ),
            (
                "_D4core4time8Duration__T10opOpAssignVAyaa1_2bTSQBtQBrQBpZQBhMFNaNbNcNiNfxSQCuQCsQCqZQBm",
                "core.time.Duration.opOpAssign!(\"+\", core.time.Duration).opOpAssign(const(core.time.Duration))",
            ),
            (
                "_D3std6base64__T10Base64ImplVai45Vai95Vai0Z12encodeLengthFNaNbNiNfImZm",
                "std.base64.Base64Impl!('-', '_', '\\x00').encodeLength(in ulong)",
            ),
            (
                "_D2rt6dmain212_d_run_main2UAAamPUQgZiZ6runAllMFZv",
                "rt.dmain2._d_run_main2(char[][], ulong, extern(C) int(char[][]) function).runAll()",
            ),
            (
                "_D6object__T3getTmTmZQjFNaNfNgHmmmLNgmZNgm",
                "object.get!(ulong, ulong).get(inout(ulong[ulong]), ulong, lazy inout(ulong))",
            ),
            (
                "_D3std4path__T9buildPathTaZQnFNaNbNfAAxaXAya",
                "std.path.buildPath!(char).buildPath(const(char)[][]...)",
            ),
            (
                "_D3std4file__T5rmdirTAyaZQlFQhZ12trustedRmdirFNbNiNeMPxaZb",
                "std.file.rmdir!(immutable(char)[]).rmdir(immutable(char)[]).trustedRmdir(scope const(char)*)",
            ),
            (
                "_D3gcc9backtrace10formatLineFxSQBdQBc10SymbolInfoNkKG1536aZAa",
                "gcc.backtrace.formatLine(const(gcc.backtrace.SymbolInfo), return ref char[1536])",
            ),
            (
                "_D3std12experimental9allocator12gc_allocator11GCAllocator13goodAllocSizeMOxFNaNbNiNfmZm",
                "std.experimental.allocator.gc_allocator.GCAllocator.goodAllocSize(ulong) shared const",
            ),
            (
                "_D3std5range__T6RepeatTaZQk4backMNgFNaNbNdNiNfZNga",
                "std.range.Repeat!(char).Repeat.back() inout",
            ),
            ("_Dmain", "D main"),
            ("_D4math3sumFAiZi", "math.sum(int[])"),
            (
                "_D3foo3barFHiAyaDxFZvB2aiZv",
                "foo.bar(immutable(char)[][int], void() delegate const, Tuple!(char, int))",
            ),
            ("_D3foo3barFiYv", "foo.bar(int, ...)"),
            ("_D3foo3barFYv", "foo.bar(...)"),
            (
                "_D3foo3barFMNkKiNhG4fPyPiZv",
                "foo.bar(scope return ref int, __vector(float[4]), immutable(int*)*)",
            ),
            (
                "_D3foo3barFPRiZvWZvZv",
                "foo.bar(extern(C++) void(int) function, extern(Windows) void() function)",
            ),
            (
                "_D3foo__T3barVai10Vui65Vwi65Vhi1Vli2ViN3Vbi1Z3bazFZv",
                "foo.bar!('\\x0a', '\\u0041', '\\U00000041', 1u, 2L, -3, true).baz()",
            ),
            (
                "_D3foo__T3barVdeN0A8PN6VfeNANVfeINFVqc1P6c1P6Z3bazFZv",
                "foo.bar!(-0x0.A8p-6, NaN, Inf, 0x1.p6+0x1.p6i).baz()",
            ),
            (
                "_D3foo__T3barVAyaa5_610a5c07ffVAyww1_62Z3bazFZv",
                "foo.bar!(\"a\\n\\\\x07\\xff\", \"b\"w).baz()",
            ),
            (
                "_D3foo__T3barVAiA2i1i2VHiiA1i3i4VS3foo1SS2i1i2VPinZ3bazFZv",
                "foo.bar!([1, 2], [3:4], foo.S(1, 2), null).baz()",
            ),
            (
                "_D3foo__T3barS3foo3bazS_D3foo3bazFZvX3abcHTiZ3bazFZv",
                "foo.bar!(foo.baz, foo.baz(), abc, int).baz()",
            ),
            (
                "_D3foo3barFnNnvgzizkfdeopjqrcuwZv",
                "foo.bar(typeof(null), typeof(*null), void, byte, cent, ucent, float, double, real, ifloat, idouble, ireal, cfloat, cdouble, creal, wchar, dchar)",
            ),
            ("_D3foo4__S13bazFZv", "foo.baz()"),
            // The length of a name in an argument, as older compilers have it.
            ("_D3foo__T3barS13_D3foo3bazFZvZ3bazFZv", "foo.bar!(foo.baz()).baz()"),
            ("_D3foo3barFS3foo1C3bazMxFZ1SZv", "foo.bar(foo.C.baz().S)"),
            ("_D8demangle22__T4testVAyaa3_616263Z4testFZv", "demangle.test!(\"abc\").test()"),
            ("_D3foo0i", "foo"),
            ("_D3foo6__vtbli", "foo.__vtbl"),
        ];
        for (symbol, expected) in names {
            assert_eq!(demangle(symbol).as_deref(), Some(expected), "{symbol}");
        }
        // Other names, such as are cut, and references that lead nowhere or to themselves.
        for symbol in [
            "main",
            "_Z3fooi",
            "_D",
            "_D3foo",
            "_D3foo3barFZvx",
            "_D3foo3barFI3fooT3barZv",
            "_D3foo3barMxOyFZv",
            "_D3foo3defQBxZ",
            "_D3foo__T3barVdeZ3bazFZv",
            "_D3foo5__T9xZ3bazFZv",
            "_D3foo9__T3barTiZ3bazFZv",
            "_D3fooFQbZv",
        ] {
            assert_eq!(demangle(symbol), None, "{symbol}");
        }
    }

    /// They fit the stack of a thread, and take little time.
    #[test]
    fn long_and_deep_names() {
        let shapes: [fn(usize) -> String; 9] = [
            |n| format!("_D1a{}i", "P".repeat(n)),
            |n| format!("_D1aF{}{}v", "F".repeat(n), "Z".repeat(n)),
            |n| format!("_D1a{}{}FZv", "__T1a".repeat(n), "Z".repeat(n)),
            |n| format!("_D1aF{}Zv", "AiQb".repeat(n)),
            |n| format!("_D1aFB2ii{}Zv", "B2QcQe".repeat(n)),
            |n| format!("_D1a__T1a{}Z", "S11111111".repeat(n)),
            |n| format!("_D1a__T1aS{}aZ", "1".repeat(n)),
            |n| format!("_D1a__T1a{}", "S41__T1a".repeat(n)),
            |n| format!("_D1aFS1aF{}", "S1aF".repeat(n)),
        ];
        for (number, shape) in shapes.iter().enumerate() {
            for n in [10, 50, 100, 250, 1000, 20_000, 100_000] {
                let name = demangle(&shape(n)).unwrap_or_default();
                assert!(name.len() <= MAX_LEN, "{number} {n}");
            }
        }
    }
}
