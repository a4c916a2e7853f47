//! The calls that are under way, in small files beside the hub's own.
//!
//! Hooks are short-lived processes that have to recognise each other's calls. Each call is a file in
//! its session's directory: a note until it is asked about, then an ask. Names count upwards, so that
//! the oldest comes first.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, RealWorld, World, hex};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::input::Input;
use super::process::Process;

/// Where the calls of all sessions are.
#[derive(Debug, Clone)]
pub struct Book(PathBuf);

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Call {
    /// Its id, where it was told.
    pub(super) tool_use_id: Option<String>,
    /// The prompt that led to it.
    pub(super) prompt_id: Option<String>,
    /// What it is called with, as a hash.
    pub(super) content: String,
    /// The process of Claude Code.
    pub(super) claude: Option<Process>,
    /// The process that waits for its answer.
    pub(super) waiting: Option<Process>,
    /// Where the session writes down what is said.
    pub(super) transcript: Option<PathBuf>,
    /// The ask it became; a hub that was slow to answer may know one that is not known here.
    pub(super) ask: Option<AskId>,
    /// The ask's key.
    pub(super) key: Option<String>,
    /// What Claude Code took, where it said so and the hub does not know yet.
    pub(super) took: Option<Value>,
}

/// A call and the file it is in.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    path: PathBuf,
    pub(super) call: Call,
}

/// How long the note of a call waits for that of its twin to be taken up.
const TWIN: Duration = Duration::from_millis(500);
/// How long a note waits for its turn: Claude Code holds its dialog back meanwhile. Whoever asks has
/// more time: the dialog is there already.
const TO_NOTE: Duration = Duration::from_millis(50);
const TO_ASK: Duration = Duration::from_secs(5);
const TURN: Duration = Duration::from_millis(1);

/// After so long an empty directory belongs to nobody.
const LONG: Duration = Duration::from_hours(24);

const COUNT: &str = "count";
const NOTE: &str = "note";
const ASK: &str = "ask";

impl Book {
    /// The book of a hub's home.
    #[must_use]
    pub fn new(home: &Path) -> Self {
        Self(home.join("agents/claude-code"))
    }

    /// Notes a call that may be asked about.
    ///
    /// Two calls with the same content cannot be told apart when they are asked about. So the later
    /// one waits here until the earlier one is taken up: then they come in the order of their notes.
    pub fn note(&self, input: &Input, claude: Option<&Process>) {
        let call = Call::of(input, claude);
        let Some(entry) = self.session(&input.session_id).add(NOTE, &call) else { return };
        let start = Instant::now();
        while start.elapsed() < TWIN && self.session(&input.session_id).has_twin_before(&entry) {
            thread::sleep(TURN);
        }
    }

    /// Whether a call is looked after by our own hook: noted, or asked about. One whose hook has ended
    /// without the hub having taken it is not: nobody is coming back to it.
    pub(crate) fn knows(&self, session: &str, tool_use_id: &str, questions: &RawValue) -> bool {
        let session = self.session(session);
        let content = content_of_questions(questions);
        let own = |entry: &Entry| match &entry.call.tool_use_id {
            Some(id) => id == tool_use_id,
            None => entry.call.content == content,
        };
        let under_way = |entry: &Entry| {
            let waiting = entry.call.waiting.as_ref();
            entry.call.ask.is_some() || waiting.is_none_or(Process::lives)
        };
        session.entries(NOTE).iter().any(own)
            || session.entries(ASK).iter().any(|entry| own(entry) && under_way(entry))
    }

    /// The directory of a session.
    pub(super) fn session(&self, id: &str) -> Session {
        // An id is a word of its own making: it names a directory only if it is a plain word.
        let plain = !id.is_empty()
            && id.len() <= 100
            && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        Session(self.0.join(if plain { id.to_owned() } else { hash(id.as_bytes()) }))
    }

