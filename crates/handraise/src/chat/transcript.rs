//! What was said in a session, as it goes to the screen: each thing once, in the order it came.

use std::collections::{BTreeMap, HashMap, HashSet};

use handraise_broker::{AskId, Message, MessageKind, MessageState, Session, Streamed, ToolCall};
use handraise_question::{Surface, mark_all_hidden};
use handraise_terminal::{ChatLine, Ink};

/// What is on the screen already, and what is not.
#[derive(Debug)]
pub(super) struct Transcript {
    /// How the keys of what is said here begin.
    own: String,
    shown: HashMap<String, Shown>,
    /// A person's words that nobody has heard yet, by their place.
    queued: BTreeMap<u64, String>,
    speaking: Option<Speaking>,
    last: Option<Block>,
    /// The tool whose call is the last thing on the screen.
    last_call: Option<String>,
    /// Asks whose prompts were here: what they leave says enough.
    put_here: HashSet<AskId>,
}

/// What of a message is on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// These words.
    Text(String),
    /// The call, and not yet what came of it.
    Call,
    /// All there is.
    Whole,
}

/// What the agent is saying.
#[derive(Debug)]
struct Speaking {
    key: String,
    text: String,
    /// So many bytes of it are on the screen.
    printed: usize,
}

/// What stands together without a blank line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Person(String),
    Agent(String),
    Tools,
    Notes,
    /// What a prompt left.
    Question,
}

impl Transcript {
    pub(super) fn new(own: &str) -> Self {
        Self {
            own: format!("person/{own}"),
            shown: HashMap::new(),
            queued: BTreeMap::new(),
            speaking: None,
            last: None,
            last_call: None,
            put_here: HashSet::new(),
        }
    }

    /// An ask is put to the person right here.
    pub(super) fn put_here(&mut self, ask: AskId) {
        self.put_here.insert(ask);
        self.last = Some(Block::Question);
        self.last_call = None;
    }

    /// Whose session this is, before anything else is shown.
    pub(super) fn begin(&mut self, session: &Session, before: u64) -> Vec<ChatLine> {
        let mut text = format!("{} in {}", session.agent, session.directory);
        if let Some(title) = &session.title {
            text = format!("{text}: {title}");
        }
        let mut lines = vec![ChatLine::brief(Ink::Muted, "· ", text)];
        if before > 0 {
            let text = format!("{before} earlier messages are in the dashboard");
            lines.push(ChatLine::brief(Ink::Muted, "· ", text));
        }
        self.block(Block::Notes, lines)
    }

    /// The unfinished end of what the agent is saying.
    pub(super) fn growing(&self) -> Option<String> {
        let speaking = self.speaking.as_ref()?;
        let rest = &speaking.text[speaking.printed..];
        (!rest.is_empty()).then(|| rest.to_owned())
    }

    /// What was said and not heard yet.
    pub(super) fn queued(&self) -> impl Iterator<Item = &str> {
        self.queued.values().map(String::as_str)
    }

    /// Takes a message as it stands now, and returns what is new about it.
    pub(super) fn take(&mut self, message: &Message) -> Vec<ChatLine> {
        match message.kind {
            MessageKind::User => self.person(message),
            MessageKind::Assistant => self.agent(message),
            MessageKind::Tool => self.tool(message),
            MessageKind::Ask => self.once(message, Block::Notes, |message| {
                ChatLine::brief(Ink::Muted, "? ", &message.text)
            }),
            // Silence, a withdrawal and a rule are no person's words. Nor is an answer of which the hub did
            // not note who gave it: conversations from before it did hold what agents wrote.
            MessageKind::Answer if !is_by_person(message) => {
                // How the hub tells an end begins its line, where no text of an agent stands.
                let lead = if message.text.starts_with('✘') { "" } else { "· " };
                self.once(message, Block::Notes, |message| {
                    ChatLine::new(Ink::Muted, lead, &message.text)
                })
            }
            MessageKind::Answer => {
                self.once(message, Block::Person(message.key.clone()), |message| {
                    ChatLine::new(Ink::Person, "› ", &message.text)
                })
            }
            MessageKind::Note => self.once(message, Block::Notes, |message| {
                let failed = message.state == Some(MessageState::Failed);
                let ink = if failed { Ink::Trouble } else { Ink::Muted };
                ChatLine::new(ink, "· ", &message.text)
            }),
        }
    }

    /// Takes more of what the agent is saying, and returns the lines that are finished.
    pub(super) fn hear(&mut self, streamed: &Streamed) -> Vec<ChatLine> {
        let Streamed { key, offset, text } = streamed;
        if self.shown.contains_key(key) {
            // It has said it since.
            return vec![];
        }
        if self.speaking.as_ref().is_none_or(|speaking| speaking.key != *key) {
            self.speaking = Some(Speaking { key: key.clone(), text: String::new(), printed: 0 });
        }
        let Some(speaking) = &mut self.speaking else { return vec![] };
        // What came twice is passed over; what leaves a gap is told as a whole in the end.
        let known = speaking.text.len().checked_sub(usize::try_from(*offset).unwrap_or(usize::MAX));
        let Some(new) = known.and_then(|known| text.get(known..)) else { return vec![] };
        speaking.text.push_str(new);
        let Some(end) = speaking.text[speaking.printed..].rfind('\n') else { return vec![] };
        let finished = speaking.text[speaking.printed..speaking.printed + end].to_owned();
        speaking.printed += end + 1;
        self.block(Block::Agent(key.clone()), vec![ChatLine::agent(finished)])
    }

