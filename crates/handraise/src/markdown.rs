//! Other people's text in Markdown: it says what it says, and does nothing else.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most of what the parser finds is nothing to us"
)]

use std::ops::Range;

use handraise_terminal::visible;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Text that stands within a line, as it is read: no markup in it counts.
pub(crate) fn inline(text: &str) -> String {
    let text = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(text.len());
    let characters: Vec<char> = text.chars().collect();
    for (at, &c) in characters.iter().enumerate() {
        let beside = |at: Option<usize>| {
            at.and_then(|at| characters.get(at)).is_some_and(|c| c.is_alphanumeric())
        };
        let escape = match c {
            // A dollar begins a formula on some forges.
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '$' => true,
            // Within a word it is no markup.
            '_' => !(beside(at.checked_sub(1)) && beside(Some(at + 1))),
            // At the end of a heading it would be taken for the end of the heading.
            '#' => at == 0 || at + 1 == characters.len(),
            '-' | '+' | '=' => at == 0,
            // A number begins a list only where something else follows.
            '.' | ')' => {
                let is_ended = characters.get(at + 1).is_none_or(|c| c.is_whitespace());
                is_ended && at > 0 && characters[..at].iter().all(char::is_ascii_digit)
            }
            _ => false,
        };
        if escape {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text of several lines, to be read as paragraphs: its lines stay lines, no markup in it counts.
pub(crate) fn paragraphs(text: &str) -> String {
    let mut out = String::new();
    for line in visible(text).split('\n').map(|line| inline(line.trim())) {
        let ends_in_text = !out.is_empty() && !out.ends_with('\n');
        match line.as_str() {
            // One gap is enough.
            "" if ends_in_text => out.push_str("\n\n"),
            "" => {}
            line => {
                // Two lines of one paragraph.
                out.push_str(if ends_in_text { "\\\n" } else { "" });
                out.push_str(line);
            }
        }
    }
    out.trim_end().to_owned()
}

/// Somebody's own words, as a quotation. Where their shape counts, every character is as it was typed.
pub(crate) fn quoted(text: &str) -> String {
    let is_shaped = text.lines().any(|line| line.starts_with([' ', '\t']) || line.contains("```"));
    let words = if is_shaped { verbatim(text) } else { paragraphs(text) };
    let lines =
        words.lines().map(|line| if line.is_empty() { ">".into() } else { format!("> {line}") });
    lines.collect::<Vec<_>>().join("\n")
}

/// Text of several lines, every character as it was typed.
pub(crate) fn verbatim(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", visible(text))
}

/// Markdown that somebody else wrote, without what is more than text: HTML, pictures from elsewhere, and
/// links that are programs.
pub(crate) fn without_html(text: &str) -> String {
    let mut text = visible(text);
    // What was inside HTML may itself be HTML once the outer is none: each round takes a layer away.
    for _ in 0..50 {
        let live = live(&text);
        if live.is_empty() {
            return text;
        }
        let mut out = String::with_capacity(text.len() + live.len());
        let mut done = 0;
        for at in live {
            out.push_str(&text[done..at]);
            out.push('\\');
            done = at;
        }
        out.push_str(&text[done..]);
        text = out;
    }
    text.replace('<', "&lt;").replace('[', "&#91;")
}

/// The places before which a backslash makes text of what is live, in their order.
fn live(text: &str) -> Vec<usize> {
    let mut places = vec![];
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                let tags = text[range.clone()].match_indices('<');
                places.extend(tags.map(|(at, _)| range.start + at));
            }
            Event::Start(Tag::Image { .. }) => places.push(range.start),
            Event::Start(Tag::Link { dest_url, .. }) if is_program(&dest_url) => {
                places.push(range.start);
            }
            _ => {}
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

fn is_program(address: &str) -> bool {
    let scheme: String = address.chars().filter(|c| !c.is_whitespace()).take(12).collect();
    let scheme = scheme.to_ascii_lowercase();
    ["javascript:", "data:", "vbscript:"].iter().any(|bad| scheme.starts_with(bad))
}

/// Markdown that ends what it begins: whatever follows it is not part of it.
pub(crate) fn contained(text: &str) -> String {
    const AFTER: &str = "What follows";
    let document = format!("{text}\n\n{AFTER}\n");
    let mut depth = 0_usize;
    for (event, range) in Parser::new(&document).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) if depth == 0 && document[range].trim() == AFTER => {
                return text.to_owned();
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    verbatim(text)
}

/// A heading and what is below it, until the next one of the same level or above.
pub(crate) struct Section<'a> {
    /// 1 or 2; what comes before the first heading has none.
    pub(crate) level: Option<usize>,
    pub(crate) title: String,
    pub(crate) body: &'a str,
}

impl Section<'_> {
    /// What is in it, with headings that stand below level 3.
    pub(crate) fn deeper(&self) -> String {
        let heads: Vec<_> = Parser::new(self.body)
            .into_offset_iter()
            .filter(|(event, _)| matches!(event, Event::Start(Tag::Heading { .. })))
            .map(|(_, range)| range.start)
            .collect();
        let mut out = String::with_capacity(self.body.len() + heads.len());
        let mut done = 0;
        for at in heads {
            out.push_str(&self.body[done..at]);
            // Six is the most there are; a heading that is underlined becomes text.
            let hashes = self.body[at..].chars().take_while(|c| *c == '#').count();
            out.push_str(if (1..6).contains(&hashes) { "#" } else { "\\" });
            done = at;
        }
        out.push_str(&self.body[done..]);
        out
    }
}

/// The sections of a document, cut at headings of level 1 and 2.
pub(crate) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut heads: Vec<(usize, String, Range<usize>)> = vec![];
    let mut open: Option<(usize, String)> = None;
    let mut depth = 0_usize;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            // A heading inside of something else, such as a quotation, cuts nothing.
            Event::Start(Tag::Heading { level, .. }) if depth == 0 && level as usize <= 2 => {
                open = Some((level as usize, String::new()));
                depth += 1;
            }
            Event::End(TagEnd::Heading(_)) => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && let Some((level, title)) = open.take()
                {
                    heads.push((level, title, range));
                }
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Text(said) | Event::Code(said) => {
                if let Some((_, title)) = &mut open {
                    title.push_str(&said);
                }
            }
            _ => {}
        }
    }
    let first = heads.first().map_or(text.len(), |(_, _, range)| range.start);
    let mut sections =
        vec![Section { level: None, title: String::new(), body: text[..first].trim() }];
    for (at, (level, title, range)) in heads.iter().enumerate() {
        let end = heads.get(at + 1).map_or(text.len(), |(_, _, next)| next.start);
        let (title, body) = (title.trim().to_owned(), text[range.end..end].trim());
        sections.push(Section { level: Some(*level), title, body });
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str) -> String {
        let events = Parser::new(markdown).map(|event| match event {
            Event::Text(text) => text.into_string(),
            Event::SoftBreak | Event::HardBreak => "\n".into(),
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => String::new(),
            other => format!("{{{other:?}}}"),
        });
        events.collect()
    }

    #[test]
    fn text_within_a_line_is_read_as_it_was_written() {
        for text in [
            "OAuth 2.0 (Recommended)",
            "snake_case and _emphasis_ and **more**",
            "# no heading",
            "no end of one ##",
            "from $5 to $10",
            "- no list",
            "1. no list either",
            "2)",
            "2.9 % of it",
            "<script>alert(1)</script> &amp; [link](javascript:x) `code` ~~gone~~",
            "a | b \\ c",
            "===",
            "emoji 🙋 and עברית",
        ] {
            assert_eq!(shown(&inline(text)), text);
        }
    }

    #[test]
    fn a_line_stays_one_line_and_steers_no_terminal() {
        assert_eq!(inline("one\n\ntwo\t three"), "one two three");
        assert_eq!(inline("2.9 % of it"), "2.9 % of it", "as it is, where nothing is meant by it");
        assert!(!inline("\u{1b}[2Jgone").contains('\u{1b}'));
    }

    #[test]
    fn no_character_of_unicode_hides_in_an_export() {
        let is_hidden = |c: &char| handraise_question::hidden::hides(*c);
        for c in ('\0'..=char::MAX).filter(is_hidden).filter(|c| !matches!(c, '\n' | '\t')) {
            let text = format!("git{c}status");
            for out in [
                inline(&text),
                paragraphs(&text),
                quoted(&text),
                verbatim(&text),
                without_html(&text),
            ] {
                assert!(!out.contains(|c| is_hidden(&c) && c != '\n'), "{out:?}");
                assert!(
                    out.contains("U+") || out.contains(|c| ('␀'..='␡').contains(&c)),
                    "{out:?}"
                );
            }
        }
    }

    #[test]
    fn lines_stay_lines_and_paragraphs_stay_paragraphs() {
        assert_eq!(paragraphs("one\n# two\n\n\n- three\n"), "one\\\n\\# two\n\n\\- three");
        assert_eq!(shown(&paragraphs("a\nb\n---\n> c")), "a\nb\n---\n> c");
        assert_eq!(paragraphs(" \n\n"), "");
    }

    #[test]
    fn a_quotation_keeps_the_shape_of_code_and_ends_where_it_ends() {
        assert_eq!(quoted("yes\n\nbut *soon*"), "> yes\n>\n> but \\*soon\\*");
        let code = quoted("if x:\n    y\n```\n# z");
        assert_eq!(code, "> ````text\n> if x:\n>     y\n> ```\n> # z\n> ````");
    }

    #[test]
    fn verbatim_text_cannot_end_its_fence() {
        let text = "a\n```\nb\n`````\n# c";
        let written = verbatim(text);
        let shown: String = Parser::new(&written)
            .filter_map(|event| match event {
                Event::Text(text) => Some(text.into_string()),
                _ => None,
            })
            .collect();
        assert_eq!(shown.trim_end(), text);
    }

    #[test]
    fn html_is_text_and_code_stays_code() {
        let text = "A <b>bold</b> `Vec<u8>` claim.\n\n<div>\n<script>x</script>\n</div>\n\n```\n<i>\n```\n";
        let without = without_html(text);
        assert!(live(&without).is_empty(), "{without}");
        assert!(without.contains("`Vec<u8>`"), "{without}");
        assert!(without.contains("```\n<i>\n```"), "{without}");
        assert!(without.contains("\\<script>x\\</script>"), "{without}");
    }

    #[test]
    fn pictures_and_programs_are_text() {
        let text = "![x](https://elsewhere.example/p.png) [y](javascript:z) <javascript:z> [ok](https://a.example)";
        let without = without_html(text);
        assert!(live(&without).is_empty(), "{without}");
        assert!(without.contains("[ok](https://a.example)"), "{without}");
    }

    #[test]
    fn a_great_many_tags_take_no_time() {
        let text = "<b>".repeat(300_000);
        assert_eq!(without_html(&text).matches("\\<b>").count(), 300_000);
    }

    #[test]
    fn what_is_not_ended_is_contained() {
        for text in ["```\nopen", "~~~~\nopen", "a\n\n<!-- open"] {
            let document = format!("{}\n\n## After\n", contained(text));
            let after = sections(&document).into_iter().any(|section| section.title == "After");
            assert!(after, "{document}");
        }
        assert_eq!(contained("- a\n- b"), "- a\n- b");
    }

    #[test]
    fn a_document_is_cut_at_its_headings_alone() {
        let text = "before\n# Title\nintro\n\n```\n# no heading\n```\n\n> # quoted\n\n### deeper\nx\n## Open `points`\n- a\n";
        let cut: Vec<_> = sections(text)
            .into_iter()
            .map(|section| (section.level, section.title, section.body.lines().count()))
            .collect();
        assert_eq!(
            cut,
            [
                (None, String::new(), 1),
                (Some(1), "Title".into(), 10),
                (Some(2), "Open points".into(), 1)
            ]
        );
    }
}
