//! What a path leads to, whatever it is called.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Where a path leads in the end, be something there or not.
///
/// # Errors
///
/// When that cannot be found out: links in a circle, or a directory nobody may look into.
pub(crate) fn true_name(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        found => return found,
    }
    let path = std::path::absolute(path)?;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(path);
    };
    // A link that leads nowhere yet. Links in a circle are an error above.
    match fs::read_link(&path) {
        Ok(to) => true_name(&parent.join(to)),
        Err(_) => Ok(true_name(parent)?.join(name)),
    }
}

/// Whether both lead to the same place.
pub(crate) fn are_the_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| true_name(path).unwrap_or_else(|_| path.to_owned());
    one == other || place(one) == place(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_place_is_one_by_whatever_path_be_something_there_or_not() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        symlink("a", at("link")).unwrap();
        symlink("a/to come", at("early")).unwrap();
        for (one, other) in [
            ("a/b", "a/./b"),
            ("a/b", "a/b/"),
            ("a/b", "a/../a/b"),
            ("a/b", "link/b"),
            ("a/to come", "link/to come"),
            ("a/to come", "early"),
            ("a/to come/and/more", "early/and/more"),
        ] {
            assert!(are_the_same(&at(one), &at(other)), "{one} {other}");
        }
        assert!(!are_the_same(&at("a"), &at("a/b")));
        symlink("round", at("round")).unwrap();
        assert!(are_the_same(&at("round"), &at("round")));
        assert!(!are_the_same(&at("round"), &at("a")));
    }
}
