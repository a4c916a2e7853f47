//! What projects are called: as people call them, and no two the same.

use std::collections::HashMap;

/// Where an agent works: what is one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place<'a> {
    /// Without what ends it; absent for asks that named none.
    directory: Option<&'a str>,
    /// Only where the same directory is on several machines.
    host: Option<&'a str>,
}

/// The directories that agents work in, and on which machines.
#[derive(Debug, Default)]
pub(crate) struct Places<'a>(HashMap<&'a str, Machines<'a>>);

/// On which machines a directory is, as far as asks say so.
#[derive(Debug, Clone, Copy)]
enum Machines<'a> {
    Unknown,
    One(&'a str),
    Several,
}

impl<'a> Places<'a> {
    /// Takes note of where an ask comes from.
    pub(crate) fn note(&mut self, directory: Option<&'a str>, host: Option<&'a str>) {
        let Some(directory) = directory.and_then(trimmed) else { return };
        let machines = self.0.entry(directory).or_insert(Machines::Unknown);
        *machines = match (*machines, host) {
            (known, None) => known,
            (Machines::Unknown, Some(host)) => Machines::One(host),
            (Machines::One(known), Some(host)) if known == host => *machines,
            (Machines::One(_) | Machines::Several, Some(_)) => Machines::Several,
        };
    }

    /// The project of an ask. One that names no machine is none of its own where only one is known.
    pub(crate) fn of(&self, directory: Option<&'a str>, host: Option<&'a str>) -> Place<'a> {
        let directory = directory.and_then(trimmed);
        let machines = directory.and_then(|directory| self.0.get(directory));
        let host = host.filter(|_| matches!(machines, Some(Machines::Several)));
        Place { directory, host }
    }

    /// What a project is called: the last part of its directory, as many parts before it as tell it from
    /// all others, and its machine if only that does.
    pub(crate) fn name(&self, place: Place<'a>) -> Option<String> {
        let directory = place.directory?;
        let others = self.0.keys().filter(|other| **other != directory);
        let shared = others.map(|other| shared_end(directory, other)).max().unwrap_or(0);
        let parts: Vec<_> = parts(directory).take(shared + 1).collect();
        let name = if parts.len() > shared {
            parts.into_iter().rev().collect::<Vec<_>>().join("/")
        } else {
            directory.to_owned()
        };
        Some(match place.host {
            Some(host) => format!("{name} ({host})"),
            None => name,
        })
    }
}

/// The last part of a directory: what people call the project.
#[must_use]
pub fn project_name(directory: &str) -> Option<&str> {
    parts(directory).next()
}

/// The parts of a directory, the last one first.
fn parts(directory: &str) -> impl Iterator<Item = &str> {
    directory.rsplit(SEPARATORS).filter(|part| !part.is_empty())
}

/// How many parts at their ends two directories have in common.
fn shared_end(one: &str, other: &str) -> usize {
    parts(one).zip(parts(other)).take_while(|(one, other)| one == other).count()
}

/// A directory without what ends it; nothing, where nothing else is in it.
fn trimmed(directory: &str) -> Option<&str> {
    Some(directory.trim_end_matches(SEPARATORS)).filter(|directory| !directory.is_empty())
}

const SEPARATORS: [char; 2] = ['/', '\\'];

#[cfg(test)]
mod tests {
    use super::*;

    fn called<'a>(all: &[(&'a str, Option<&'a str>)]) -> Vec<Option<String>> {
        let mut places = Places::default();
        for (directory, host) in all {
            places.note(Some(directory), *host);
        }
        all.iter().map(|(directory, host)| places.name(places.of(Some(directory), *host))).collect()
    }

    fn called_alike(all: &[(&str, Option<&str>)], names: &[&str]) {
        let called: Vec<_> = called(all).into_iter().flatten().collect();
        assert_eq!(called, names, "{all:?}");
    }

    #[test]
    fn a_project_is_the_last_part_of_its_directory() {
        assert_eq!(project_name("/home/ann/shop/"), Some("shop"));
        assert_eq!(project_name(r"C:\work\shop"), Some("shop"));
        assert_eq!(project_name("///"), None);
    }

    #[test]
    fn projects_of_one_name_are_told_apart_by_as_much_as_is_needed() {
        let nowhere = |directories: &[&'static str]| {
            directories.iter().map(|directory| (*directory, None)).collect::<Vec<_>>()
        };
        for (directories, names) in [
            (&["/a/api", "/b/api", "/a/web"][..], &["a/api", "b/api", "web"][..]),
            (&["/x/a/api", "/y/a/api"], &["x/a/api", "y/a/api"]),
            (&["/api", "/a/api"], &["/api", "a/api"]),
            (&["api", "/api"], &["api", "/api"]),
            (&["/a/api", "/a//api"], &["/a/api", "/a//api"]),
            (&[r"C:\a\api", r"C:\b\api"], &["a/api", "b/api"]),
        ] {
            called_alike(&nowhere(directories), names);
        }
        assert_eq!(called(&nowhere(&["/", ""])), [None, None]);
    }

    #[test]
    fn a_machine_is_named_where_nothing_else_tells_two_apart() {
        let (desk, laptop) = (Some("desk"), Some("laptop"));
        called_alike(&[("/a/api", desk), ("/a/api/", desk), ("/a/api", None)], &["api"; 3]);
        called_alike(
            &[("/a/api", desk), ("/a/api", laptop), ("/a/api", None)],
            &["api (desk)", "api (laptop)", "api"],
        );
        called_alike(&[("/a/api", desk), ("/b/api", laptop)], &["a/api", "b/api"]);
        called_alike(
            &[("/a/api", desk), ("/a/api", laptop), ("/b/api", laptop)],
            &["a/api (desk)", "a/api (laptop)", "b/api"],
        );
    }
}
