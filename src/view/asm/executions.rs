//! How often instructions were executed, which is how often they were fetched but for repeated ones.

/// An instruction of a function. `L` identifies a line.
#[derive(Clone, Copy, Debug)]
pub struct Fetched<L> {
    /// Where it is.
    pub address: u64,
    /// Its source line, if it has one.
    pub line: Option<L>,
    /// How often it was fetched: once for each execution and each further round of a repeated one.
    pub fetches: i64,
}

/// All jumps from one instruction to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The address of the instruction that jumps.
    pub from: u64,
    /// Where it jumps to.
    pub to: u64,
    /// Whether it may also not jump.
    pub is_conditional: bool,
    /// How often it jumped.
    pub taken: i64,
    /// How often the profile says that it was executed: too low where it was not taken in a whole block.
    pub executed: i64,
}

/// How often each instruction was executed. Jumps to itself are no executions, but rounds of a repeated instruction.
pub fn executions<L>(code: &[Fetched<L>], jumps: &[Jump]) -> Vec<i64> {
    let mut executions: Vec<i64> = code.iter().map(|one| one.fetches).collect();
    for jump in jumps.iter().filter(|jump| jump.from == jump.to) {
        if let Some(at) = find(code, jump.from) {
            executions[at] -= jump.taken;
        }
    }
    executions
}

/// The number of the instruction at an address.
pub(super) fn find<L>(code: &[Fetched<L>], address: u64) -> Option<usize> {
    code.binary_search_by_key(&address, |one| one.address).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_rounds_of_one_instruction_are_no_executions() {
        let fetched = |address, fetches| Fetched {
            address,
            line: Some(0),
            fetches,
        };
        let code = [fetched(1, 2), fetched(2, 102), fetched(4, 2)];
        let jump = |from, to| Jump {
            from,
            to,
            is_conditional: true,
            taken: 100,
            executed: 102,
        };
        assert_eq!(executions(&code, &[jump(2, 2)]), [2, 2, 2]);
        assert_eq!(executions(&code, &[jump(2, 1)]), [2, 102, 2]);
    }
}
