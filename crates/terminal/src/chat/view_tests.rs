use proptest::prelude::*;
use ratatui::layout::Position;

use super::{draw, lines_of};
use crate::chat::{ChatLine, ChatOrder, Conversation, Ink, Status};
use crate::palette::{Depth, Palette, Tone};
use crate::prompt::Input;

const PALETTE: Palette = Palette { depth: Depth::None, tone: Tone::Dark };

fn typed(text: &str, status: Status) -> Conversation {
    let mut conversation = Conversation::default();
    conversation.update(Input::Paste(text.into()), std::time::Instant::now());
    conversation.show(ChatOrder::Status(status));
    conversation
}

/// The picture as text, the cursor marked by `█`.
fn drawn(conversation: &Conversation, (columns, rows): (u16, u16)) -> String {
    let (mut buf, cursor) = draw(conversation, PALETTE, columns, rows);
    if let Some(at) = cursor {
        buf[at].set_symbol("█");
    }
    let mut text = String::new();
    for y in 0..buf.area.height {
        let mut skip = 0;
        let mut line = String::new();
        for x in 0..buf.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buf[Position::new(x, y)].symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).max(1) - 1;
            line.push_str(symbol);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn printed(line: &ChatLine, columns: u16) -> Vec<String> {
    lines_of(line, PALETTE, columns).iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_typed_stands_above_how_things_stand() {
    insta::assert_snapshot!(drawn(&typed("use bun", Status::Working), (60, 24)), @"

    › use bun█
    working · Esc interrupts
    ");
}

#[test]
fn what_grows_and_what_waits_stand_above_what_is_typed() {
    let mut conversation = typed("one\n日本", Status::Asking);
    conversation.show(ChatOrder::Growing(Some("The agent is saying something long".into())));
    let waiting = ["first", "second", "third\nand more", "fourth"];
    conversation.show(ChatOrder::Waiting(waiting.map(str::to_owned).to_vec()));
    insta::assert_snapshot!(drawn(&conversation, (30, 24)), @"
      The agent is saying
      something long
      queued: 1 more
      queued: second
      queued: third and more
      queued: fourth

    › one
      日本█
    waiting for an answer · what…
    ");
}

#[test]
fn of_a_tall_picture_the_end_is_shown() {
    let mut conversation = typed(&"word ".repeat(100), Status::Idle);
    conversation.show(ChatOrder::Growing(Some("growing ".repeat(100))));
    let picture = drawn(&conversation, (40, 12));
    assert_eq!(picture.lines().count(), 11, "{picture}");
    assert!(picture.contains('█') && picture.contains("growing"), "{picture}");
}

#[test]
fn later_lines_are_set_in_and_brief_ones_are_cut() {
    let line = ChatLine::new(Ink::Person, "› ", "please list the files\nand read them");
    assert_eq!(printed(&line, 17), ["› please list", "  the files", "  and read them"]);
    let brief = ChatLine::brief(Ink::Muted, "⏺ ", "\nBash ls -la and more\nlines");
    assert_eq!(printed(&brief, 17), ["⏺ Bash ls -la a…"]);
    assert_eq!(printed(&ChatLine::blank(), 17), [""]);
}

#[test]
fn code_keeps_its_indentation() {
    let code = ChatLine::new(Ink::Plain, "", "fn main() {\n    run();\n}");
    assert_eq!(printed(&code, 40), ["fn main() {", "    run();", "}"]);
}

#[test]
fn escape_sequences_are_shown_and_harmless() {
    let line = ChatLine::new(Ink::Plain, "\u{1b}[31m", "\u{1b}]2;pwned\u{7}");
    assert_eq!(printed(&line, 40), ["␛[31m␛]2;pwned␇"]);
}

proptest! {
    #[test]
    fn no_size_and_no_text_breaks_the_drawing(
        columns in 1..60_u16, rows in 1..30_u16, text in any::<String>(), grows in any::<String>(),
        waits in prop::collection::vec(any::<String>(), 0..6),
    ) {
        let mut conversation = typed(&text, Status::Away);
        conversation.show(ChatOrder::Growing(Some(grows.clone())));
        conversation.show(ChatOrder::Waiting(waits));
        let (buf, cursor) = draw(&conversation, PALETTE, columns, rows);
        // Three rows are needed; with less there is no drawing that helps.
        prop_assert!(buf.area.height <= rows.max(2));
        prop_assert!(cursor.is_none_or(|at| at.x < columns && at.y < buf.area.height));
        prop_assert!(buf.content.iter().all(|cell| !cell.symbol().contains(char::is_control)));
        let line = ChatLine::new(Ink::Plain, "› ", grows);
        prop_assert!(printed(&line, columns).iter().all(|line| !line.contains(char::is_control)));
    }
}
