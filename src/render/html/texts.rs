//! The texts that the page is made of, as they are written: the build script makes the compact ones
//! of them that the program has.

pub const STYLE: &str = include_str!("page/style.css");

/// The script. Its files share the names that they define, within one function: nothing of it is a
/// property of the window. A file uses at its top level only what files before it define.
pub const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("page/numbers.js"),
    include_str!("page/elements.js"),
    include_str!("page/data.js"),
    include_str!("page/state.js"),
    include_str!("page/rows.js"),
    include_str!("page/groups.js"),
    include_str!("page/search.js"),
    include_str!("page/figures.js"),
    include_str!("page/series.js"),
    include_str!("page/list.js"),
    include_str!("page/commands.js"),
    include_str!("page/panel.js"),
    include_str!("page/source.js"),
    include_str!("page/file.js"),
    include_str!("page/code.js"),
    include_str!("page/line_code.js"),
    include_str!("page/lines.js"),
    include_str!("page/overview.js"),
    include_str!("page/stacks.js"),
    include_str!("page/flame.js"),
    include_str!("page/graph.js"),
    include_str!("page/page.js"),
    include_str!("page/keys.js"),
    include_str!("page/start.js"),
    "})();\n",
);
