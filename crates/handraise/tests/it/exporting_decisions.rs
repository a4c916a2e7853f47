//! `handraise export --format decisions`: a file for each project, which only grows.

use std::path::Path;
use std::time::Duration;

use handraise_broker::{Asker, Hub, NewAsk, Reply};
use handraise_testkit::{Ended, HubProcess, Program, answers, new_ask};
use serde_json::json;

use crate::past::{Past, run};

fn prepared() -> HubProcess {
    HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")))
}

/// Something is asked in a directory, and ends.
async fn decide(past: &Past, directory: &str, reply: Reply) {
    let asker = Asker {
        agent: "claude-code".into(),
        directory: Some(directory.into()),
        ..Asker::default()
    };
    let id = past.agent().ask(NewAsk { asker, ..new_ask(None) }).await.unwrap().record.id;
    past.world.pass(Duration::from_mins(7));
    past.ann().reply(id, reply, None).await.unwrap();
}

fn jwt() -> Reply {
    answers(json!([{"selected": ["JWT"]}]))
}

fn export(hub: &HubProcess, args: &[&str]) -> Ended {
    Program::run(hub.command().args(["export", "--format", "decisions"]).args(args))
}

fn good(hub: &HubProcess, args: &[&str]) -> String {
    let ended = export(hub, args);
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    ended.stdout
}

fn files(directory: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn each_project_has_a_file_and_further_decisions_only_add_to_its_end() {
    let hub = prepared();
    let log = hub.directory().join("decisions");
    let to = format!("{}/", log.display());
    let mut before: Vec<(String, String)> = vec![];
    for round in 0..4 {
        run(async {
            let past = Past::of(&hub.home().database()).await;
            past.world.pass(Duration::from_hours(20 * round));
            decide(&past, "/home/ann/shop", jwt()).await;
            decide(&past, "/srv/shop/", Reply::Decline(Some(format!("round {round}")))).await;
            if round > 1 {
                decide(&past, "/home/ann/blog", Reply::Discuss("why?".into())).await;
            }
            // What was taken back is no decision.
            let gone = past.agent().ask(new_ask(None)).await.unwrap().record.id;
            past.agent().withdraw(gone, None).await.unwrap();
            past.end().await;
        });
        let said = good(&hub, &["-o", &to]);
        let now = files(&log);
        for (name, old) in &before {
            let (_, new) = now.iter().find(|(other, _)| other == name).unwrap();
            assert!(new.starts_with(old) && new.len() > old.len(), "{name}:\n{old}\n{new}");
        }
        assert!(said.contains(&format!("shop.md: {} decision", round + 1)), "{said}");
        before = now;
    }
    let names: Vec<_> = before.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["blog.md", "shop.md", "srv-shop.md"]);
    // The same record gives the same bytes.
    good(&hub, &["-o", &to]);
    assert_eq!(files(&log), before);
    let shop = &before[1].1;
    assert!(shop.starts_with("# Decisions: shop\n"), "{shop}");
    assert_eq!(shop.matches("- **✔ JWT**\n- Sessions\n").count(), 4, "{shop}");
    assert_eq!(shop.matches("\n## 2025-06-1").count(), 4, "{shop}");
    assert!(shop.contains("\n*ann, in the browser, 15:13 UTC · claude-code · ask "), "{shop}");
}

#[test]
fn a_log_of_two_hubs_or_one_that_has_dropped_things_goes_on() {
    let [first, second] = [prepared(), prepared()];
    let decide_at = |hub: &HubProcess, directories: &[&str], reply: &Reply| {
        run(async {
            let past = Past::of(&hub.home().database()).await;
            for directory in directories {
                decide(&past, directory, reply.clone()).await;
            }
            past.end().await;
        });
    };
    let (shop, blog) = ("/home/ann/shop", "/home/ann/blog");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.md");
    let to = ["--project", "shop", "-o", file.to_str().unwrap()];
    decide_at(&first, &[shop], &jwt());
    // In this world, numbers are given in turn: those of the two hubs must not be the same.
    decide_at(&second, &[blog, blog, blog, shop], &Reply::Decline(None));
    let mut before = String::new();
    // The record of the second has nothing of the first, and none of them has all.
    for hub in [&first, &second, &first, &second] {
        good(hub, &to);
        let log = std::fs::read_to_string(&file).unwrap();
        assert!(log.starts_with(&before), "{log}");
        before = log;
    }
    assert_eq!(before.matches(" · ask ").count(), 2, "{before}");
    assert_eq!(before.matches("\n## ").count(), 1, "the day is the same: {before}");
}

