//! A newcomer's first session, following the README and nothing else: from a fresh clone to a question of
//! the real Claude Code that is answered in a real browser.
//!
//! The lines that are typed are those in the README's section, in their order, so the two cannot drift
//! apart. What was on the screens is kept in `docs/first-session.txt`; when it changes for a good reason,
//! `UPDATE_TRANSCRIPT=1` writes it anew.
//!
//! Only the compiler is left out: `cargo install` takes minutes. In its place stands a script that takes
//! the same words, looks for the same package, and puts the program that is under test where cargo would
//! have put it. And the model is scripted: which script it plays stands in the prompt.

#![expect(clippy::disallowed_methods, reason = "a test is an edge: it reads the environment")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use handraise_testkit::{Block, Browser, ClaudeHome, ClaudeSession, ScriptedModel, Tmux};
use serde_json::json;

use crate::claude_scene::{chosen, database};

const SECTION: &str = "Getting started";
const PROMPT: &str = "❯ Set up a database.";
const WENT_ON: &str = "SQLite it is: I will set it up.";
const IN_THE_BROWSER: &str = "\
Claude is asking: Which database should we use?
There is one thing to decide.
[x] SQLite  [Submit]
Seen: Claude has read it.";
const HEADING: &str = "\
A first session, as a test has seen it that types the lines of the README's section \"Getting started\".
The compiler's output is left out; the model plays a script, which the prompt names; what is another each
time (addresses, secrets, times) is written as if it were always the same.
";
/// Wide enough for every line, so that none is broken.
const SIZE: (u16, u16) = (110, 50);

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The lines of the code fences of a section, in their order.
fn commands(readme: &str) -> Vec<String> {
    let heading = format!("## {SECTION}\n");
    let section = readme.split_once(&heading).unwrap().1;
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let fences = section.split("```sh\n").skip(1).filter_map(|part| part.split_once("```"));
    fences.flat_map(|(fence, _)| fence.lines().map(str::to_owned)).collect()
}

/// Somebody's account, with nothing of ours in it.
struct Newcomer {
    claude: ClaudeHome,
    model: ScriptedModel,
    work: PathBuf,
}

impl Newcomer {
    fn new() -> Self {
        let model = ScriptedModel::start();
        let claude = ClaudeHome::new(&model);
        fs::remove_file(claude.settings()).unwrap();
        // Where its own installer puts it.
        let bin = claude.home().join(".local/bin");
        fs::create_dir_all(&bin).unwrap();
        symlink(ClaudeHome::program(), bin.join("claude")).unwrap();
        let cargo = bin.join("cargo");
        let script = format!(
            "#!/bin/sh\n[ \"$*\" = 'install --path crates/handraise' ] || exit 9\n\
             grep -q 'name = \"handraise\"' crates/handraise/Cargo.toml || exit 8\n\
             mkdir -p ~/.cargo/bin && cp {} ~/.cargo/bin/handraise\n",
            env!("CARGO_BIN_EXE_handraise")
        );
        fs::write(&cargo, script).unwrap();
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
        let work = claude.project("shop");
        Self { claude, model, work }
    }

