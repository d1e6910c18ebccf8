//! The instructions of a profile, or of both sides of a difference.

use std::io::Write;

use anyhow::{Context as _, Result, bail};

use super::super::Context;
use super::super::input::display_paths;
use super::super::message;
use crate::options::Report;
use crate::profile::{Code, Sides};
use crate::render::with_commas;
use crate::view::asm::{Instructions, Rebuilt};

/// What a profile without addresses lacks.
const NO_ADDRESSES: &str =
    "the profile has no addresses of instructions (callgrind writes them with --dump-instr=yes)";

/// What a profile without jumps lacks.
const NO_JUMPS: &str = "the profile has no jumps (callgrind writes them with --collect-jumps=yes)";

/// What a profile of other events lacks.
const NO_EXECUTIONS: &str =
    "without Ir the profile does not say how often instructions were executed";

impl Context<'_> {
    /// The instructions of the profile, if they or what follows from them is shown.
    pub(in crate::run) fn instructions(&self) -> Result<Option<Sides<Instructions<'_>>>> {
        let options = &self.options.code;
        if !options.is_shown() {
            return Ok(None);
        }
        let profile = &self.input.profile;
        let in_files = || display_paths(&self.input.paths);
        let in_base = || display_paths(&self.options.input.base);
        let is_enough = |code: &&Code| code.has_addresses || !options.needs_addresses();
        let sides = profile.sides();
        let new = sides.new.code().filter(is_enough);
        let new = new.with_context(|| format!("{}: {NO_ADDRESSES}", in_files()))?;
        if options.jumps && new.jumps.is_empty() {
            bail!("{}: {NO_JUMPS}", in_files());
        }
        let base = sides.base.as_ref().map(|base| {
            let code = base.code().filter(is_enough);
            let code = code.with_context(|| format!("{}: {NO_ADDRESSES}", in_base()));
            code.map(|code| Instructions::new(profile, code))
        });
        let sides = Sides {
            new: Instructions::new(profile, new),
            base: base.transpose()?,
        };
        // The blocks of a graph have executions.
        let is_graph = matches!(self.options.report, Report::Dot { .. });
        if (options.counts || is_graph) && !sides.new.has_executions() {
            bail!("{}: {NO_EXECUTIONS}", in_files());
        }
        Ok(Some(sides))
    }

    /// The objects that were rebuilt between the profiles of a difference, each with a warning.
    pub(in crate::run) fn rebuilt(
        &self,
        sides: &Sides<Instructions<'_>>,
        err: &mut impl Write,
    ) -> Result<Vec<Rebuilt>> {
        let rebuilt = sides
            .base
            .as_ref()
            .map(|base| sides.new.rebuilt_since(base));
        let rebuilt = rebuilt.unwrap_or_default();
        for one in &rebuilt {
            let object = self.input.profile.defined_object(one.object);
            let object = object.unwrap_or(b"???").escape_ascii();
            let (same, common) = (with_commas(one.same as i64), with_commas(one.common as i64));
            let why = format!("{same} of {common} common addresses have the same line");
            let text = format!(
                "{object}: rebuilt between the profiles ({why}); its instructions are not compared"
            );
            message::warn(err, text)?;
        }
        Ok(rebuilt)
    }
}
