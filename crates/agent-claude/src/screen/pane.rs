//! A pane: what it shows, and keys for it.

use std::path::PathBuf;

use super::place::{self, NoPane, Place};

/// The terminal of a session.
#[derive(Debug, Clone)]
pub struct Pane {
    place: Place,
    process: u32,
}

/// What a pane shows at one moment, and what else tells whether keys may go there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The lines, without what follows their last character.
    pub lines: Vec<String>,
    /// Whether keys go to tmux itself: somebody scrolls or searches.
    pub in_mode: bool,
    /// Whether what is typed here is typed in other panes, too, or nowhere.
    pub is_bound: bool,
    /// When somebody at a terminal that shows the pane pressed a key last, in seconds of the clock.
    pub touched: Option<u64>,
    /// What must not have changed when the key arrives: the process, the size, the cursor.
    pub(super) stamp: String,
}

/// What tells one moment of a pane from another.
const STAMP: &str = "#{pane_pid} #{pane_in_mode} #{pane_synchronized} #{pane_input_off} #{pane_dead} \
                     #{pane_width} #{pane_height} #{cursor_x} #{cursor_y}";

impl Pane {
    /// The pane a process is in. `directories` are those in which tmux keeps its sockets; a server
    /// elsewhere is found if the process was told of it.
    ///
    /// # Errors
    ///
    /// When it is in none.
    pub async fn of(process: u32, directories: &[PathBuf]) -> Result<Self, NoPane> {
        let place = place::of(process, directories).await?;
        Ok(Self { place, process })
    }

    /// What it shows now.
    ///
    /// # Errors
    ///
    /// When tmux does not say.
    pub async fn view(&self) -> Result<View, String> {
        // In one go: tmux does nothing else in between.
        let target = self.place.pane.as_str();
        let clients = "#{client_activity} #{pane_id}";
        let commands: [&[&str]; 4] = [
            &["display-message", "-p", "-t", target, STAMP, ";"],
            &["list-clients", "-F", clients, ";"],
            &["display-message", "-p", "", ";"],
            &["capture-pane", "-p", "-t", target],
        ];
        let said = self.place.server.run(&commands.concat(), None).await?;
        let mut lines = said.lines();
        let stamp = lines.next().unwrap_or_default().to_owned();
        let touched = lines.by_ref().take_while(|line| !line.is_empty()).filter_map(|line| {
            let (activity, pane) = line.split_once(' ')?;
            activity.parse::<u64>().ok().filter(|_| pane == target)
        });
        let touched = touched.max();
        let mut fields = stamp.split(' ');
        if fields.next() != Some(self.place.pane_process.to_string().as_str()) {
            return Err("the pane is used for something else now".into());
        }
        let flags: Vec<_> = fields.take(4).map(|flag| flag != "0").collect();
        let [in_mode, synchronized, input_off, dead] = flags[..] else {
            return Err("tmux says nothing of the pane".into());
        };
        if dead {
            return Err("the pane's program has ended".into());
        }
        place::in_front(self.process).map_err(|error| error.to_string())?;
        let lines = lines.map(|line| line.trim_end().to_owned()).collect();
        Ok(View { lines, in_mode, is_bound: synchronized || input_off, touched, stamp })
    }

    /// Presses one key, by tmux's name for it, if the pane is as it was in `view`. Whether it was.
    pub(super) async fn press(&self, view: &View, key: &str) -> Result<bool, String> {
        // Only names of keys come here, and single digits and letters: nothing that needs quotes.
        self.when_as(view, &format!("send-keys -t {} {key}", self.place.pane)).await
    }

    /// Pastes text, if the pane is as it was in `view`. Whether it was. The text never passes through
    /// a command line, where tmux and others would read more into it.
    pub(super) async fn paste(&self, view: &View, text: &str) -> Result<bool, String> {
        let name =
            format!("handraise-{}-{}", std::process::id(), self.place.pane.trim_matches('%'));
        self.place.server.run(&["load-buffer", "-b", &name, "-"], Some(text)).await?;
        // As one paste (-p), line ends as they are (-r): as keys they would send what is typed so far.
        let command = format!("paste-buffer -d -p -r -b {name} -t {}", self.place.pane);
        let pasted = self.when_as(view, &command).await;
        if !matches!(pasted, Ok(true)) {
            // Nobody else is to find it there.
            let _ = self.place.server.run(&["delete-buffer", "-b", &name], None).await;
        }
        pasted
    }

    /// Has tmux itself look whether the pane is still the same, and do it only then: nothing can come in
    /// between.
    async fn when_as(&self, view: &View, command: &str) -> Result<bool, String> {
        place::in_front(self.process).map_err(|error| error.to_string())?;
        let condition = format!("#{{==:{STAMP},{}}}", view.stamp);
        let (yes, no) = (format!("{command} ; display-message -p yes"), "display-message -p no");
        let args = ["if-shell", "-F", "-t", &self.place.pane, &condition, &yes, no];
        let said = self.place.server.run(&args, None).await?;
        Ok(said.trim() == "yes")
    }
}
