//! `cargo bench --bench rooms`: the speed of each room by itself, on generated profiles of 10 MB in memory.
//! Throughput of reading is by bytes of the profile, of rendering by bytes written.

#![allow(clippy::expect_used)]

mod generated;

use std::sync::LazyLock;

use cgannotate::internal::graph::CallGraph;
use cgannotate::internal::profile::{Profile, ProfileBuilder, Sides};
use cgannotate::internal::read::{self, ReadOptions};
use cgannotate::internal::render::{self, Around, Style, Tree, TreeCalls};
use cgannotate::internal::source::Finder;
use cgannotate::internal::view::{
    AnnotateOptions, Annotator, CallTree, Cycles, Inclusive, List, RowOptions, Rows, Selection,
    SelectionOptions, Threshold, Total,
};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use generated::Shape;

const SHAPES: [Shape; 2] = [Shape::Lines, Shape::Names];

fn main() {
    divan::main();
}

/// A profile with all that tables are made with.
struct Case {
    text: Vec<u8>,
    profile: Profile,
    selection: Selection,
    total: Total,
}

impl Case {
    fn new(shape: Shape) -> Case {
        let text = generated::profile(shape);
        let mut builder = ProfileBuilder::default();
        let bytes = std::io::Cursor::new(text.clone());
        let warnings = read::read_from(bytes, b"generated", &ReadOptions::default(), &mut builder)
            .expect("a profile");
        let profile = builder.finish();
        assert_eq!(warnings.listed().len(), 0, "{shape:?}");
        let options = SelectionOptions {
            threshold: Threshold::all(),
            ..SelectionOptions::default()
        };
        Case {
            selection: Selection::new(&options, profile.events()).expect("events"),
            total: Total::of(&profile),
            text,
            profile,
        }
    }

    /// Made once, at the first use.
    fn of(shape: Shape) -> &'static Case {
        static LINES: LazyLock<Case> = LazyLock::new(|| Case::new(Shape::Lines));
        static NAMES: LazyLock<Case> = LazyLock::new(|| Case::new(Shape::Names));
        match shape {
            Shape::Lines => &LINES,
            Shape::Names => &NAMES,
        }
    }

    fn rows(&self) -> Rows<'_> {
        Rows::new(&self.profile, &RowOptions::default())
    }

    fn graphs(&self, rows: &Rows<'_>) -> (Sides<CallGraph<'_>>, Cycles) {
        let graphs = CallGraph::of_sides(&self.profile, true);
        let cycles = Cycles::new(&graphs, rows, &self.selection);
        (graphs, cycles)
    }

    fn list(&self, rows: &Rows<'_>) -> List {
        List::by_self_cost(&self.profile, rows, &self.selection, &self.total)
    }

    fn style(&self) -> Style<'_> {
        Style {
            percentages: true,
            unit: 1,
            decimals: 2,
            ratios: &[],
            escapes: false,
            colours: false,
            width: None,
            difference: None,
            shown: &self.selection.shown,
            sorted: None,
            total: self.total.reference(),
        }
    }
}

/// Measures what `write` writes.
fn written(bencher: Bencher<'_, '_>, write: impl Fn(&mut Vec<u8>) + Sync) {
    let mut page = Vec::new();
    write(&mut page);
    assert!(page.len() > 10_000, "only {} bytes", page.len());
    bencher
        .counter(BytesCount::new(page.len()))
        .with_inputs(|| Vec::with_capacity(page.len()))
        .bench_refs(|page| write(page));
}

#[divan::bench_group(sample_count = 20)]
mod reading {
    use super::*;

    #[divan::bench(args = SHAPES)]
    fn reader(bencher: Bencher<'_, '_>, shape: Shape) {
        let (text, options) = (&Case::of(shape).text[..], ReadOptions::default());
        bencher.counter(BytesCount::new(text.len())).bench(|| {
            let mut builder = ProfileBuilder::default();
            read::read_from(text, b"generated", &options, &mut builder).expect("a profile");
            builder.finish()
        });
    }
}

#[divan::bench_group(sample_count = 20)]
mod aggregation {
    use super::*;

