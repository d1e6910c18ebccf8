//! The man pages and the completions for shells, made from the definition of the command line.

use clap::ValueEnum;
use clap_complete::Shell;

use super::{gprof, help, page};

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
        let both = page::command().subcommand(gprof::command().name("gprof"));
        let mut both = both.disable_help_subcommand(true);
        clap_complete::generate(shell, &mut both, "cgannotate", &mut text);
    };
    match what {
        GenerateArgument::CompleteBash => {
            complete(Shell::Bash);
            let script = String::from_utf8_lossy(&text);
            let before = "    prev=\"$3\"\n";
            return script
                .replacen(before, &format!("{before}{AFTER_EQUALS}"), 1)
                .into_bytes();
        }
        GenerateArgument::CompleteZsh => complete(Shell::Zsh),
        GenerateArgument::CompleteFish => complete(Shell::Fish),
        // Writing to memory cannot fail.
        GenerateArgument::Man => drop(help::PAGE.write_man(page::command(), &mut text)),
        GenerateArgument::ManGprof => drop(help::GPROF.write_man(gprof::command(), &mut text)),
    }
    text
}

/// What completes values after `=`, which bash makes a word of its own: `--tree`, `=`, `bo`.
const AFTER_EQUALS: &str = r#"
    if [[ "${cur}" == "=" ]]; then
        cur=""
    elif [[ "${prev}" == "=" && ${COMP_CWORD} -ge 2 ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
"#;
