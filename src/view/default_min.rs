//! The minimum percentages without `--min`, which replaces all of them.

/// Of a row of the first screen: of the total, and in a difference with reasons of its change.
pub const OF_SCREEN: f64 = 1.0;

/// Of a line of a tree or below a row.
pub const OF_LINE: f64 = 1.0;

/// Of a row of a page for browsers.
pub const OF_PAGE: f64 = 0.01;

/// Of a frame of a flame graph.
pub const OF_FRAME: f64 = 0.01;

/// Of a node or an edge of a graph.
pub const OF_NODE: f64 = 1.0;

/// Of a row of a list sorted by a ratio, of the ratio's divisor: a miss in five accesses is no
/// rate.
pub const OF_DIVISOR: f64 = 0.1;
