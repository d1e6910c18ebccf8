//! The values of the options of a list.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum NamesArgument {
    Short,
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TreeArgument {
    None,
    #[value(alias = "callers")]
    Caller,
    #[value(alias = "callees")]
    Calling,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum RowByArgument {
    #[value(name = "file:function")]
    FileFunction,
    Function,
    Inlined,
    Line,
    Thread,
    Part,
    File,
    Object,
    Namespace,
    Name,
    Bucket,
    Instruction,
}
