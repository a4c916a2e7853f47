//! A terminal screen as an SVG picture.

use handraise_testkit::{Cell, Color, Screen};

const CELL: (f32, f32) = (8.4, 18.0);
const MARGIN: f32 = 16.0;
const BACKGROUND: &str = "#0F172A";
const FOREGROUND: &str = "#E2E8F0";

/// Draws the screen, colours included.
pub(crate) fn of(screen: &Screen) -> String {
    let (rows, columns) = screen.inner().size();
    let (rows, columns) = (rows.get(), columns.get());
    let width = f32::from(columns) * CELL.0 + 2.0 * MARGIN;
    let height = f32::from(rows) * CELL.1 + 2.0 * MARGIN;
    let mut out = vec![
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">"#
        ),
        format!(r#"<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>"#),
    ];
    for row in 0..rows {
        let cells = (0..columns).filter_map(|column| {
            let cell = screen.inner().cell(row, column)?;
            Some((column, cell)).filter(|_| !cell.is_wide_continuation())
        });
        let mut runs: Vec<Run> = vec![];
        for (column, cell) in cells {
            match runs.last_mut() {
                Some(run) if run.continues_with(cell) => run.push(cell),
                _ => runs.push(Run::new(column, cell)),
            }
        }
        out.extend(runs.iter().flat_map(|run| run.draw(row)));
    }
    out.push("</svg>\n".into());
    out.join("\n")
}

/// Neighbouring cells that look alike.
struct Run {
    column: u16,
    text: String,
    foreground: Color,
    background: Color,
    bold: bool,
}

impl Run {
    fn new(column: u16, cell: &Cell) -> Self {
        let mut run = Self {
            column,
            text: String::new(),
            foreground: cell.fgcolor(),
            background: cell.bgcolor(),
            bold: cell.bold(),
        };
        run.push(cell);
        run
    }

    fn continues_with(&self, cell: &Cell) -> bool {
        (self.foreground, self.background, self.bold)
            == (cell.fgcolor(), cell.bgcolor(), cell.bold())
    }

    fn push(&mut self, cell: &Cell) {
        self.text.push_str(if cell.has_contents() { cell.contents() } else { " " });
    }

    fn draw(&self, row: u16) -> Vec<String> {
        let text = self.text.trim_end();
        let x = MARGIN + f32::from(self.column) * CELL.0;
        let y = MARGIN + f32::from(row) * CELL.1;
        let mut out = vec![];
        if let Color::Rgb(..) = self.background {
            let width = CELL.0 * f32::from(u16::try_from(self.text.chars().count()).unwrap_or(0));
            out.push(format!(
                r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{}" fill="{}"/>"#,
                CELL.1,
                hex(self.background)
            ));
        }
        if !text.is_empty() {
            let weight = if self.bold { r#" font-weight="bold""# } else { "" };
            out.push(format!(
                r#"<text x="{x:.1}" y="{:.1}" fill="{}"{weight} xml:space="preserve">{}</text>"#,
                y + 13.5,
                hex(self.foreground),
                escaped(text)
            ));
        }
        out
    }
}

fn hex(color: Color) -> String {
    match color {
        Color::Rgb(r, g, b) => format!("#{r:02X}{g:02X}{b:02X}"),
        Color::Default | Color::Idx(_) => FOREGROUND.into(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
