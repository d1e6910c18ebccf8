//! The style of a report: what its options and its format say of columns, widths and numbers.

use super::Context;
use crate::render::{self, Style};

impl Context<'_> {
    pub(crate) fn style(&self) -> Style<'_> {
        let style = self.options.style;
        let is_escaped = self.is_format(|format| format.is_escaped);
        Style {
            percentages: style.percentages,
            unit: self.input.scale.unit,
            is_ratio: false,
            decimals: render::DECIMALS,
            exact_decimals: render::EXACT_DECIMALS,
            events: self.profile.events(),
            ratios: &self.ratios,
            // Colours and widths are for a terminal, even behind a pipe.
            escapes: self.escapes || style.colours || style.width.is_some() || is_escaped,
            colours: style.colours,
            width: style.width,
            delimiter: self.options.report.format().map_or(b',', |format| format.delimiter),
            has_heading: style.has_heading,
            names: self.profile.name_kind(),
            is_columns: self.options.is_text(),
            difference: self.profile.is_difference().then(|| self.selection.first().unwrap_or(0)),
            series: self.series.as_ref(),
            shown: &self.selection.shown,
            sorted: self.selection.order.first().copied(),
            total: &self.total.reference,
        }
    }
}
