//! Taking the terminal over, and giving it back on every way out.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
};
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    EnableLineWrap, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};

static TAKEN: AtomicBool = AtomicBool::new(false);
/// The whole screen is taken as well.
static SCREEN_TAKEN: AtomicBool = AtomicBool::new(false);
static PANIC_HOOK: Once = Once::new();

/// The terminal delivers single keys, as long as this lives.
pub(crate) struct RawMode(());

impl RawMode {
    pub(crate) fn enter(out: &mut impl Write) -> io::Result<Self> {
        PANIC_HOOK.call_once(|| {
            let report = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                report(panic);
            }));
        });
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let raw = Self(());
        execute!(out, EnableBracketedPaste)?;
        Ok(raw)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        give_back();
    }
}

/// Takes the whole screen, and asks to be told when the person looks elsewhere.
pub(crate) fn take_screen(out: &mut impl Write) -> io::Result<()> {
    SCREEN_TAKEN.store(true, Ordering::SeqCst);
    execute!(out, EnterAlternateScreen, EnableFocusChange)
}

/// Gives the screen back as it was. Twice is as good as once.
pub(crate) fn leave_screen(out: &mut impl Write) -> io::Result<()> {
    if SCREEN_TAKEN.swap(false, Ordering::SeqCst) {
        execute!(out, EndSynchronizedUpdate, DisableFocusChange, LeaveAlternateScreen, Show)?;
    }
    Ok(())
}

/// Puts the terminal back as it was. Twice is as good as once.
fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // There is nobody left to tell if the terminal itself is gone.
    if let Ok(mut tty) = tty() {
        let _ = leave_screen(&mut tty);
        let _ = queue!(
            tty,
            EndSynchronizedUpdate,
            EnableLineWrap,
            DisableBracketedPaste,
            SetAttribute(Attribute::Reset),
            Show
        )
        .and_then(|()| tty.flush());
    }
    let _ = disable_raw_mode();
}

/// The terminal this process belongs to, wherever its standard streams go.
pub(crate) fn tty() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}

#[cfg(test)]
mod tests {
    use super::*;
    use handraise_testkit::Pty;

    /// Runs itself once more in a terminal, and there it panics.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the variable tells the inner run from the outer"
    )]
    fn a_panic_gives_the_terminal_back() {
        if std::env::var_os("PANIC_IN_RAW_MODE").is_some() {
            let mut out = tty().unwrap();
            let _raw = RawMode::enter(&mut out).unwrap();
            execute!(out, crossterm::cursor::Hide).unwrap();
            panic!("as planned");
        }
        let directory = std::env::temp_dir();
        let me = std::env::current_exe().unwrap().display().to_string();
        let name = "raw_mode::tests::a_panic_gives_the_terminal_back";
        let script =
            r#"stty -g; PANIC_IN_RAW_MODE=1 "$0" --exact "$1" --nocapture; stty -g; echo over"#;
        let pty = Pty::spawn(&["sh", "-c", script, &me, name], &directory, &[], (100, 40));
        let screen = pty.wait_for("over");
        assert!(screen.has("as planned"), "the inner run has panicked:\n{screen}");
        assert!(!screen.inner().hide_cursor() && !screen.inner().bracketed_paste(), "{screen}");
        let text = screen.text();
        let before = text.lines().next().unwrap();
        assert_eq!(text.lines().filter(|line| *line == before).count(), 2, "{screen}");
    }
}
