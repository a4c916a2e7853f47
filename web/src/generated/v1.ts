// Generated from crates/wire by its tests; do not edit. To write it anew:
// UPDATE_TYPES=1 cargo test --package handraise-wire

export type JsonValue = number | string | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type StateJson = "open" | "resolved" | "delivered" | "overruled" | "undelivered";

export type KindJson = "question" | "approval";

export type PowerJson = "agent" | "person";

export type VerdictJson = "allow" | "deny";

export type LevelJson = "handed" | "seen";

export type DoubtKindJson = "empty" | "too_fast" | "timed_out" | "from_nowhere";

export type AskerJson = {
  /** The kind of agent, e.g. `claude-code`. */
  agent: string,
  /** The agent's own name for its session. */
  session: string | null,
  /** The directory it works in. */
  directory: string | null,
  /** The machine it runs on. */
  host: string | null,
  /** The branch it works on. */
  branch: string | null,
  /** What the session is about. */
  title: string | null,
  /** What the agent wrote just before it asked. */
  preamble: string | null,
};

export type OptionJson = {
  /** What is sent back when it is chosen. */
  label: string,
  /** What it means. */
  description?: string | null,
  /** What choosing it would look like: text, code, a drawing or a page. */
  preview?: string | null,
};

export type QuestionJson = {
  /** The text, by which answers are matched. */
  question: string,
  /** A short name, shown as a chip. */
  header?: string | null,
  /** Whether several options may be chosen. */
  multiSelect?: boolean | null,
  /** What to choose from; without any, only own words answer it. */
  options?: Array<OptionJson> | null,
};

export type ApprovalJson = {
  /** The tool's name. */
  tool: string,
  /** What it is to be called with. */
  input: { [key: string]: JsonValue },
  /** What the agent says the call does. */
  description?: string | null,
  /** What the agent offers to remember, so that it need not ask again. */
  suggestions?: Array<JsonValue> | null,
  /** The plan, if it is about one. */
  plan?: string | null,
};

export type PolicyJson = {
  /** After how many seconds silence is reported as silence; never, when absent. */
  deadlineSeconds: number | null,
  /** What the agent is told then: `tell` it that nobody answered, or `interrupt` its turn as well. */
  onDeadline: "tell" | "interrupt",
  /** When the front end that showed it goes away: `keep` it for the next, or `decline` it. */
  onDisconnect: "keep" | "decline",
  /** Whether to `allow` or `refuse` a person's own words. */
  ownWords: "allow" | "refuse",
  /** Whether somebody who is typing gets up to one deadline more. */
  pauseWhileTyping: boolean,
  /** Which receipt shows that the agent has its answer. */
  receipt: LevelJson,
  /** Where it can be answered: `anywhere`, or only in the agent's own `dialog`. It is shown everywhere in either case. */
  answerIn: "anywhere" | "dialog",
};

export type ResponderJson = {
  /** The person, or the rule by name. */
  person: string | null,
  /** The device they used. */
  device: string | null,
  /** Where: `terminal`, `web`, `dialog`, `api`, `dialect:NAME` or `rule`. */
  surface: string,
  /** What shows that a person did it, e.g. `tty`. */
  proof: string | null,
};

export type EndingJson = { "kind": "answered",
  /** One for each question, in their order. */
  answers?: Array<AnswerJson>,
  /** For an approval: `allow` or `deny`. */
  decision?: VerdictJson,
  /** For an approval: a word to the agent. */
  message?: string | null,
  /** For an approval: the call's input as the person edited it. */
  input?: JsonValue,
  /** For an approval: what the agent offered to remember was taken. */
  remember?: boolean | null,
} | { "kind": "declined",
  /** Why, if they said so. */
  reason: string | null,
} | { "kind": "discuss",
  /** What they want to say. */
  words: string,
} | { "kind": "no_answer",
  /** How long the ask waited. */
  afterSeconds: number,
} | { "kind": "withdrawn",
  /** Why, if it is known. */
  reason: string | null,
};