    /// The counter is that of self costs and calls to add up.
    fn counter(case: &Case) -> ItemsCount {
        ItemsCount::new(case.profile.places().len() + case.profile.calls().len())
    }

    #[divan::bench(args = SHAPES)]
    fn list(bencher: Bencher<'_, '_>, shape: Shape) {
        let case = Case::of(shape);
        bencher
            .counter(counter(case))
            .bench(|| case.list(&case.rows()));
    }

    #[divan::bench(args = SHAPES)]
    fn inclusive(bencher: Bencher<'_, '_>, shape: Shape) {
        let case = Case::of(shape);
        bencher
            .counter(counter(case))
            .with_inputs(|| case.rows())
            .bench_refs(|rows| {
                let (graphs, cycles) = case.graphs(rows);
                let inclusive = Inclusive::new(&graphs, rows, &cycles);
                let (selection, total) = (&case.selection, &case.total);
                List::by_inclusive_cost(&graphs, rows, &inclusive, selection, total)
            });
    }

    #[divan::bench(args = SHAPES)]
    fn calls(bencher: Bencher<'_, '_>, shape: Shape) {
        let case = Case::of(shape);
        let rows = case.rows();
        let (graphs, cycles) = case.graphs(&rows);
        bencher
            .counter(counter(case))
            .bench(|| CallTree::new(&graphs, &rows, &cycles));
    }
}

#[divan::bench_group(sample_count = 20)]
mod rendering {
    use super::*;

    #[divan::bench(args = SHAPES)]
    fn list(bencher: Bencher<'_, '_>, shape: Shape) {
        let case = Case::of(shape);
        let rows = case.rows();
        let list = case.list(&rows);
        let events = case.profile.events();
        written(bencher, |page| {
            render::write_functions(&list, &rows, Around::default(), events, case.style(), page)
                .expect("a list");
        });
    }

    #[divan::bench(args = SHAPES)]
    fn tree(bencher: Bencher<'_, '_>, shape: Shape) {
        let case = Case::of(shape);
        let rows = case.rows();
        let (graphs, cycles) = case.graphs(&rows);
        let list = case.list(&rows);
        let events = case.profile.events();
        let calls = CallTree::new(&graphs, &rows, &cycles);
        let tree = TreeCalls {
            tree: Tree::Both,
            paths: None,
            calls: &calls,
            selection: &case.selection,
        };
        written(bencher, |page| {
            let around = Around {
                tree: Some(&tree),
                nested: None,
            };
            render::write_functions(&list, &rows, around, events, case.style(), page)
                .expect("a tree");
        });
    }

    /// From the reading of the sources on, which are 200 files.
    #[divan::bench(args = SHAPES)]
    fn sources(bencher: Bencher<'_, '_>, shape: Shape) {
        let case = Case::of(shape);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("src")).expect("a folder");
        for (name, text) in generated::sources() {
            std::fs::write(folder.path().join(name), text).expect("a source");
        }
        let profile = &case.profile;
        let rows = case.rows();
        let (graphs, _) = case.graphs(&rows);
        let list = case.list(&rows);
        let below = format!("{}/", folder.path().display()).into_bytes();
        let finder = Finder::new(vec![below], Vec::new());
        let options = AnnotateOptions {
            auto: true,
            user: Vec::new(),
            context: 8,
            skips_system: false,
        };
        let choices = options.choose(profile, &rows, &case.selection, &list, &finder);
        let choices = choices.files;
        assert_eq!(choices.len(), generated::FILES);
        written(bencher, |page| {
            let annotator = Annotator::new(&graphs, &rows, &case.selection, 8, &choices);
            let mut text = Vec::new();
            for choice in &choices {
                let found = choice.lookup.found.as_ref().expect("a source");
                let mut annotated = annotator
                    .annotate(choice, found, &[], None, &mut text)
                    .unwrap_or_else(|_| panic!("a source that is read"));
                let (events, style) = (profile.events(), case.style());
                render::write_annotated(
                    choice,
                    &mut annotated,
                    b"generated",
                    None,
                    events,
                    style,
                    page,
                )
                .expect("a section");
            }
        });
    }
}