#[test]
fn one_project_goes_into_one_file_and_nothing_is_lost_unasked() {
    let hub = prepared();
    run(async {
        let past = Past::of(&hub.home().database()).await;
        decide(&past, "/home/ann/shop", jwt()).await;
        decide(&past, "/home/ann/shop", Reply::Decline(None)).await;
        decide(&past, "/home/ann/blog", jwt()).await;
        past.end().await;
    });
    let file = hub.directory().join("DECISIONS.md");
    let name = file.to_str().unwrap();
    let refused = export(&hub, &["-o", name]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stderr.contains("2 projects do not go into one file"), "{}", refused.stderr);
    let shop = ["-o", name, "--project", "shop"];
    good(&hub, &shop);
    let written = std::fs::read_to_string(&file).unwrap();
    good(&hub, &shop);

    good(&hub, &[&shop[..], &["--kind", "declined"]].concat());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written, "what is not wanted stays");
    let refused = export(&hub, &["-o", name, "--project", "blog"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stderr.contains("the log of another project"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
    let readme = hub.directory().join("README.md");
    std::fs::write(&readme, "# Mine\n").unwrap();
    let refused = export(&hub, &["-o", readme.to_str().unwrap(), "--project", "blog"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&readme).unwrap(), "# Mine\n");
    good(&hub, &["-o", readme.to_str().unwrap(), "--project", "blog", "--force"]);

    let all = good(&hub, &[]);
    assert!(all.starts_with(&written), "{all}");
    assert!(all.contains("\n\n# Decisions: blog\n"), "{all}");
    assert!(export(&hub, &["--project", "none"]).stderr.contains("Nothing like that was decided"));
}

#[test]
fn files_of_others_in_the_directory_stay_and_stop_nothing() {
    let hub = prepared();
    run(async {
        let past = Past::of(&hub.home().database()).await;
        for directory in ["/home/ann/README", "/home/ann/shop", "/home/ann/blog", "/home/ann/api"] {
            decide(&past, directory, jwt()).await;
        }
        past.end().await;
    });
    let log = hub.directory().join("decisions");
    std::fs::create_dir_all(log.join("api.md")).unwrap();
    let theirs =
        [("README.md", "# Ours\n"), ("shop.md", "# Decisions: shop\n\nBy hand.\n"), ("x.md", "")];
    for (name, text) in theirs {
        std::fs::write(log.join(name), text).unwrap();
    }
    let to = format!("{}/", log.display());
    for force in [&[][..], &["--force"]] {
        good(&hub, &[&["-o", to.as_str()][..], force].concat());
        for (name, text) in theirs {
            assert_eq!(std::fs::read_to_string(log.join(name)).unwrap(), text, "{name}");
        }
        let mut names: Vec<_> = std::fs::read_dir(&log)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let ours = ["README-decisions.md", "api-decisions.md", "blog.md", "shop-decisions.md"];
        let mut all = [&ours[..], &["README.md", "api.md", "shop.md", "x.md"]].concat();
        all.sort_unstable();
        assert_eq!(names, all);
    }
}

#[test]
fn a_project_is_called_the_same_whatever_else_is_wanted() {
    let hub = prepared();
    run(async {
        let past = Past::of(&hub.home().database()).await;
        decide(&past, "/srv/a/api", jwt()).await;
        decide(&past, "/srv/b/api", Reply::Decline(None)).await;
        past.end().await;
    });
    let log = hub.directory().join("decisions");
    let to = format!("{}/", log.display());
    good(&hub, &["-o", &to, "--project", "b/api"]);
    let both = |all: &[(String, String)]| -> Vec<(String, String)> {
        let title = |text: &str| text.lines().next().unwrap().to_owned();
        all.iter().map(|(name, text)| (name.clone(), title(text))).collect()
    };
    let b = ("b-api.md".to_owned(), "# Decisions: b/api".to_owned());
    assert_eq!(both(&files(&log)), std::slice::from_ref(&b));
    good(&hub, &["-o", &to]);
    let a = ("api.md".to_owned(), "# Decisions: api".to_owned());
    assert_eq!(both(&files(&log)), [a, b]);
}