    /// The directories of all sessions.
    pub(super) fn sessions(&self) -> Vec<Session> {
        let found = fs::read_dir(&self.0).into_iter().flatten().flatten();
        found.map(|entry| Session(entry.path())).filter(|session| session.0.is_dir()).collect()
    }

    /// Keeps the reason why a hook did nothing.
    pub fn keep_trouble(&self, trouble: &str) {
        // Whoever cannot write this down has told nobody, and may not tell Claude Code either.
        let _ = create(&self.0).and_then(|()| write(&self.0.join(TROUBLE), trouble.as_bytes()));
    }

    /// The last reason why a hook did nothing.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        fs::read_to_string(self.0.join(TROUBLE)).ok()
    }
}

const TROUBLE: &str = "last-trouble.txt";

/// The calls of one session.
#[derive(Debug)]
pub(super) struct Session(PathBuf);

impl Session {
    /// Takes up the oldest note of this call, or makes an entry for a call nobody noted. With it comes
    /// a number that no other call of the session has.
    pub(super) fn take_up(&self, call: &Call) -> Option<(Entry, u64)> {
        let _lock = self.lock(TO_ASK)?;
        let same = |entry: &Entry| {
            let note = &entry.call;
            note.content == call.content
                && (note.prompt_id.is_none() || note.prompt_id == call.prompt_id)
        };
        let number = self.next_number()?;
        let entry = match self.entries(NOTE).into_iter().find(same) {
            Some(note) => {
                let path = note.path.with_extension(ASK);
                fs::rename(&note.path, &path).ok()?;
                Entry { path, call: note.call }
            }
            None => self.add_numbered(number, ASK, call)?,
        };
        Some((entry, number))
    }

    /// Every call that was asked about.
    pub(super) fn asked(&self) -> Vec<Entry> {
        self.entries(ASK)
    }

    /// The call with this id, or the oldest without an id that has this content.
    pub(super) fn find(&self, tool_use_id: &str, content: Option<&str>) -> Option<Entry> {
        let all = self.entries(ASK);
        let by_id = all.iter().find(|entry| entry.call.tool_use_id.as_deref() == Some(tool_use_id));
        let by_content = || {
            all.iter().find(|entry| {
                entry.call.tool_use_id.is_none() && Some(entry.call.content.as_str()) == content
            })
        };
        by_id.or_else(by_content).cloned()
    }

    /// Forgets the note of a call that was never asked about.
    pub(super) fn forget_note(&self, tool_use_id: &str) {
        let notes = self.entries(NOTE).into_iter();
        let own = |entry: &Entry| entry.call.tool_use_id.as_deref() == Some(tool_use_id);
        notes.filter(own).for_each(|entry| entry.remove());
    }

    /// Forgets every note of one Claude Code. Another may be at work in the same session.
    pub(super) fn forget_notes(&self, claude: Option<&Process>) {
        let notes = self.entries(NOTE).into_iter();
        let own = |entry: &Entry| entry.call.claude.as_ref() == claude;
        notes.filter(own).for_each(|entry| entry.remove());
    }

    /// Whether nobody has been at work in it for long, or all who were are gone.
    pub(super) fn is_abandoned(&self) -> bool {
        let calls: Vec<_> = self.entries(NOTE).into_iter().chain(self.entries(ASK)).collect();
        if calls.is_empty() {
            let used = fs::metadata(self.0.join(COUNT)).and_then(|count| count.modified());
            return used.is_ok_and(|used| used.elapsed().is_ok_and(|since| since > LONG));
        }
        calls.iter().all(|entry| entry.call.claude.as_ref().is_some_and(|claude| !claude.lives()))
    }

