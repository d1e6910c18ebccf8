//! Makes small ELF programs and gprof data for them, by hand or at random.

/// A symbol: address, name, binding (0 local, 1 global, 2 weak), type (0 none, 1 object, 2
/// function), and whether it is in the section of the code.
pub type Symbol<'n> = (u64, &'n str, u8, u8, bool);

/// The class, byte order and machine of a program.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub is_wide: bool,
    pub is_big: bool,
    pub number: u16,
}

pub const X86_64: Machine = Machine { is_wide: true, is_big: false, number: 62 };

/// Bytes in the order of a machine.
#[derive(Clone, Debug)]
pub struct Bytes {
    pub bytes: Vec<u8>,
    machine: Machine,
}

impl Bytes {
    pub fn new(machine: Machine) -> Bytes {
        Bytes { bytes: Vec::new(), machine }
    }

    /// A number of this many bytes.
    pub fn number(&mut self, number: u64, size: usize) -> &mut Bytes {
        match self.machine.is_big {
            true => self.bytes.extend(&number.to_be_bytes()[8 - size..]),
            false => self.bytes.extend(&number.to_le_bytes()[..size]),
        }
        self
    }

    /// An address.
    pub fn address(&mut self, address: u64) -> &mut Bytes {
        self.number(address, if self.machine.is_wide { 8 } else { 4 })
    }

    pub fn text(&mut self, text: &[u8]) -> &mut Bytes {
        self.bytes.extend(text);
        self
    }
}

/// A program with a section `.text` and one `.data` behind it, and these symbols.
pub fn program(machine: Machine, text: (u64, u64), symbols: &[Symbol<'_>]) -> Vec<u8> {
    program_with(machine, text, symbols, &[])
}

/// The same with more sections, each with its name.
pub fn program_with(
    machine: Machine,
    text: (u64, u64),
    symbols: &[Symbol<'_>],
    more: &[(&str, Vec<u8>)],
) -> Vec<u8> {
    let wide = machine.is_wide;
    let (header_size, section_size) = if wide { (64, 64) } else { (52, 40) };
    let (start, end) = text;
    let data = (end + 0xfff) & !0xfff;
    let mut strings = vec![0];
    let mut table = Bytes::new(machine);
    table.text(&vec![0; if wide { 24 } else { 16 }]);
    let mut sorted: Vec<_> = symbols.iter().collect();
    // Local symbols come first.
    sorted.sort_by_key(|symbol| symbol.2 != 0);
    let locals = 1 + sorted.iter().filter(|symbol| symbol.2 == 0).count();
    for &&(address, name, binding, kind, is_code) in &sorted {
        let (info, section) = (u64::from(binding << 4 | kind), if is_code { 1 } else { 2 });
        table.number(strings.len() as u64, 4);
        if wide {
            table.number(info, 1).number(0, 1).number(section, 2);
            table.address(address).address(0);
        } else {
            table.address(address).address(0);
            table.number(info, 1).number(0, 1).number(section, 2);
        }
        strings.extend(name.as_bytes());
        strings.push(0);
    }
    let mut names = b"\0.text\0.data\0.symtab\0.strtab\0.shstrtab\0".to_vec();
    // Name, type, flags, address, link, info, size of an entry.
    let entry = if wide { 24 } else { 16 };
    let mut sections = vec![
        (1, 1, 6, start, 0, 0, 0),
        (7, 1, 3, data, 0, 0, 0),
        (13, 2, 0, 0, 4, locals as u64, entry),
        (21, 3, 0, 0, 0, 0, 0),
        (29, 3, 0, 0, 0, 0, 0),
    ];
    for (name, _) in more {
        sections.push((names.len() as u64, 1, 0, 0, 0, 0, 0));
        names.extend([name.as_bytes(), b"\0"].concat());
    }
    let code = vec![0; (end - start) as usize];
    let mut parts: Vec<&[u8]> = vec![&code, &[0; 16], &table.bytes, &strings, &names];
    parts.extend(more.iter().map(|(_, bytes)| &bytes[..]));
    let mut file = Bytes::new(machine);
    file.text(b"\x7fELF");
    file.text(&[1 + u8::from(wide), 1 + u8::from(machine.is_big), 1]);
    file.text(&[0; 9]);
    file.number(2, 2).number(u64::from(machine.number), 2);
    file.number(1, 4).address(start).address(0);
    let body: usize = parts.iter().map(|part| (part.len() + 7) & !7).sum();
    let parts_start = (header_size + 7) & !7;
    file.address((parts_start + body) as u64);
    file.number(0, 4).number(header_size as u64, 2).number(0, 2);
    file.number(0, 2).number(section_size, 2);
    file.number(1 + parts.len() as u64, 2).number(5, 2);
    let mut offsets = Vec::new();
    file.bytes.resize(parts_start, 0);
    for part in &parts {
        offsets.push(file.bytes.len() as u64);
        file.text(part);
        file.bytes.resize((file.bytes.len() + 7) & !7, 0);
    }
    file.bytes.extend(vec![0; section_size as usize]);
    for (at, (name, kind, flags, address, link, info, entry)) in sections.into_iter().enumerate() {
        file.number(name, 4).number(kind, 4).address(flags);
        file.address(address).address(offsets[at]);
        file.address(parts[at].len() as u64);
        file.number(link, 4).number(info, 4).address(8).address(entry);
    }
    file.bytes
}

/// The header of gprof's data.
pub fn gmon(machine: Machine) -> Bytes {
    let mut file = Bytes::new(machine);
    file.text(b"gmon").number(1, 4).text(&[0; 12]);
    file
}

impl Bytes {
    /// A histogram of 100 samples a second.
    pub fn histogram(&mut self, range: (u64, u64), bins: &[u16]) -> &mut Bytes {
        self.number(0, 1).address(range.0).address(range.1);
        self.number(bins.len() as u64, 4).number(100, 4);
        self.text(b"seconds\0\0\0\0\0\0\0\0s");
        for &bin in bins {
            self.number(u64::from(bin), 2);
        }
        self
    }

    /// Calls.
    pub fn calls(&mut self, from: u64, to: u64, count: u64) -> &mut Bytes {
        self.number(1, 1).address(from).address(to).number(count, 4)
    }

    /// Counts of basic blocks.
    pub fn blocks(&mut self, blocks: &[(u64, u64)]) -> &mut Bytes {
        self.number(2, 1).number(blocks.len() as u64, 4);
        for &(address, count) in blocks {
            self.address(address).address(count);
        }
        self
    }
}

/// Numbers at random, the same ones for a seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end.max(1)
    }

    pub fn is_one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}