export type ResolutionJson = {
  /** Who; nobody for silence. */
  responder: ResponderJson | null,
  /** When. */
  at: string,
} & ({ "kind": "answered",
  /** One for each question, in their order. */
  answers?: Array<AnswerJson>,
  /** For an approval: `allow` or `deny`. */
  decision?: VerdictJson,
  /** For an approval: a word to the agent. */
  message?: string | null,
  /** For an approval: the call's input as the person edited it. */
  input?: JsonValue,
  /** For an approval: what the agent offered to remember was taken. */
  remember?: boolean | null,
} | { "kind": "declined",
  /** Why, if they said so. */
  reason: string | null,
} | { "kind": "discuss",
  /** What they want to say. */
  words: string,
} | { "kind": "no_answer",
  /** How long the ask waited. */
  afterSeconds: number,
} | { "kind": "withdrawn",
  /** Why, if it is known. */
  reason: string | null,
});

export type DoubtJson = {
  /** `empty`: nothing is in it. `too_fast`: nobody could have read the question before. `timed_out`: it stands for silence. `from_nowhere`: no dialog was seen. */
  kind: DoubtKindJson,
  /** The same in a sentence for a person, without control characters. */
  why: string,
};

export type DeliveryJson = {
  /** `handed` or `seen`, if a receipt came. */
  level: LevelJson | null,
  /** What was handed over, what the model read, or why nobody knows. */
  text: string | null,
  /** What the agent itself says it took, in the form of a resolution. */
  took: EndingJson | null,
  /** That no person gave what the agent went on with. */
  doubt: DoubtJson | null,
  /** Since when. */
  at: string,
};

export type AskResponse = {
  /** Its id. */
  id: string,
  /** `open`, `resolved`, `delivered`, `overruled` or `undelivered`. */
  state: StateJson,
  /** When it was asked. */
  askedAt: string,
  /** The last event about it. */
  seq: number,
  /** Who asks. */
  asker: AskerJson,
  /** The asker's own name for it. */
  key: string | null,
  /** The name of the agent's token that asked. Absent for asks of versions before owners were kept. */
  owner?: string,
  /** What it is about. */
  kind: KindJson,
  /** The questions, byte for byte as the agent sent them. */
  questions: Array<QuestionJson> | null,
  /** What came with the questions, byte for byte as the agent sent it. */
  metadata?: Record<string, unknown>,
  /** The approval, byte for byte as the agent sent it. */
  approval: ApprovalJson | null,
  /** The rules it lives under. */
  policy: PolicyJson,
  /** Whether the agent shows a dialog of its own beside it, as it said when it asked. */
  rivalDialog: boolean,
  /** When silence will be reported as silence. */
  deadlineAt: string | null,
  /** How it ended. */
  resolution: ResolutionJson | null,
  /** What is known of the agent's side. */
  delivery: DeliveryJson | null,
  /** In the answer to an ask: who brings the resolution to the agent. */
  deliverer?: "you" | "another",
};

export type AsksResponse = {
  /** The asks. */
  asks: Array<AskResponse>,
  /** Pass it as `after` for the next page; null when this was the last. A page of large asks, or a search in many, may hold fewer than `limit`, or none, and not be the last. */
  next: string | null,
};

export type AnswerJson = {
  /** Labels of the chosen options, byte for byte. */
  selected: Array<string>,
  /** What the person typed instead or, in a multi-select, as well. */
  words: string | null,
  /** A remark beside the answer. */
  notes: string | null,
  /** Left open on purpose. */
  leftOpen: boolean,
};

export type AnswerParams = {
  /** One for each question, in their order. */
  answers?: Array<AnswerJson>,
  /** For an approval: `allow` or `deny`. */
  decision?: VerdictJson,
  /** For an approval: a word to the agent. */
  message?: string,
  /** For an approval: the call's input as the person edited it. */
  input?: JsonValue,
  /** For an approval: take what the agent offers to remember. */
  remember?: boolean,
  /** Makes it safe to try again. */
  idempotencyKey?: string,
};

export type DeclineParams = {
  /** Why. */
  reason: string | null,
  /** Makes it safe to try again. */
  idempotencyKey: string | null,
};

export type DiscussParams = {
  /** What the person wants to say first. */
  words: string,
  /** Makes it safe to try again. */
  idempotencyKey: string | null,
};

export type ExtendParams = {
  /** How much, from the deadline as it stands. */
  seconds: number,
  /** Makes it safe to try again. */
  idempotencyKey: string | null,
};

export type InterruptParams = {
  /** Makes it safe to try again. */
  idempotencyKey: string | null,
};

