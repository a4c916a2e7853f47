//! What a project's file is called.

use std::collections::HashSet;

const LONGEST: usize = 80;
/// What has no directory.
const NOWHERE: &str = "no-directory";

/// Names that were given already.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// The name of a project's file: the last part of its directory, and as many parts before it as tell
    /// it from those that were named before.
    pub(super) fn file(&mut self, directory: Option<&str>) -> String {
        let parts: Vec<_> =
            directory.unwrap_or_default().split('/').filter(|part| !part.is_empty()).collect();
        let longer = (1..=parts.len().max(1)).map(|count| {
            let name = parts[parts.len().saturating_sub(count)..].join("-");
            if name.is_empty() { NOWHERE.to_owned() } else { plain(&name) }
        });
        let whole = plain(&parts.join("-"));
        let numbered = (2_usize..).map(|number| format!("{whole}-{number}"));
        let free = longer.chain(numbered).find(|name| self.0.insert(name.to_lowercase()));
        format!("{}.md", free.unwrap_or(whole))
    }
}

/// What a project is called in its document.
pub(super) fn title(directory: Option<&str>) -> String {
    let last = directory.and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
    last.unwrap_or("no directory").to_owned()
}

/// Text that is a file name everywhere.
fn plain(text: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = text.chars().map(safe).collect();
    let name = name.trim_matches(['-', '.']);
    // The end tells them apart.
    let skip = name.chars().count().saturating_sub(LONGEST);
    let name: String = name.chars().skip(skip).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "project".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_like_their_projects_and_told_apart() {
        let mut names = Names::default();
        for (directory, file) in [
            (Some("/home/ann/shop"), "shop.md"),
            (Some("/srv/Shop"), "srv-Shop.md"),
            (Some("/mnt/srv/shop"), "mnt-srv-shop.md"),
            (Some("mnt/srv/shop"), "mnt-srv-shop-2.md"),
            (Some("/home/ann/my app"), "my-app.md"),
            (Some("/home/ann/../.."), "project.md"),
            (Some("/home/..\u{202e}\n/x<y"), "x-y.md"),
            (Some("/"), "no-directory.md"),
            (None, "project-2.md"),
            (Some("/größe"), "größe.md"),
        ] {
            assert_eq!(names.file(directory), file, "{directory:?}");
        }
        let long = names.file(Some(&"ä".repeat(4000)));
        assert_eq!(long.chars().count(), LONGEST + 3);
    }
}
