//! The page: a header, the total, a list of rows and annotated sources.

use std::io::Write;

use anyhow::{Context as _, Result};

use super::Context;
use super::input::display_paths;
use crate::options::{ListOptions, Page};
use crate::profile::Overflow;
use crate::render::{self, PageHeader, Tree, TreeCalls};
use crate::view::{Calls, Cycles, FunctionList, Grouping, Inclusive, Rest, Rows, both};

/// How many calls make it worth a thread to find the cycles among them: these take some 0.3 ms.
const MANY_CALLS: usize = 10_000;

impl<'r> Context<'r> {
    /// Writes the page.
    pub(super) fn write_page(
        &self,
        page: &Page,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let (options, profile) = (&page.list, &self.input.profile);
        let asm = page.asm.as_ref();
        let asm = asm
            .map(|asm| anyhow::Ok((asm, self.instructions(asm)?)))
            .transpose()?;
        let annotates = page.annotation.auto || !self.input.sources.is_empty();
        let needs_cycles = options.inclusive || options.tree != Tree::None || annotates;
        // Groups are in no cycles, but the functions that are called in sources are.
        let are_groups = self.options.rows.grouping != Grouping::Function;
        let needs_cycles = if are_groups { annotates } else { needs_cycles };
        let needs_cycles = needs_cycles && options.cycles;
        let find_cycles = || match needs_cycles {
            true => Cycles::find(profile),
            false => Cycles::none(profile),
        };
        let are_many = needs_cycles && profile.calls.len() > MANY_CALLS;
        let find_rows = || Rows::new(profile, &self.options.rows);
        let (mut cycles, mut rows) = both(are_many, find_cycles, find_rows);
        if options.tree != Tree::None {
            rows.look_at_names();
        }
        let list = self
            .list(options, &mut rows, &mut cycles)
            .with_context(|| display_paths(&self.input.paths))?;

        let header = PageHeader {
            folders: &self.options.input.folders,
            user_annotated: &self.input.sources,
            auto: page.annotation.auto,
            base: profile.base.as_ref().map_or(&[], |base| &base.parts),
        };
        render::write_header(
            &header,
            &profile.parts,
            &profile.events,
            &self.selection,
            self.style(),
            out,
        )?;
        render::write_total(&self.total, &profile.events, self.style(), out)?;
        if profile.base.is_some()
            && list.items.is_empty()
            && list.rest.as_ref().is_none_or(Rest::is_empty)
            && self.total.cost.iter().all(|count| count.or_zero() == 0)
        {
            return Ok(render::write_no_difference(out)?);
        }
        self.write_list(options.tree, &list, &rows, &cycles, out)?;
        if options.inclusive && !are_groups {
            render::write_cycles(&cycles, out)?;
        }
        if let Some((asm, instructions)) = &asm {
            self.write_asm(asm, instructions, &list, &rows, out, err)?;
        }
        if annotates {
            self.write_sources(&page.annotation, &list, &rows, &cycles, out, err)?;
        }
        Ok(())
    }

    /// The list of rows, by self or inclusive cost.
    pub(super) fn list(
        &self,
        options: &ListOptions,
        rows: &mut Rows<'r>,
        cycles: &mut Cycles,
    ) -> Result<FunctionList, Overflow> {
        let (profile, selection) = (&self.input.profile, &self.selection);
        if options.inclusive {
            let inclusive = Inclusive::new(profile, rows, cycles, selection)?;
            FunctionList::by_inclusive_cost(rows, selection, &self.total, &inclusive)
        } else {
            FunctionList::by_self_cost(profile, rows, selection, &self.total)
        }
    }

    fn write_list(
        &self,
        tree: Tree,
        list: &FunctionList,
        rows: &Rows<'r>,
        cycles: &Cycles,
        out: &mut impl Write,
    ) -> Result<()> {
        let events = &self.input.profile.events;
        if tree == Tree::None {
            return Ok(render::write_functions(
                list,
                rows,
                None,
                events,
                self.style(),
                out,
            )?);
        }
        let calls = Calls::new(&self.input.profile, rows, cycles);
        let calls = calls.with_context(|| display_paths(&self.input.paths))?;
        let tree = TreeCalls {
            tree,
            calls: &calls,
            selection: &self.selection,
        };
        Ok(render::write_functions(
            list,
            rows,
            Some(&tree),
            events,
            self.style(),
            out,
        )?)
    }
}
