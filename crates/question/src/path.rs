//! Where something is in a JSON document.

use std::fmt;

/// A place in a JSON document. It becomes text only when there is something to say about it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'a> {
    Top(&'static str),
    Field(&'a Path<'a>, &'static str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    pub(crate) fn field(&self, name: &'static str) -> Path<'_> {
        Path::Field(self, name)
    }

    pub(crate) fn item(&self, number: usize) -> Path<'_> {
        Path::Item(self, number)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top(name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, number) => write!(f, "{parent}[{number}]"),
        }
    }
}
