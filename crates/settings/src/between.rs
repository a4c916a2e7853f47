//! What stands between two members: commas and comments.

use std::ops::Range;

/// Something that is no white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Comma(Range<usize>),
    Comment(Range<usize>),
}

impl Token {
    pub(crate) fn end(&self) -> usize {
        match self {
            Self::Comma(place) | Self::Comment(place) => place.end,
        }
    }
}

/// The commas and comments within a place where a parser has found nothing else.
pub(crate) fn tokens(text: &str, place: Range<usize>) -> Vec<Token> {
    let mut found = vec![];
    let mut at = place.start;
    while at < place.end {
        let rest = &text[at..place.end];
        let long = if rest.starts_with("//") {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            if rest.starts_with(',') {
                found.push(Token::Comma(at..at + 1));
            }
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        found.push(Token::Comment(at..at + long));
        at += long;
    }
    found
}

/// The first comma within a place.
pub(crate) fn comma(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    tokens(text, place).into_iter().find_map(|token| match token {
        Token::Comma(place) => Some(place),
        Token::Comment(_) => None,
    })
}

/// Where the last thing within a place ends; its start, where there is none.
pub(crate) fn last_end(text: &str, place: Range<usize>) -> usize {
    tokens(text, place.clone()).last().map_or(place.start, Token::end)
}

/// Where the comments end that stand on the line of `place.start`, behind what is there.
pub(crate) fn end_of_remarks(text: &str, place: Range<usize>) -> usize {
    let mut end = place.start;
    for token in tokens(text, place) {
        match token {
            Token::Comment(place) if !text[end..place.end].contains(['\n', '\r']) => {
                end = place.end;
            }
            Token::Comment(_) | Token::Comma(_) => break,
        }
    }
    end
}
