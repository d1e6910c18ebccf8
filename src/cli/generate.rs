//! The manual page and the completions for shells, made of the command line's own definition.

use clap::{Command, ValueEnum};
use clap_complete::Shell;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GenerateArgument {
    Man,
    CompleteBash,
    CompleteZsh,
    CompleteFish,
}

/// The text that is asked for.
pub(super) fn generate(what: GenerateArgument, mut command: Command) -> Vec<u8> {
    let mut text = Vec::new();
    let name = command.get_name().to_owned();
    let mut complete = |shell| clap_complete::generate(shell, &mut command, &*name, &mut text);
    match what {
        GenerateArgument::CompleteBash => complete(Shell::Bash),
        GenerateArgument::CompleteZsh => complete(Shell::Zsh),
        GenerateArgument::CompleteFish => complete(Shell::Fish),
        // Nothing goes wrong in writing to memory.
        GenerateArgument::Man => drop(clap_mangen::Man::new(command).render(&mut text)),
    }
    text
}
