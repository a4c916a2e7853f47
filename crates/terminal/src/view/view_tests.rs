use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use handraise_question::{Ask, Limits};
use proptest::prelude::*;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};
use serde_json::{Value, json};

use super::Sheet;
use crate::palette::{Depth, Palette, Tone};
use crate::prompt::{Input, Prompt};

const PALETTE: Palette = Palette { depth: Depth::True, tone: Tone::Dark };
const SIZES: [(u16, u16); 3] = [(40, 10), (80, 24), (200, 60)];

fn prompt(json: &Value) -> Prompt {
    prompt_until(json, None)
}

fn prompt_until(json: &Value, wait: Option<Duration>) -> Prompt {
    Prompt::new(Ask::read(json.to_string().as_bytes(), &Limits::WIDE).unwrap().ask, wait)
}

/// Each key is pressed a while after the one before.
fn later() -> Duration {
    static SECONDS: AtomicU64 = AtomicU64::new(0);
    Duration::from_secs(SECONDS.fetch_add(1, Ordering::Relaxed))
}

fn press(prompt: &mut Prompt, keys: &str) {
    for c in keys.chars() {
        let code = match c {
            '⏎' => KeyCode::Enter,
            '↓' => KeyCode::Down,
            '←' => KeyCode::Left,
            '⇥' => KeyCode::Tab,
            '␛' => KeyCode::Esc,
            c => KeyCode::Char(c),
        };
        prompt.update(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)), later());
        prompt.update(Input::Tick, later());
    }
}

/// The screen as text, the cursor marked by `█`.
fn drawn(prompt: &mut Prompt, (width, height): (u16, u16)) -> String {
    let sheet = Sheet::new(prompt, PALETTE, width, height);
    let area = Rect::new(0, 0, width, sheet.height().min(height));
    let mut buf = Buffer::empty(area);
    let shown = sheet.draw(area, &mut buf);
    prompt.drawn(shown.rows_seen, shown.scroll, shown.lines);
    if let Some(at) = shown.cursor {
        buf[at].set_symbol("█");
    }
    let row = |y| {
        let mut skip = 0;
        let mut line = String::new();
        for x in 0..area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buf[Position::new(x, y)].symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).max(1) - 1;
            line.push_str(symbol);
        }
        line.trim_end().to_owned()
    };
    (0..area.height).map(row).collect::<Vec<_>>().join("\n")
}

fn at_three_sizes(name: &str, prompt: &mut Prompt) {
    for (width, height) in SIZES {
        let screen = drawn(prompt, (width, height));
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), screen);
    }
}

fn two_questions() -> Value {
    json!({"questions": [
        {"question": "Which authentication method should we use?", "header": "Auth Method", "options": [
            {"label": "OAuth 2.0 (Recommended)", "description": "Industry standard, supports social login"},
            {"label": "JWT", "description": "Stateless tokens, good for APIs"},
            {"label": "Session-based", "description": "Traditional cookie sessions"}]},
        {"question": "Which OAuth providers should we support?", "header": "Providers", "multiSelect": true, "options": [
            {"label": "Google", "description": "Most widely used"},
            {"label": "GitHub", "description": "Popular for developer tools"},
            {"label": "Microsoft", "description": "Enterprise integration"},
            {"label": "Apple", "description": "Required for iOS apps"}]}]})
}

#[test]
fn single_select() {
    at_three_sizes("single_select", &mut prompt(&two_questions()));
}

#[test]
fn multi_select() {
    let mut prompt = prompt(&two_questions());
    press(&mut prompt, "1 ↓↓ ");
    at_three_sizes("multi_select", &mut prompt);
}

#[test]
fn own_words() {
    let mut prompt = prompt(&two_questions());
    press(&mut prompt, "14");
    press(&mut prompt, "5bun or deno");
    at_three_sizes("own_words", &mut prompt);
}

#[test]
fn review() {
    let mut prompt = prompt(&two_questions());
    press(&mut prompt, "112⏎");
    press(&mut prompt, "k");
    press(&mut prompt, "nask Bo first⏎");
    at_three_sizes("review", &mut prompt);
}

#[test]
fn refused() {
    let mut prompt = prompt(&two_questions());
    press(&mut prompt, "1⏎");
    at_three_sizes("refused", &mut prompt);
}

