//! The man pages and the shell completions, of all commands.

use clap::Command;
use clap_complete::Shell;

use super::output::GenerateArgument;
use super::{OtherCommand, help, page, record};

pub(super) fn generate(what: GenerateArgument, gprof: &OtherCommand) -> Vec<u8> {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    match what {
        GenerateArgument::CompleteBash => return bash((gprof.command)()).into_bytes(),
        GenerateArgument::CompleteZsh => return zsh((gprof.command)()).into_bytes(),
        GenerateArgument::CompleteFish => return fish((gprof.command)()).into_bytes(),
        GenerateArgument::Man => drop(help::PAGE.write_man(page::command(), &mut page)),
        GenerateArgument::ManGprof => drop(gprof.texts.write_man((gprof.command)(), &mut page)),
        GenerateArgument::ManRecord => {
            drop(help::RECORD.write_man(record::command(), &mut page));
        }
    }
    page
}

fn script(shell: Shell, mut command: Command, name: &str) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn bash(gprof: Command) -> String {
    let all = page::command()
        .subcommand(gprof.name("gprof"))
        .subcommand(record::command().name("record"))
        .disable_help_subcommand(true);
    let script = script(Shell::Bash, all, "cgannotate");
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

/// All commands in one script: as subcommands clap_complete would offer them after files, and
/// complete none of their options.
fn zsh(gprof: Command) -> String {
    // With two colons, options after a file would not be completed.
    let script = |command, name: &str| script(Shell::Zsh, command, name).replace("'*::", "'*:");
    let function = |command, name: &str| {
        let text = script(command, name);
        let start = text.find(&format!("_{name}() {{")).unwrap_or_default();
        let end = text.rfind("if [ \"$funcstack").unwrap_or(text.len());
        text[start..end].to_owned()
    };
    let gprof = function(gprof, "cgannotate_gprof");
    let record = function(record::command(), "cgannotate_record");
    let page = script(page::command(), "cgannotate");
    let begin = "_cgannotate() {\n";
    page.replacen(begin, &[&gprof, &record, begin, ZSH_CHOICE].concat(), 1)
}

const ZSH_CHOICE: &str = r#"    if (( CURRENT == 2 )); then
        compadd -X "" gprof record
    elif [[ "$words[2]" == (gprof|record) ]]; then
        local command="_cgannotate_$words[2]"
        words=("${command#_}" "${(@)words[3,-1]}")
        (( CURRENT-- ))
        "$command"
        return
    fi
"#;

/// All commands in one script: as subcommands clap_complete would offer files as values of options,
/// and no options after files.
fn fish(gprof: Command) -> String {
    let lines = |command, condition: &str| {
        let complete = "complete -c cgannotate ";
        script(Shell::Fish, command, "cgannotate")
            .replace(complete, &format!("{complete}-n '{condition}' "))
    };
    let page = lines(page::command(), "not __fish_cgannotate_is gprof record");
    let gprof = lines(gprof, "__fish_cgannotate_is gprof");
    let record = lines(record::command(), "__fish_cgannotate_is record");
    [FISH_CHOICE, &page, &gprof, &record].concat()
}

const FISH_CHOICE: &str = r#"function __fish_cgannotate_is
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv
end

complete -c cgannotate -n 'test (count (commandline -opc)) -eq 1' -a gprof -d 'gprof\'s views'
complete -c cgannotate -n 'test (count (commandline -opc)) -eq 1' -a record -d 'record a profile'
"#;