export type DraftJson = {
  /** Higher than that of the draft it replaces. */
  version: number,
  /** One for each question that was touched. */
  answers: Array<AnswerJson>,
  /** What is typed beside the answers: a reason to decline, words to talk first, a word with a decision. */
  message: string | null,
  /** An approval's input while it is edited: text, which need not be JSON yet. */
  input: string | null,
};

export type LookParams = {
  /** The surface's own name for what is looked at: a window, a terminal. */
  view: string,
  /** The one ask that it shows; every ask that waits, when absent. */
  ask: string | null,
  /** For how long this holds; 0 means that nobody looks any more. */
  seconds: number,
};

export type PreviewParams = {
  /** Which question, counted from 0. */
  question: number,
  /** Which of its options, counted from 0. */
  option: number,
};

export type PreviewResponse = {
  /** For the `src` of a frame without any permission. It works once, for a minute. */
  url: string,
};

export type DeviceJson = {
  /** Its id. */
  id: string,
  /** What its owner calls it. */
  name: string,
  /** `agent` or `person`. */
  power: PowerJson,
  /** Whose it is. */
  person: string | null,
  /** Since when it is known. */
  addedAt: string,
};

export type DevicesResponse = {
  /** The devices. */
  devices: Array<DeviceJson>,
};

export type LinkResponse = {
  /** The address; the secret is in its fragment, which no browser sends or logs. */
  url: string,
  /** Until when it works. */
  expiresAt: string,
  /** The address as a QR code without a margin: a line for each row, `1` for dark. */
  qr: string,
};

export type LoginParams = {
  /** The secret. */
  secret: string,
  /** What to call this device; what is long is cut. */
  name: string | null,
};

export type LoginResponse = {
  /** Send it as `Authorization: Bearer …`. */
  token: string,
  /** The device. */
  device: DeviceJson,
  /** The ask that its link leads to. */
  ask: string | null,
};

export type StatusResponse = {
  /** Its version. */
  version: string,
  /** Since when it runs. */
  since: string,
  /** The end of the log as `SEQ:HASH`; keep it elsewhere to tell a rewritten log. */
  head: string,
  /** How many asks are open. */
  open: number,
  /** How many seconds agents have waited for them in all. */
  waitingSeconds: number,
  /** Whether the hub itself watches Claude Code's sessions; older hubs do not say. */
  watch: WatchJson | null,
};

export type WatchJson = {
  /** In one word. */
  state: WatchStateJson,
  /** Claude Code's configuration directory. */
  directory: string | null,
  /** How many sessions run there. */
  sessions: number,
  /** Why it waits, or has failed. */
  reason: string | null,
};

export type WatchStateJson = "off" | "waiting" | "watching" | "failed";

export type WaitedJson = {
  /** How many asks were asked. */
  asks: number,
  /** How many were ended by a person: answered, declined, or to be discussed. */
  answered: number,
  /** How many seconds agents waited, all of them together, however it ended. */
  waitedSeconds: number,
  /** In how many seconds half of those that a person ended had ended. */
  medianSeconds: number | null,
  /** How many seconds the longest of them took. */
  longestSeconds: number | null,
};

export type TimesJson = {
  /** One for each of the `dates`. */
  days: Array<WaitedJson>,
  /** All of them. */
  total: WaitedJson,
};

export type ProjectJson = {
  /** What it is called: the last part of the directory its agents work in, and as much of what comes before it, or of the machine, as tells it from all others: `shop`, `a/api`, `api (laptop)`. Absent for asks that named no directory. */
  name: string | null,
  /** Its times. */
  times: TimesJson,
};

export type TimesResponse = {
  /** The days as `2026-11-16`, the last one today. */
  dates: Array<string>,
  /** The projects whose agents waited longest, the longest first: 12 at most. */
  projects: Array<ProjectJson>,
  /** All other projects together, if there are any. */
  others: TimesJson | null,
  /** Everything together. */
  all: TimesJson,
};

export type SessionStateJson = "starting" | "working" | "idle" | "stopped" | "deferred" | "ended";

export type RunnerJson = {
  /** Its number. */
  pid: number,
  /** When it was started, in the words of the system. */
  started: string | null,
};

