//! One-time login links.

use std::time::Duration;

use handraise_broker::{AskId, DeviceId};
use handraise_wire::v1::LinkResponse;
use jiff::SignedDuration;
use qrcode::{Color, QrCode};

use crate::app::App;

/// How long a login link works.
pub(crate) const LIFE: Duration = Duration::from_mins(10);

/// What the secret of a login link stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invitation {
    /// The device it was made with.
    pub by: DeviceId,
    /// The ask it leads to. It is kept here, so that the link stays short enough for a line.
    pub to: Option<AskId>,
}

impl App {
    /// Makes a login link that works once, in the name of a device. It leads to `origin`, where its
    /// maker reaches this hub, or else to the hub's own address.
    #[must_use]
    pub fn new_link(&self, invitation: Invitation, origin: Option<&str>) -> LinkResponse {
        let world = self.broker.world();
        let secret = self.links.promise(world.random(), world.elapsed(), invitation);
        let life = SignedDuration::try_from(LIFE).unwrap_or_default();
        let url = format!("{}/#login={}", origin.unwrap_or(&self.config.url), secret.reveal());
        LinkResponse {
            qr: rows(&url),
            url,
            expires_at: world.now().saturating_add(life).unwrap_or_default(),
        }
    }
}

/// The QR code, a line for each row, `1` for dark.
fn rows(url: &str) -> String {
    // No address is too long for a code; without one the link itself is still there.
    let Ok(code) = QrCode::new(url) else { return String::new() };
    let digit = |color: &Color| if *color == Color::Dark { '1' } else { '0' };
    let colors = code.to_colors();
    let rows = colors.chunks(code.width()).map(|row| row.iter().map(digit).collect::<String>());
    rows.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_square_with_three_marks_in_its_corners() {
        let code = rows("http://127.0.0.1:4731/#login=secret");
        let lines: Vec<_> = code.lines().collect();
        let side = lines.len();
        assert!(side >= 21 && lines.iter().all(|line| line.len() == side), "{code}");
        for line in [lines[0], lines[6]] {
            assert!(line.starts_with("11111110") && line.ends_with("01111111"), "{code}");
        }
        assert!(lines[side - 1].starts_with("11111110"), "{code}");
    }
}