#[test]
fn help() {
    let mut prompt = prompt(&two_questions());
    press(&mut prompt, "?");
    at_three_sizes("help", &mut prompt);
}

#[test]
fn preview() {
    let lines: Vec<String> = (1..=40).map(|n| format!("{n:>3}  fn line_{n}() {{}}")).collect();
    let ask = json!({"questions": [{"question": "Which layout?", "header": "Layout", "options": [
        {"label": "Sidebar", "description": "Navigation on the left", "preview": lines.join("\n")},
        {"label": "Topbar", "description": "Navigation on top", "preview": "+-----+\n| nav |\n+-----+"}]}]});
    at_three_sizes("preview", &mut prompt(&ask));
}

#[test]
fn wide_characters_and_hostile_text() {
    let ask = json!({"questions": [{"question": "どのデータベースを使いますか？ \u{1b}[2J", "header": "データ",
        "options": [
            {"label": "日本語のとても長いラベルでありまして画面の幅を超えるものです", "description": "説明 👨‍👩‍👧 e\u{301}"},
            {"label": "\u{1b}]0;pwned\u{7}", "description": "txt.\u{202e}exe"},
            {"label": "שלום עולם", "description": "right to left"}]}]});
    at_three_sizes("wide_and_hostile", &mut prompt(&ask));
}

#[test]
fn text_too_long() {
    let ask = json!({"questions": [{"question": "Why? ".repeat(60), "header": "A header far too long for its chip",
        "options": [{"label": "word ".repeat(30), "description": "x".repeat(300)}, {"label": "B"}]}]});
    at_three_sizes("too_long", &mut prompt(&ask));
}

#[test]
fn a_deadline_that_nears() {
    let mut prompt = prompt_until(&two_questions(), Some(Duration::from_secs(90)));
    prompt.update(Input::Tick, Duration::from_secs(80));
    at_three_sizes("deadline", &mut prompt);
}

#[test]
fn typed_text_about_to_be_thrown_away() {
    let mut prompt = prompt(&two_questions());
    press(&mut prompt, "4precious␛␛");
    at_three_sizes("discarding", &mut prompt);
}

#[test]
fn the_frame_tells_a_refusal_from_a_confirmation() {
    let colour = |prompt: &Prompt| {
        let sheet = Sheet::new(prompt, PALETTE, 80, 24);
        let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
        sheet.draw(buf.area, &mut buf);
        buf[Position::new(0, 2)].fg
    };
    let mut prompt = prompt(&two_questions());
    let calm = colour(&prompt);
    let one = KeyEvent::new(KeyCode::Char('1'), KeyModifiers::NONE);
    prompt.update(Input::Key(one), later());
    let confirmed = colour(&prompt);
    press(&mut prompt, "⏎");
    let refused = colour(&prompt);
    press(&mut prompt, "↓");
    assert_eq!(colour(&prompt), calm);
    assert_ne!(confirmed, calm);
    assert_ne!(refused, calm);
    assert_ne!(refused, confirmed);
}

/// The colours of the prompt's document on dark, and the ones that can be read on light.
const PRIMARY: [(Tone, u32); 2] = [(Tone::Dark, 0x81_8CF8), (Tone::Light, 0x4F_46E5)];

/// The cells in which a symbol is drawn, and the cell of the text cursor.
fn cells(prompt: &Prompt, palette: Palette, symbol: &str) -> (Vec<Cell>, Option<Cell>) {
    let sheet = Sheet::new(prompt, palette, 80, 24);
    let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
    let cursor = sheet.draw(buf.area, &mut buf).cursor;
    let found = buf.content.iter().filter(|cell| cell.symbol() == symbol).cloned().collect();
    (found, cursor.map(|at| buf[at].clone()))
}

