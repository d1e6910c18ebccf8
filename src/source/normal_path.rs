//! The one form in which paths are compared. Profiles have paths as compilers wrote them: with
//! detours (`build/../src/a.c`), from Bazel's `/proc/self/cwd`, with the separators of Windows.
//! Nothing is looked up: links are those of the machine that compiled. Lists of callgrind_annotate
//! show the recorded spelling.

use std::borrow::Cow;

use memchr::memmem;

/// How the address of a file begins, as browsers and Node.js have it: its path follows.
const FILE_ADDRESS: &[u8] = b"file://";

/// The current folder, as Bazel has it recorded.
const CURRENT_FOLDER: &[u8] = b"/proc/self/cwd";

/// The path without detours, with slashes between its components: `a/c` for `a/b/../c` and `a\c`.
/// A relative path stays relative, and one that begins with `./` keeps that.
pub fn normal(path: &[u8]) -> Cow<'_, [u8]> {
    let path = below_current_folder(of_address(path));
    let is_windows = is_of_windows(path);
    let has_detour = || {
        let detours = [&b"/../"[..], b"/./", b"//"];
        detours.iter().any(|detour| memmem::find(path, detour).is_some())
            || path.ends_with(b"/..")
            || path.ends_with(b"/.")
    };
    // A web address is no path.
    let is_address = || memmem::find(path, b"://").is_some();
    if !is_windows && (!has_detour() || is_address()) {
        return Cow::Borrowed(path);
    }
    let is_separator = |byte: &u8| *byte == b'/' || is_windows && *byte == b'\\';
    let mut components: Vec<&[u8]> = Vec::new();
    let is_absolute = path.first().is_some_and(is_separator);
    for component in path.split(is_separator) {
        match component {
            b"" | b"." => {}
            b".." if components.last().is_some_and(|last| *last != b"..") => {
                components.pop();
            }
            b".." if is_absolute => {}
            component => components.push(component),
        }
    }
    let start: &[u8] = if is_absolute {
        b"/"
    } else if path.starts_with(b"./") {
        b"./"
    } else {
        b""
    };
    let mut text = [start, &components.join(&b'/')].concat();
    if text.is_empty() {
        text.push(b'.');
    }
    if is_windows && drive(&text) {
        text[0] = text[0].to_ascii_uppercase();
    }
    Cow::Owned(text)
}

/// The path of a file's address: `/a` for `file:///a`, `C:/a` for `file:///C:/a`.
fn of_address(path: &[u8]) -> &[u8] {
    match path.strip_prefix(FILE_ADDRESS) {
        Some([b'/', path @ ..]) if drive(path) => path,
        Some(path @ [b'/', ..]) => path,
        _ => path,
    }
}

/// A path without Bazel's name for the current folder.
fn below_current_folder(path: &[u8]) -> &[u8] {
    match path.strip_prefix(CURRENT_FOLDER) {
        Some(b"") => b".",
        Some([b'/', below @ ..]) => below,
        _ => path,
    }
}

/// The [`normal`] form from the root, of a path that may begin at this folder.
pub fn normal_below(path: &[u8], folder: Option<&[u8]>) -> Vec<u8> {
    let path = normal(path);
    match folder {
        Some(folder) if !path.starts_with(b"/") && !drive(&path) => {
            normal(&[folder, b"/./", &path].concat()).into_owned()
        }
        _ => path.into_owned(),
    }
}

/// What follows a folder in a path, if the path is below it: `src/a.c`.
pub fn below<'p>(path: &'p [u8], folder: &[u8]) -> Option<&'p [u8]> {
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    path.strip_prefix(folder)?.strip_prefix(b"/")
}

/// The folder of a file whose path is [`normal`]: `src` of `src/a.c`, `.` of `a.c`.
pub fn folder(path: &[u8]) -> &[u8] {
    match memchr::memrchr(b'/', path) {
        Some(end) => &path[..end.max(1)],
        None => b".",
    }
}

/// Whether a path has the separators or the drive of Windows.
fn is_of_windows(path: &[u8]) -> bool {
    memchr::memchr(b'\\', path).is_some() && (drive(path) || memchr::memchr(b'/', path).is_none())
        || drive(path) && path[0].is_ascii_lowercase()
}

/// Whether a path begins with a drive, as `C:/a`.
fn drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_their_normal_form() {
        let table = [
            ("a/b/../c", "a/c"),
            ("/p/build/../src/work.c", "/p/src/work.c"),
            ("build/../../x.c", "../x.c"),
            ("../src/a.c", "../src/a.c"),
            ("a/./b.c", "a/b.c"),
            ("a//b.c", "a/b.c"),
            ("./string/../sysdeps/x.S", "./sysdeps/x.S"),
            ("./a.c", "./a.c"),
            ("/../a.c", "/a.c"),
            ("a/..", "."),
            ("/a/.", "/a"),
            ("/proc/self/cwd", "."),
            ("/proc/self/cwd/src/a.cc", "src/a.cc"),
            ("/proc/self/cwd/external/../src/a.cc", "src/a.cc"),
            ("/proc/self/cwd2/a.cc", "/proc/self/cwd2/a.cc"),
            (r"C:\web\site\src\Repo.php", "C:/web/site/src/Repo.php"),
            ("c:/web/site/src/Repo.php", "C:/web/site/src/Repo.php"),
            (r"C:\web/site\..\src/Repo.php", "C:/web/src/Repo.php"),
            (r"src\Repo.php", "src/Repo.php"),
            (r"\\server\share\a.cs", "/server/share/a.cs"),
            (r"src/a\b.c", r"src/a\b.c"),
            ("http://a.b/c/../d.js", "http://a.b/c/../d.js"),
            ("file:///srv/shop/order.js", "/srv/shop/order.js"),
            ("file:///srv/shop/../order.js", "/srv/order.js"),
            ("file:///C:/web/order.js", "C:/web/order.js"),
            ("file://host/order.js", "file://host/order.js"),
            ("php:internal", "php:internal"),
            ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"),
            ("???", "???"),
            ("", ""),
            ("..", ".."),
            ("...", "..."),
            ("a/...b/c", "a/...b/c"),
        ];
        for (path, expected) in table {
            let found = normal(path.as_bytes()).into_owned();
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{path}");
            assert_eq!(*normal(expected.as_bytes()), *expected.as_bytes(), "{expected} again");
        }
    }

    #[test]
    fn relative_paths_begin_at_the_folder() {
        let table = [
            ("src/a.c", "/w/src/a.c"),
            ("./src/a.c", "/w/src/a.c"),
            ("../a.c", "/a.c"),
            ("/proc/self/cwd/a.c", "/w/a.c"),
            ("/proc/self/cwd", "/w"),
            ("/x/../a.c", "/a.c"),
            (r"C:\a.c", "C:/a.c"),
        ];
        for (path, expected) in table {
            let found = normal_below(path.as_bytes(), Some(b"/w"));
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{path}");
        }
        assert_eq!(below(b"/w/a.c", b"/w"), Some(&b"a.c"[..]));
        assert_eq!(below(b"/w/a.c", b"/"), Some(&b"w/a.c"[..]));
        assert_eq!(below(b"/ww/a.c", b"/w"), None);
    }

    #[test]
    fn the_folder_of_a_file() {
        for (path, expected) in
            [("src/a.c", "src"), ("/a.c", "/"), ("a.c", "."), ("../a.c", ".."), ("./a.c", ".")]
        {
            assert_eq!(folder(path.as_bytes()), expected.as_bytes(), "{path}");
        }
    }
}