    /// Removes the directory if nothing is under way in it.
    pub(super) fn close(&self) {
        if self.entries(ASK).is_empty() && self.entries(NOTE).is_empty() {
            // Somebody may be at work in it this very moment; then it stays for the next time.
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn add(&self, kind: &str, call: &Call) -> Option<Entry> {
        let _lock = self.lock(TO_NOTE)?;
        self.add_numbered(self.next_number()?, kind, call)
    }

    fn add_numbered(&self, number: u64, kind: &str, call: &Call) -> Option<Entry> {
        let path = self.0.join(format!("{number:020}.{kind}"));
        let entry = Entry { path, call: call.clone() };
        entry.keep().then_some(entry)
    }

    /// A number that was not used before in this session, while the lock is held. Directories come and
    /// go, so it is the time, unless that was used already.
    fn next_number(&self) -> Option<u64> {
        let file = self.0.join(COUNT);
        let last = fs::read_to_string(&file).ok().and_then(|text| text.parse::<u64>().ok());
        let next = last.map_or(0, |last| last + 1).max(microseconds());
        write(&file, next.to_string().as_bytes()).ok()?;
        Some(next)
    }

    fn has_twin_before(&self, entry: &Entry) -> bool {
        let twin = |other: &Entry| {
            other.path < entry.path
                && other.call.content == entry.call.content
                && other.call.prompt_id == entry.call.prompt_id
        };
        self.entries(NOTE).iter().any(twin)
    }

    fn entries(&self, kind: &str) -> Vec<Entry> {
        let mut paths = self.paths();
        paths.retain(|path| path.extension().is_some_and(|found| found == kind));
        paths.sort();
        let read = |path: PathBuf| {
            let call = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
            Some(Entry { path, call })
        };
        paths.into_iter().filter_map(read).collect()
    }

    fn paths(&self) -> Vec<PathBuf> {
        let found = fs::read_dir(&self.0).into_iter().flatten().flatten();
        found.map(|entry| entry.path()).collect()
    }

    /// One process at a time counts and takes up. Whoever does not get its turn in time goes without.
    fn lock(&self, patience: Duration) -> Option<File> {
        use rustix::fs::{FlockOperation, flock};
        create(&self.0).ok()?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.0.join("lock"))
            .ok()?;
        let start = Instant::now();
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if start.elapsed() > patience {
                return None;
            }
            thread::sleep(TURN);
        }
        Some(file)
    }
}

impl Call {
    pub(super) fn of(input: &Input, claude: Option<&Process>) -> Self {
        let content = input.tool_input.as_deref().map(content);
        Self {
            tool_use_id: input.tool_use_id.clone(),
            prompt_id: input.prompt_id.clone(),
            content: content.unwrap_or_default(),
            claude: claude.cloned(),
            waiting: None,
            transcript: input.transcript_path.clone(),
            ask: None,
            key: None,
            took: None,
        }
    }
}

impl Entry {
    /// Writes the call down as it is now.
    pub(super) fn keep(&self) -> bool {
        serde_json::to_vec(&self.call).is_ok_and(|json| write(&self.path, &json).is_ok())
    }

    /// Forgets the call.
    pub(super) fn remove(&self) {
        // Another process may have done so already.
        let _ = fs::remove_file(&self.path);
    }
}

/// What a call is called with, as a hash. The order of keys does not count, nor what was added to the
/// questions of a call: afterwards its answers are among its input.
pub(super) fn content(tool_input: &RawValue) -> String {
    let mut value: Value = serde_json::from_str(tool_input.get()).unwrap_or_default();
    if let Some(questions) = value.get_mut("questions") {
        value = questions.take();
    }
    hash(sorted(value).to_string().as_bytes())
}

/// The same for a call of which only the questions are known.
fn content_of_questions(questions: &RawValue) -> String {
    let value: Value = serde_json::from_str(questions.get()).unwrap_or_default();
    hash(sorted(value).to_string().as_bytes())
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.into_iter().collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(fields.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain,
    }
}

/// The time, in microseconds.
fn microseconds() -> u64 {
    u64::try_from(RealWorld.now().as_microsecond()).unwrap_or(0)
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..16])
}

fn create(directory: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Writes a file whole or not at all: another process may be reading.
fn write(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut file =
        OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
    file.write_all(contents)?;
    fs::rename(draft, path)
}
