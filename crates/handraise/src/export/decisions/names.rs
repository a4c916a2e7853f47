//! What a project's file is called, and what its document.

use std::collections::HashSet;

const LONGEST: usize = 80;
/// What has no directory.
const NOWHERE: &str = "no-directory";
/// What is added where a file that is no decision log has the name already.
const BESIDE: &str = "-decisions";

/// Names that were given already. Each project keeps its own for as long as they are given in one order.
#[derive(Default)]
pub(super) struct Names {
    files: HashSet<String>,
    titles: HashSet<String>,
}

impl Names {
    /// The name of a project's file: the last part of its directory, and as many parts before it as tell
    /// it from those that were named before. What is `anothers` is left alone.
    pub(super) fn file(
        &mut self,
        directory: Option<&str>,
        anothers: impl Fn(&str) -> bool,
    ) -> String {
        let parts = parts(directory);
        let longer = ends(&parts).map(|end| {
            let name = end.join("-");
            if name.is_empty() { NOWHERE.to_owned() } else { plain(&name) }
        });
        let whole = plain(&parts.join("-"));
        let numbered = (2_usize..).map(|number| format!("{whole}-{number}"));
        let mut free = |name: &str| {
            let file = format!("{name}.md");
            let is_new = self.files.insert(name.to_lowercase());
            (is_new, Some(file).filter(|file| is_new && !anothers(file)))
        };
        let found = longer.chain(numbered).find_map(|name| match free(&name) {
            (true, None) => free(&format!("{name}{BESIDE}")).1,
            (_, found) => found,
        });
        found.unwrap_or_else(|| format!("{whole}.md"))
    }

    /// What its document is called: the same, as a path.
    pub(super) fn title(&mut self, directory: Option<&str>) -> String {
        let parts = parts(directory);
        let whole = directory.unwrap_or("no directory").to_owned();
        let mut longer = ends(&parts).map(|end| end.join("/")).filter(|title| !title.is_empty());
        longer.find(|title| self.titles.insert(title.clone())).unwrap_or(whole)
    }
}

fn parts(directory: Option<&str>) -> Vec<&str> {
    directory.unwrap_or_default().split('/').filter(|part| !part.is_empty()).collect()
}

/// The last part, the last two, and so on.
fn ends<'a>(parts: &'a [&'a str]) -> impl Iterator<Item = &'a [&'a str]> {
    (1..=parts.len().max(1)).map(|count| &parts[parts.len().saturating_sub(count)..])
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
        for (directory, file, title) in [
            (Some("/home/ann/shop"), "shop.md", "shop"),
            (Some("/srv/Shop"), "srv-Shop.md", "Shop"),
            (Some("/mnt/srv/shop"), "mnt-srv-shop.md", "srv/shop"),
            (Some("mnt/srv/shop"), "mnt-srv-shop-2.md", "mnt/srv/shop"),
            (Some("/home/ann/my app"), "my-app.md", "my app"),
            (Some("/home/ann/../.."), "project.md", ".."),
            (Some("/home/..\u{202e}\n/x<y"), "x-y.md", "x<y"),
            (Some("/"), "no-directory.md", "/"),
            (None, "project-2.md", "no directory"),
            (Some("/größe"), "größe.md", "größe"),
        ] {
            let called = (names.file(directory, |_| false), names.title(directory));
            assert_eq!(called, (file.to_owned(), title.to_owned()), "{directory:?}");
        }
        let long = names.file(Some(&"ä".repeat(4000)), |_| false);
        assert_eq!(long.chars().count(), LONGEST + 3);
    }

    #[test]
    fn a_name_that_somebody_elses_file_has_is_not_taken() {
        let theirs = |file: &str| ["README.md", "shop.md", "web.md"].contains(&file);
        let mut names = Names::default();
        for (directory, file) in [
            ("/home/ann/README", "README-decisions.md"),
            ("/home/ann/web-decisions", "web-decisions.md"),
            ("/home/ann/web", "ann-web.md"),
            ("/home/ann/shop", "shop-decisions.md"),
            ("/srv/shop", "srv-shop.md"),
            ("/srv/shop-decisions", "srv-shop-decisions.md"),
        ] {
            assert_eq!(names.file(Some(directory), theirs), file, "{directory}");
        }
    }
}