    /// Something happened to the session itself.
    pub(super) fn trouble(&mut self, text: &str) -> Vec<ChatLine> {
        self.block(Block::Notes, vec![ChatLine::new(Ink::Trouble, "✘ ", text)])
    }

    /// The call that was decided on here: its prompt leaves nothing but the decision.
    pub(super) fn decided(&mut self, call: &[String]) -> Vec<ChatLine> {
        self.block(Block::Question, vec![ChatLine::new(Ink::Muted, "  ", call.join("\n"))])
    }

    fn person(&mut self, message: &Message) -> Vec<ChatLine> {
        if self.shown.contains_key(&message.key) {
            return vec![];
        }
        if message.state == Some(MessageState::Queued) {
            self.queued.insert(message.number, message.text.clone());
            return vec![];
        }
        self.queued.remove(&message.number);
        let own = message.key.starts_with(&self.own);
        let by = message.responder.as_ref().and_then(|responder| responder.person.as_deref());
        let lead = match by.filter(|_| !own) {
            Some(person) => format!("› {person}: "),
            None => "› ".to_owned(),
        };
        let block = Block::Person(message.key.clone());
        self.once(message, block, |message| ChatLine::new(Ink::Person, lead, &message.text))
    }

    fn agent(&mut self, message: &Message) -> Vec<ChatLine> {
        let speaking = self.speaking.take_if(|speaking| speaking.key == message.key);
        let printed = match (&speaking, self.shown.get(&message.key)) {
            (Some(speaking), _) => &speaking.text[..speaking.printed],
            (None, Some(Shown::Text(text))) => text,
            (None, Some(Shown::Call | Shown::Whole) | None) => "",
        };
        // Said otherwise in the end, it is said once more.
        let rest = message.text.strip_prefix(printed).unwrap_or(&message.text);
        let rest = rest.trim_end().trim_start_matches('\n').to_owned();
        self.shown.insert(message.key.clone(), Shown::Text(message.text.clone()));
        if rest.is_empty() {
            return vec![];
        }
        self.block(Block::Agent(message.key.clone()), vec![ChatLine::agent(rest)])
    }

    fn tool(&mut self, message: &Message) -> Vec<ChatLine> {
        let Some(tool) = &message.tool else { return vec![] };
        let before = self.shown.get(&message.key).cloned();
        let ended = match message.state {
            Some(MessageState::Done) => Some("✔"),
            Some(MessageState::Failed) => Some("✘"),
            Some(MessageState::Queued | MessageState::Delivered | MessageState::Running) | None => {
                None
            }
        };
        let mut lines = vec![];
        if before.is_none() {
            lines.push(ChatLine::brief(Ink::Muted, "⏺ ", called(tool)));
        }
        if let (Some(mark), None | Some(Shown::Call)) = (ended, &before) {
            let result = tool.result.as_deref().unwrap_or_default();
            // Apart from its call, an end says whose it is.
            let beside = before.is_none() || self.last_call.as_ref() == Some(&message.key);
            let text = if beside { result.to_owned() } else { came_of(tool, result) };
            lines.push(ChatLine::brief(Ink::Muted, format!("  {mark} "), text));
        }
        let shown = if ended.is_some() { Shown::Whole } else { Shown::Call };
        if before != Some(Shown::Whole) {
            self.shown.insert(message.key.clone(), shown);
        }
        let lines = self.block(Block::Tools, lines);
        if !lines.is_empty() {
            self.last_call = ended.is_none().then(|| message.key.clone());
        }
        lines
    }

    fn once(
        &mut self,
        message: &Message,
        block: Block,
        line: impl FnOnce(&Message) -> ChatLine,
    ) -> Vec<ChatLine> {
        let here = message.ask.is_some_and(|ask| self.put_here.contains(&ask));
        if self.shown.insert(message.key.clone(), Shown::Whole).is_some() || here {
            return vec![];
        }
        self.block(block, vec![line(message)])
    }

    /// Sets what does not belong together apart.
    fn block(&mut self, block: Block, mut lines: Vec<ChatLine>) -> Vec<ChatLine> {
        if lines.is_empty() {
            return lines;
        }
        if self.last.as_ref().is_some_and(|last| *last != block) {
            lines.insert(0, ChatLine::blank());
        }
        self.last = Some(block);
        self.last_call = None;
        lines
    }
}

fn is_by_person(message: &Message) -> bool {
    message.responder.as_ref().is_some_and(|responder| responder.surface != Surface::Rule)
}

fn called(tool: &ToolCall) -> String {
    let input = mark_all_hidden(&tool.input).split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{} {input}", tool.name).trim_end().to_owned()
}

fn came_of(tool: &ToolCall, result: &str) -> String {
    let first = result.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if first.is_empty() { tool.name.clone() } else { format!("{}: {first}", tool.name) }
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
