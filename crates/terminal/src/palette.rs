//! Colours by role, for the terminal at hand.

use ratatui::style::{Color, Modifier, Style};

/// How many colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// None wanted (`NO_COLOR`): weight alone tells things apart.
    None,
    /// The sixteen of old, whose exact shade the person has chosen.
    Ansi16,
    /// The 256-colour cube.
    Ansi256,
    /// 24 bits.
    True,
}

/// Whether the terminal's background is dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Light text on dark.
    Dark,
    /// Dark text on light.
    Light,
}

/// What a colour is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Chip, radio buttons, boxes, the text cursor.
    Primary,
    /// The option in focus.
    Text,
    /// The other options.
    Secondary,
    /// Descriptions, hints, the frame.
    Muted,
    /// Recommended, and what was confirmed.
    Success,
    /// A refused answer.
    Error,
    /// A deadline that nears.
    Warning,
}

/// Turns roles into styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// How many colours there are.
    pub depth: Depth,
    /// What they are drawn on.
    pub tone: Tone,
}

/// The variables that say what the terminal can do, read by the caller.
#[derive(Debug, Clone, Default)]
pub struct ColorHints {
    /// `NO_COLOR`
    pub no_color: Option<String>,
    /// `COLORTERM`
    pub colorterm: Option<String>,
    /// `TERM`
    pub term: Option<String>,
    /// `COLORFGBG`, e.g. `0;15`
    pub colorfgbg: Option<String>,
}

impl ColorHints {
    /// The number of colours these variables promise.
    #[must_use]
    pub fn depth(&self) -> Depth {
        let term = self.term.as_deref().unwrap_or_default();
        if self.no_color.as_deref().is_some_and(|value| !value.is_empty()) || term == "dumb" {
            Depth::None
        } else if matches!(self.colorterm.as_deref(), Some("truecolor" | "24bit"))
            || term.ends_with("-direct")
        {
            Depth::True
        } else if term.contains("256color") {
            Depth::Ansi256
        } else {
            Depth::Ansi16
        }
    }

    /// The background these variables tell of, if they do.
    #[must_use]
    pub fn tone(&self) -> Option<Tone> {
        let background = self.colorfgbg.as_deref()?.rsplit(';').next()?.parse::<u8>().ok()?;
        // 7 and 9–15 are the light ones; 8 is a dark grey.
        Some(if background == 7 || background > 8 { Tone::Light } else { Tone::Dark })
    }
}

impl Palette {
    pub(crate) fn style(self, role: Role) -> Style {
        match self.depth {
            Depth::True => Style::new().fg(rgb(self.hex(role))),
            Depth::Ansi256 => Style::new().fg(nearest_of_256(self.hex(role))),
            Depth::Ansi16 => self.of_sixteen(role),
            Depth::None => match role {
                Role::Text | Role::Primary | Role::Error | Role::Warning => Style::new().bold(),
                Role::Muted => Style::new().dim(),
                Role::Secondary | Role::Success => Style::new(),
            },
        }
    }

    /// The header chip: primary on a panel of its own.
    pub(crate) fn chip(self) -> Style {
        let panel = match self.tone {
            Tone::Dark => 0x001E_293B,
            Tone::Light => 0x00E2_E8F0,
        };
        let chip = self.style(Role::Primary).add_modifier(Modifier::BOLD);
        match self.depth {
            Depth::True => chip.bg(rgb(panel)),
            Depth::Ansi256 => chip.bg(nearest_of_256(panel)),
            Depth::Ansi16 | Depth::None => chip,
        }
    }

    /// The cell under the text cursor.
    pub(crate) fn cursor(self) -> Style {
        match self.depth {
            Depth::True => Style::new().bg(rgb(self.hex(Role::Primary))),
            Depth::Ansi256 => Style::new().bg(nearest_of_256(self.hex(Role::Primary))),
            // The terminal's own cursor stands there anyway.
            Depth::Ansi16 | Depth::None => Style::new(),
        }
    }

