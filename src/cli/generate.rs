//! The man pages and the shell completions, of both commands.

use clap::Command;
use clap_complete::Shell;

use super::output::GenerateArgument;
use super::{gprof, help, page};

pub(super) fn generate(what: GenerateArgument) -> Vec<u8> {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    match what {
        GenerateArgument::CompleteBash => return bash().into_bytes(),
        GenerateArgument::CompleteZsh => return zsh().into_bytes(),
        GenerateArgument::CompleteFish => return fish().into_bytes(),
        GenerateArgument::Man => drop(help::PAGE.write_man(page::command(), &mut page)),
        GenerateArgument::ManGprof => drop(help::GPROF.write_man(gprof::command(), &mut page)),
    }
    page
}

fn script(shell: Shell, mut command: Command, name: &str) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn bash() -> String {
    let both = page::command().subcommand(gprof::command().name("gprof"));
    let both = both.disable_help_subcommand(true);
    let script = script(Shell::Bash, both, "cgannotate");
    let before = "    prev=\"$3\"\n";
    script.replacen(before, &format!("{before}{AFTER_EQUALS}"), 1)
}

/// Completes values after `=`, which bash takes as a separate word: `--tree`, `=`, `bo`.
const AFTER_EQUALS: &str = r#"
    if [[ "${cur}" == "=" ]]; then
        cur=""
    elif [[ "${prev}" == "=" && ${COMP_CWORD} -ge 2 ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
"#;

/// Both commands in one script: as a subcommand clap_complete would offer gprof after files, and complete none of its
/// options.
fn zsh() -> String {
    // With two colons, options after a file would not be completed.
    let script = |command, name| script(Shell::Zsh, command, name).replace("'*::", "'*:");
    let gprof = script(gprof::command(), "cgannotate_gprof");
    let start = gprof.find("_cgannotate_gprof() {").unwrap_or_default();
    let end = gprof.rfind("if [ \"$funcstack").unwrap_or(gprof.len());
    let page = script(page::command(), "cgannotate");
    let begin = "_cgannotate() {\n";
    page.replacen(begin, &[&gprof[start..end], begin, ZSH_CHOICE].concat(), 1)
}

const ZSH_CHOICE: &str = r#"    if (( CURRENT == 2 )); then
        compadd -X "" gprof
    elif [[ "$words[2]" == gprof ]]; then
        words=(cgannotate_gprof "${(@)words[3,-1]}")
        (( CURRENT-- ))
        _cgannotate_gprof
        return
    fi
"#;

/// Both commands in one script: as a subcommand clap_complete would offer files as values of options, and no options after
/// files.
fn fish() -> String {
    let lines = |command, condition: &str| {
        let complete = "complete -c cgannotate ";
        script(Shell::Fish, command, "cgannotate")
            .replace(complete, &format!("{complete}-n '{condition}' "))
    };
    let page = lines(page::command(), "not __fish_cgannotate_gprof");
    let gprof = lines(gprof::command(), "__fish_cgannotate_gprof");
    [FISH_CHOICE, &page, &gprof].concat()
}

const FISH_CHOICE: &str = r#"function __fish_cgannotate_gprof
    set -l words (commandline -opc)
    test "$words[2]" = gprof
end

complete -c cgannotate -n 'test (count (commandline -opc)) -eq 1' -a gprof -d 'gprof\'s views'
"#;
