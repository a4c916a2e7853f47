//! Programs that run the real Claude Code through its SDKs, with a hub and a model that asks.

use std::path::{Path, PathBuf};

use handraise_testkit::{Block, Ended, Program};
use serde_json::{Value, json};

use crate::claude_scene::Scene;

/// In which language a program is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    TypeScript,
}

/// A scene in which hooks of Handraise are installed: they have to leave the questions alone.
pub(crate) struct Sdk {
    pub(crate) scene: Scene,
    pub(crate) project: PathBuf,
    language: Language,
}

impl Sdk {
    pub(crate) fn new(language: Language) -> Self {
        let scene = Scene::new();
        let project = scene.claude.project("shop");
        Self { scene, project, language }
    }

    /// The agent whose token the SDK uses.
    pub(crate) fn agent(&self) -> &'static str {
        match self.language {
            Language::Python => "sdk-python",
            Language::TypeScript => "sdk-typescript",
        }
    }

    /// Has the model play these turns, and a program of the tests ask for them.
    pub(crate) fn play(&self, turns: Vec<Vec<Block>>, mut told: Value) -> Program {
        self.scene.model.script("play", turns);
        told["prompt"] = json!("SCRIPT:play TAG:play");
        let script = match self.language {
            Language::Python => "clients/python/tests/scene.py",
            Language::TypeScript => "clients/typescript/tests/scene.mjs",
        };
        self.program(&repository().join(script), &told.to_string())
    }

    /// Has the model play these turns, and a script of the README ask for them, unchanged.
    pub(crate) fn play_readme(&self, name: &str, turns: Vec<Vec<Block>>) -> Program {
        self.scene.model.script("play", turns);
        let (client, fence, file) = match self.language {
            Language::Python => ("python", "```python\n# ", format!("{name}.py")),
            Language::TypeScript => ("typescript", "```js\n// ", format!("{name}.mjs")),
        };
        let readme = repository().join("clients").join(client).join("README.md");
        let readme = std::fs::read_to_string(readme).unwrap();
        let (_, script) = readme.split_once(&format!("{fence}{file}\n")).unwrap();
        let (script, _) = script.split_once("\n```").unwrap();
        let place = self.project.join(file);
        std::fs::write(&place, format!("{script}\n")).unwrap();
        if self.language == Language::TypeScript {
            // What `npm install` would have put there.
            let (packages, client) = (self.project.join("node_modules"), client_in_typescript());
            std::fs::create_dir(&packages).unwrap();
            let link = |from, to| std::os::unix::fs::symlink(from, packages.join(to)).unwrap();
            link(client.clone(), "handraise");
            link(client.join("node_modules/@anthropic-ai"), "@anthropic-ai");
        }
        self.program(&place, "SCRIPT:play TAG:play")
    }

    fn program(&self, script: &Path, argument: &str) -> Program {
        let interpreter = match self.language {
            Language::Python => python(),
            Language::TypeScript => node(),
        };
        let mut command = Program::command(interpreter, &self.project);
        command
            .env_clear()
            .envs(self.scene.claude.environment())
            .env("HANDRAISE_HOME", self.scene.hub.home().directory())
            .arg(script)
            .arg(argument);
        Program::spawn(&mut command, "")
    }
}

/// What a program of the tests said, line by line, once it has ended by itself and well.
pub(crate) fn said(program: Program) -> Vec<Value> {
    let Ended { status, stdout, stderr } = program.wait_exit();
    assert!(status.success(), "{status}: {stdout}\n{stderr}");
    let lines = stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// What is under a name in one of the lines.
pub(crate) fn told<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    let found = lines.iter().find_map(|line| line.get(name));
    found.unwrap_or_else(|| panic!("no {name} in {lines:#?}"))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn client_in_typescript() -> PathBuf {
    let client = repository().join("clients/typescript");
    assert!(client.join("dist").exists(), "not built: run `cargo xtask test`, which does it");
    client
}

/// The Python with the SDK, as `cargo xtask` installs it.
fn python() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_handraise"));
    let target = built.parent().and_then(Path::parent).unwrap();
    let python = target.join("python/clients/bin/python");
    assert!(
        python.exists(),
        "there is no {}: run `cargo xtask test`, which installs it",
        python.display()
    );
    python
}

/// Node.js, wherever whoever runs the tests has it.
fn node() -> PathBuf {
    client_in_typescript();
    #[expect(clippy::disallowed_methods, reason = "where programs are is for the machine to say")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|place| place.join("node"));
    places.find(|node| node.exists()).unwrap_or_else(|| panic!("the tests need node"))
}
