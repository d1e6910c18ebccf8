//! The man pages and the completions for shells, made from the definition of the command line.

use clap::ValueEnum;
use clap_complete::Shell;

use super::{gprof, page};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GenerateArgument {
    Man,
    ManGprof,
    CompleteBash,
    CompleteZsh,
    CompleteFish,
}

/// The man page or the completions.
pub(super) fn generate(what: GenerateArgument) -> Vec<u8> {
    let mut text = Vec::new();
    let mut complete = |shell| {
        let mut both = page::command().subcommand(gprof::command().name("gprof"));
        clap_complete::generate(shell, &mut both, "cgannotate", &mut text);
    };
    match what {
        GenerateArgument::CompleteBash => complete(Shell::Bash),
        GenerateArgument::CompleteZsh => complete(Shell::Zsh),
        GenerateArgument::CompleteFish => complete(Shell::Fish),
        // Writing to memory cannot fail.
        GenerateArgument::Man => drop(clap_mangen::Man::new(page::command()).render(&mut text)),
        GenerateArgument::ManGprof => {
            let command = gprof::command().name("cgannotate-gprof");
            drop(clap_mangen::Man::new(command).render(&mut text));
        }
    }
    text
}