    /// A terminal of theirs.
    fn terminal(&self, directory: &Path) -> Terminal {
        let tmux = Tmux::start(directory, SIZE);
        let home = self.claude.home().display();
        let mut variables: Vec<_> = self.claude.environment();
        let path = format!("{home}/.cargo/bin:{home}/.local/bin:/usr/local/bin:/usr/bin:/bin");
        variables.push(("PATH".into(), path));
        variables.push(("USER".into(), "ann".into()));
        variables.push(("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()));
        let file = self.claude.home().join("environment");
        let lines = variables.iter().map(|(name, value)| format!("export {name}='{value}'\n"));
        fs::write(&file, lines.collect::<String>()).unwrap();
        tmux.type_line(&format!(". {}; PS1='$ '; clear", file.display()));
        tmux.wait_until("prompt", |screen| screen.trim() == "$");
        tmux.type_line("tmux clear-history 2> /dev/null; clear");
        tmux.wait_until("prompt", |screen| screen.trim() == "$");
        Terminal { tmux }
    }
}

impl Newcomer {
    /// What was seen, without what is another each time.
    fn plain(&self, seen: &[(&str, String)]) -> String {
        let part = |(place, screen): &(&str, String)| {
            let lines: Vec<_> = screen.lines().map(|line| self.plain_line(line)).collect();
            format!("\n-- {place}\n\n{}\n", lines.join("\n"))
        };
        HEADING.to_owned() + &seen.iter().map(part).collect::<String>()
    }

    fn plain_line(&self, line: &str) -> String {
        let repository = format!("--quiet file://{}", repository().display());
        let line = line.replace(&repository, "<this repository>");
        let line = line.replace(&self.claude.home().display().to_string(), "/home/ann");
        let line = match line.split_once("http://127.0.0.1:") {
            None => line,
            Some((before, after)) => {
                let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
                let after = if after.contains("#login=") { "/#login=…" } else { after };
                format!("{before}http://127.0.0.1:4731{after}")
            }
        };
        match line.split_once("  ann  delivered") {
            Some((_, after)) => format!("2026-11-16 12:00:00    3s  ann  delivered{after}"),
            None => line,
        }
    }
}

struct Terminal {
    tmux: Tmux,
}

impl Terminal {
    /// Types a line, and waits until it stands there.
    fn begin(&self, line: &str) {
        self.tmux.type_text(line);
        self.tmux.wait_until("what was typed", |screen| {
            screen.trim_end().lines().last() == Some(&format!("$ {line}"))
        });
        self.tmux.press(&["Enter"]);
    }

    /// Waits until the shell takes another line.
    fn ended(&self) -> String {
        self.tmux.wait_until("end of the command", |screen| {
            screen.trim_end().lines().last() == Some("$")
        })
    }

    fn run(&self, line: &str) -> String {
        self.begin(line);
        self.ended()
    }
}

#[test]
fn a_newcomer_gets_from_a_clone_to_an_answer_by_the_readme_alone() {
    let newcomer = Newcomer::new();
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let mut lines = commands(&readme).into_iter();
    let mut next = |begins: &str| {
        let line = lines.next().unwrap_or_else(|| panic!("the README ends before {begins:?}"));
        assert!(
            line.starts_with(begins),
            "the README says {line:?}; this test waits for {begins:?}"
        );
        line
    };

    // 1. Install it.
    let first = newcomer.terminal(newcomer.claude.home());
    let url = format!("file://{}", repository().display());
    first.run(&next("git clone").replace("<this repository>", &format!("--quiet {url}")));
    first.run(&next("cd"));
    first.run(&next("cargo install"));

    // 2. Start the hub, and open the link it prints.
    first.begin(&next("handraise serve"));
    let up = first.tmux.wait_for("Ctrl-C stops it");
    let link = up.split_whitespace().find(|word| word.contains("#login=")).expect("a link");
    let mut page = Browser::by_link(link);
    page.see("Nothing waits");

    // 3. Connect Claude Code.
    let second = newcomer.terminal(&newcomer.work);
    second.begin(&next("handraise connect"));
    second.tmux.wait_for("Write this? [y/N]");
    second.tmux.type_line("y");
    second.ended();
    let connected = second.tmux.history();

    // 4. Work.
    let question = database();
    let turn = vec![Block::text("There is one thing to decide."), Block::ask(&json!([question]))];
    let done = vec![Block::text(WENT_ON)];
    newcomer.model.script("database", vec![turn, done]);
    let session = ClaudeSession::typed_at(second.tmux, &next("claude"));
    session.prompt("Set up a database. SCRIPT:database TAG:database");
    let dialog = session.wait_dialog("Which database should we use?");
    page.see("Claude is asking").see("There is one thing to decide.").see("Which database");
    page.check("SQLite").click("Submit");
    let read = newcomer.model.wait_result("database");
    assert_eq!(read.text, chosen(&[(&question, "SQLite")]));
    page.see("Seen: Claude has read it.");
    // Its marks blink until the turn is over.
    let after = session.wait_until("end of the turn", |screen| {
        screen.rsplit_once(WENT_ON).is_some_and(|(_, after)| after.contains("· done"))
    });

    // 5. See what was decided.
    let third = newcomer.terminal(&newcomer.work);
    third.run(&next("handraise history"));
    assert_eq!(lines.next(), None, "the README goes on");

    let seen = [
        ("In a terminal", first.tmux.history()),
        ("In the browser, by the link that was printed", "Nothing waits.".into()),
        ("In another terminal", connected),
        ("In the same terminal: claude", part(&dialog, PROMPT, "Enter to select")),
        ("In the browser", IN_THE_BROWSER.into()),
        ("In the terminal with Claude Code", part(&after, "User answered", WENT_ON)),
        ("In any terminal", third.tmux.history()),
    ];
    compare(&newcomer.plain(&seen));
}

/// The lines from one that holds this to one that holds that.
fn part(screen: &str, from: &str, to: &str) -> String {
    let lines = screen.lines().skip_while(|line| !line.contains(from));
    let mut wanted = vec![];
    for line in lines {
        wanted.push(line);
        if line.contains(to) {
            return wanted.join("\n");
        }
    }
    panic!("not from {from:?} to {to:?}:\n{screen}")
}

/// Compares what was seen with what is kept.
fn compare(seen: &str) {
    let file = repository().join("docs/first-session.txt");
    if std::env::var_os("UPDATE_TRANSCRIPT").is_some() {
        fs::write(&file, seen).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap();
    assert!(
        seen == kept,
        "{} is not what was seen; UPDATE_TRANSCRIPT=1 writes it anew:\n{seen}",
        file.display()
    );
}