#[test]
fn radio_buttons_and_boxes_have_the_primary_colour() {
    let mut prompt = prompt(&two_questions());
    let one = |prompt: &Prompt, symbol, count: usize| {
        for (tone, primary) in PRIMARY {
            let (marks, _) = cells(prompt, Palette { depth: Depth::True, tone }, symbol);
            let colours: Vec<_> = marks.iter().map(|mark| mark.fg).collect();
            assert_eq!(colours, vec![Color::from_u32(primary); count], "{symbol} {tone:?}");
        }
        let few = Palette { depth: Depth::Ansi16, tone: Tone::Dark };
        assert!(cells(prompt, few, symbol).0.iter().all(|mark| mark.fg == Color::LightBlue));
        let none = Palette { depth: Depth::None, tone: Tone::Dark };
        let (marks, _) = cells(prompt, none, symbol);
        assert!(
            marks
                .iter()
                .all(|mark| mark.fg == Color::Reset && mark.modifier.contains(Modifier::BOLD))
        );
    };
    one(&prompt, "○", 4);
    press(&mut prompt, "1 ");
    one(&prompt, "☑", 1);
    one(&prompt, "☐", 4);
    // Back at the first, which is answered.
    press(&mut prompt, "←");
    one(&prompt, "●", 1);
    one(&prompt, "○", 3);
}

#[test]
fn the_pointer_and_the_option_in_focus_stand_out_from_the_others() {
    let prompt = prompt(&two_questions());
    for (tone, text) in [(Tone::Dark, 0xF1_F5F9), (Tone::Light, 0x0F_172A)] {
        let (pointers, _) = cells(&prompt, Palette { depth: Depth::True, tone }, ">");
        assert_eq!(pointers.len(), 1);
        assert_eq!(pointers[0].fg, Color::from_u32(text));
        assert!(pointers[0].modifier.contains(Modifier::BOLD));
        let (others, _) = cells(&prompt, Palette { depth: Depth::True, tone }, "J");
        assert_ne!(others[0].fg, Color::from_u32(text), "the label of another option");
    }
}

#[test]
fn the_text_cursor_has_the_primary_colour() {
    let mut prompt = prompt(&two_questions());
    press(&mut prompt, "4bun");
    for (tone, primary) in PRIMARY {
        let under = |depth| cells(&prompt, Palette { depth, tone }, "").1.unwrap().bg;
        assert_eq!(under(Depth::True), Color::from_u32(primary), "{tone:?}");
        assert!(matches!(under(Depth::Ansi256), Color::Indexed(16..)), "{tone:?}");
        // The terminal's own cursor is there.
        assert_eq!(under(Depth::Ansi16), Color::Reset);
        assert_eq!(under(Depth::None), Color::Reset);
    }
}

#[test]
fn a_deadline_that_nears_is_drawn_as_a_warning_and_all_else_steps_back() {
    let mut prompt = prompt_until(&two_questions(), Some(Duration::from_secs(90)));
    let warning = [(Tone::Dark, 0xFB_BF24), (Tone::Light, 0xB4_5309)];
    let is_dim = |cell: &Cell| cell.modifier.contains(Modifier::DIM);
    for (tone, _) in warning {
        let palette = Palette { depth: Depth::True, tone };
        assert!(cells(&prompt, palette, "⚠").0.is_empty());
        assert!(!cells(&prompt, palette, "○").0.iter().any(is_dim));
    }
    prompt.update(Input::Tick, Duration::from_secs(80));
    for (tone, warning) in warning {
        let palette = Palette { depth: Depth::True, tone };
        let (signs, _) = cells(&prompt, palette, "⚠");
        assert_eq!(signs.len(), 1);
        assert_eq!((signs[0].fg, is_dim(&signs[0])), (Color::from_u32(warning), false));
        for symbol in [">", "○", "│", "╭"] {
            let (others, _) = cells(&prompt, palette, symbol);
            assert!(!others.is_empty() && others.iter().all(is_dim), "{symbol}");
        }
    }
}

proptest! {
    /// Any keys, at any size, on any text: drawn without a panic, and within the screen.
    #[test]
    fn no_size_and_no_key_breaks_the_drawing(
        width in 1..120_u16,
        height in 1..40_u16,
        text in "\\PC{1,80}",
        label in any::<String>(),
        keys in "[1-6⏎↓⇥␛ njklxd?a]{0,30}",
    ) {
        let ask = json!({"questions": [
            {"question": format!("{text}?"), "options": [{"label": format!("{label}x"), "preview": text}, {"label": "B"}]},
            {"question": "Multi?", "multiSelect": true, "options": [{"label": "C"}, {"label": "D"}]},
            {"question": "Open?"}]});
        let mut prompt = prompt(&ask);
        for key in keys.chars() {
            press(&mut prompt, &key.to_string());
            let screen = drawn(&mut prompt, (width, height));
            prop_assert!(screen.lines().count() <= usize::from(height).max(1));
        }
    }
}