    fn hex(self, role: Role) -> u32 {
        match (self.tone, role) {
            (Tone::Dark, Role::Primary) => 0x0081_8CF8,
            (Tone::Dark, Role::Text) => 0x00F1_F5F9,
            (Tone::Dark, Role::Secondary) => 0x0094_A3B8,
            (_, Role::Muted) => 0x0064_748B,
            (Tone::Dark, Role::Success) => 0x0034_D399,
            (Tone::Dark, Role::Error) => 0x00F8_7171,
            (Tone::Dark, Role::Warning) => 0x00FB_BF24,
            (Tone::Light, Role::Primary) => 0x004F_46E5,
            (Tone::Light, Role::Text) => 0x000F_172A,
            (Tone::Light, Role::Secondary) => 0x0033_4155,
            (Tone::Light, Role::Success) => 0x0004_7857,
            (Tone::Light, Role::Error) => 0x00DC_2626,
            (Tone::Light, Role::Warning) => 0x00B4_5309,
        }
    }

    fn of_sixteen(self, role: Role) -> Style {
        let blue = match self.tone {
            Tone::Dark => Color::LightBlue,
            Tone::Light => Color::Blue,
        };
        match role {
            Role::Primary => Style::new().fg(blue),
            Role::Text => Style::new().bold(),
            Role::Secondary => Style::new(),
            // Not bright black: some themes give it the background's own colour.
            Role::Muted => Style::new().dim(),
            Role::Success => Style::new().fg(Color::Green),
            Role::Error => Style::new().fg(Color::Red),
            Role::Warning => Style::new().fg(Color::Yellow),
        }
    }
}

fn channels(hex: u32) -> [u8; 3] {
    let [_, r, g, b] = hex.to_be_bytes();
    [r, g, b]
}

fn rgb(hex: u32) -> Color {
    let [r, g, b] = channels(hex);
    Color::Rgb(r, g, b)
}

/// The nearest colour of the 6×6×6 cube or the grey ramp; the first sixteen are the person's own.
fn nearest_of_256(hex: u32) -> Color {
    let wanted = channels(hex);
    let distance = |have: [u8; 3]| -> u32 {
        wanted.iter().zip(have).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let level = |i: u8| if i == 0 { 0 } else { 55 + 40 * i };
    let cube = (0..216_u8).map(|i| (16 + i, [level(i / 36), level(i / 6 % 6), level(i % 6)]));
    let ramp = (0..24_u8).map(|i| (232 + i, [8 + 10 * i; 3]));
    let nearest = cube.chain(ramp).min_by_key(|(_, have)| distance(*have));
    Color::Indexed(nearest.map_or(15, |(index, _)| index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(no_color: &str, colorterm: &str, term: &str, colorfgbg: &str) -> ColorHints {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ColorHints {
            no_color: some(no_color),
            colorterm: some(colorterm),
            term: some(term),
            colorfgbg: some(colorfgbg),
        }
    }

    #[test]
    fn the_terminal_gets_the_colours_it_has() {
        assert_eq!(hints("", "truecolor", "xterm", "").depth(), Depth::True);
        assert_eq!(hints("", "", "tmux-256color", "").depth(), Depth::Ansi256);
        assert_eq!(hints("", "", "xterm", "").depth(), Depth::Ansi16);
        assert_eq!(hints("1", "truecolor", "xterm-256color", "").depth(), Depth::None);
        assert_eq!(hints("", "", "dumb", "").depth(), Depth::None);
    }

    #[test]
    fn a_light_background_is_honoured() {
        assert_eq!(hints("", "", "", "0;15").tone(), Some(Tone::Light));
        assert_eq!(hints("", "", "", "0;default;7").tone(), Some(Tone::Light));
        assert_eq!(hints("", "", "", "15;0").tone(), Some(Tone::Dark));
        assert_eq!(hints("", "", "", "").tone(), None);
    }

    #[test]
    fn the_documents_colours_are_exact_and_fall_back() {
        let dark = Palette { depth: Depth::True, tone: Tone::Dark };
        assert_eq!(dark.style(Role::Primary).fg, Some(Color::Rgb(0x81, 0x8C, 0xF8)));
        assert_eq!(dark.chip().bg, Some(Color::Rgb(0x1E, 0x29, 0x3B)));
        let few = Palette { depth: Depth::Ansi256, ..dark };
        assert_eq!(few.style(Role::Primary).fg, Some(Color::Indexed(105)));
        let none = Palette { depth: Depth::None, ..dark };
        assert_eq!(none.style(Role::Primary).fg, None);
        assert_eq!(none.chip().bg, None);
    }
}