export type SessionJson = {
  /** Its name. */
  id: string,
  /** The kind of agent, e.g. `claude-code`. */
  agent: string,
  /** The agent's own name for it: its asks have it as `asker.session`. */
  agentSession: string | null,
  /** The directory the agent works in. */
  directory: string,
  /** The machine it runs on. */
  host: string | null,
  /** What it is about. */
  title: string | null,
  /** How it stands. */
  state: SessionStateJson,
  /** Why it stopped or ended, when that was not to be expected. */
  trouble: string | null,
  /** The process that runs the agent. */
  runner?: RunnerJson,
  /** When it began. */
  startedAt: string,
  /** When anything about it last changed. */
  changedAt: string,
  /** How many messages there are; they are numbered from 1. */
  messages: number,
  /** How often people wanted the agent to stop what it does. */
  interrupts: number,
  /** Whether a person wants it to end. */
  ending: boolean,
};

export type SessionsResponse = {
  /** The last one that began first. */
  sessions: Array<SessionJson>,
  /** Where the next page begins; absent on the last one. */
  next: string | null,
  /** Directories in which a person may start a session from here, as the configuration says. What is below them counts, too. */
  startIn: Array<string>,
};

export type MessageKindJson = "user" | "assistant" | "tool" | "ask" | "answer" | "note";

export type MessageStateJson = "queued" | "delivered" | "running" | "done" | "failed";

export type ToolCallJson = {
  /** The tool. */
  name: string,
  /** Its input, as text; long ones are cut. */
  input: string,
  /** What came of it; long ones are cut. */
  result: string | null,
};

export type MessageJson = {
  /** Its place: 1, 2, 3 and so on. */
  number: number,
  /** Its name within the session. */
  key: string,
  /** When it was first said. */
  at: string,
  /** What it is. */
  kind: MessageKindJson,
  /** The words. */
  text: string,
  /** How far it has come. */
  state: MessageStateJson | null,
  /** The tool call it is about. */
  tool: ToolCallJson | null,
  /** The ask it is about. */
  ask: string | null,
  /** Who said it. */
  responder: ResponderJson | null,
};

export type StreamedJson = {
  /** The name the message will have. */
  key: string,
  /** How many bytes of it came before this. */
  offset: number,
  /** What came. */
  text: string,
};

export type MessagesResponse = {
  /** In their order, each as it stands. */
  messages: Array<MessageJson>,
  /** What the agent is saying just now, unless it was said already. */
  speaking: StreamedJson | null,
};

export type SayParams = {
  /** The words. */
  text: string,
  /** Makes it safe to try again. */
  idempotencyKey: string | null,
};

export type SayResponse = {
  /** Whether they still wait. */
  queued: boolean,
  /** The words, in their place. */
  message: MessageJson,
};

export type StartParams = {
  /** Where the agent is to work: one of the directories the configuration allows, or below one. */
  directory: string,
  /** The first words to it. */
  text: string,
  /** Makes it safe to try again. */
  idempotencyKey: string | null,
};

export type ViolationJson = {
  /** JSON path of the offending value. */
  path: string,
  /** What was there. */
  found: string,
  /** What may be there. */
  allowed: string,
};

export type Problem = {
  /** The HTTP status once more. */
  status: number,
  /** Stable, for programs. */
  code: string,
  /** One line for people. */
  title: string,
  /** What to do about it, if there is something to add. */
  detail?: string,
  /** With `invalid`: everything that is wrong, at once. */
  violations?: Array<ViolationJson>,
  /** With `already_resolved`: the resolution that stands. */
  resolution?: ResolutionJson,
  /** With `older_draft`: the newer one. */
  draft?: DraftJson,
};

export type EventFrame = { "type": "event",
  /** Its place in the log; keep it as the cursor. */
  seq: number,
  /** When it happened. */
  at: string,
  /** E.g. `ask.opened`. */
  name: string,
  /** The ask it is about, as it stood then. */
  ask: AskResponse | null,
  /** The session it is about, as it stood then. */
  session?: SessionJson,
  /** What is new in that session, or other than before. */
  messages?: Array<MessageJson>,
  /** What happened, when it is about neither. */
  detail?: JsonValue,
} | { "type": "live",
  /** The cursor. */
  seq: number,
} | { "type": "reset",
  /** The cursor. */
  seq: number,
} | { "type": "typing",
  /** At which ask. */
  ask: string,
  /** When silence now ends it. */
  endsAt: string | null,
} | { "type": "session.text",
  /** In which session. */
  session: string,
  /** The name the message will have. */
  key: string,
  /** How many bytes of it came before this. */
  offset: number,
  /** What came. */
  text: string,
};