/// An approval of so many lines, of which the first option needs all to have been on the screen.
fn approval(lines: usize) -> Prompt {
    let text: Vec<_> = (1..=lines).map(|n| format!("line {n}")).collect();
    let options = json!([{"label": "Allow"}, {"label": "Deny"}]);
    let ask = json!({"questions": [{"question": text.join("\n"), "options": options}]});
    prompt(&ask).guard(1)
}

/// Draws as a terminal does, and says that it is on the screen.
fn painted(prompt: &mut Prompt, size: (u16, u16)) -> String {
    let screen = drawn(prompt, size);
    if prompt.is_on_screen() { drawn(prompt, size) } else { screen }
}

fn allows(prompt: &mut Prompt) -> bool {
    let enter = Input::Key(KeyEvent::new(KeyCode::Char('1'), KeyModifiers::NONE));
    matches!(prompt.update(enter, later()), Some(crate::prompt::Effect::Resolve(_)))
}

#[test]
fn what_is_on_one_screen_can_be_allowed_at_once() {
    for size in SIZES {
        let mut prompt = approval(2);
        assert!(painted(&mut prompt, size).contains("> ○ Allow"));
        assert!(allows(&mut prompt), "{size:?}");
    }
}

#[test]
fn no_wrapped_line_of_a_call_looks_like_a_field() {
    let text = format!("note: {}\ncommand: rm -r ~", "lorem command: ls ".repeat(20));
    let options = json!([{"label": "Allow"}, {"label": "Deny"}]);
    let ask = json!({"questions": [{"question": text, "options": options}]});
    let indent = |line: &str| line.chars().take_while(|c| "│ ".contains(*c)).count();
    for width in 24..=120 {
        let screen = drawn(&mut prompt(&ask).guard(1), (width, 60));
        let edge = screen.lines().find(|line| line.contains("note:")).map(indent);
        let is_field = |line: &&str| {
            Some(indent(line)) == edge
                && line.trim_start_matches(['│', ' ']).starts_with("command:")
        };
        let fields: Vec<_> = screen.lines().filter(is_field).collect();
        assert_eq!(fields.len(), 1, "{width}\n{screen}");
        assert!(fields[0].contains("rm -r ~"), "{screen}");
    }
}

#[test]
fn what_is_longer_than_the_screen_is_allowed_only_after_its_last_line() {
    for (width, height) in [(40, 10), (80, 24), (30, 8)] {
        let mut prompt = approval(90);
        let screen = painted(&mut prompt, (width, height));
        assert!(screen.contains("line 1") && !screen.contains("> ○ Allow"), "{screen}");
        // The end alone is not all of it.
        prompt.update(Input::Key(KeyEvent::new(KeyCode::End, KeyModifiers::NONE)), later());
        painted(&mut prompt, (width, height));
        assert!(!allows(&mut prompt));
        assert!(painted(&mut prompt, (width, height)).contains("not shown"));
        let mut pages = 0;
        let page_down = || Input::Key(KeyEvent::new(KeyCode::PageDown, KeyModifiers::NONE));
        while !allows(&mut prompt) {
            pages += 1;
            assert!(pages < 100);
            painted(&mut prompt, (width, height));
            prompt.update(page_down(), later());
            painted(&mut prompt, (width, height));
        }
        assert!(pages > 1);
    }
}

#[test]
fn what_was_drawn_and_never_painted_was_not_shown() {
    let mut prompt = approval(30);
    painted(&mut prompt, (40, 10));
    for _ in 0..40 {
        prompt.update(Input::Key(KeyEvent::new(KeyCode::PageDown, KeyModifiers::NONE)), later());
        drawn(&mut prompt, (40, 10));
    }
    assert!(!allows(&mut prompt));
}

#[test]
fn a_window_too_small_for_a_line_shows_nothing() {
    for size in [(9, 30), (60, 3)] {
        let mut prompt = approval(1);
        painted(&mut prompt, size);
        assert!(!allows(&mut prompt), "{size:?}");
    }
}
