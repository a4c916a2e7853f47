//! How long agents waited, as the API and the commands tell it.

use serde_json::{Value, json};

use crate::asking::database;
use crate::http::Call;
use crate::watched_hub::WatchedHub;

fn ask(hub: &WatchedHub, directory: &str) -> String {
    let asker = json!({"agent": "tester", "directory": directory});
    let ask = json!({"asker": asker, "questions": database()["questions"]});
    let answer = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&ask));
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()["id"].as_str().unwrap().to_owned()
}

fn end(hub: &WatchedHub, token: &str, id: &str, verb: &str, body: &Value) {
    let path = format!("/api/v1/asks/{id}/{verb}");
    let answer = hub.call(&Call::post(&path).token(token).json(body));
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Three asks of one project, of which a person ended two, and an open one of another.
fn scene() -> WatchedHub {
    let hub = WatchedHub::start();
    let [first, second, third] = [(); 3].map(|()| ask(&hub, "/home/ann/shop"));
    end(&hub, &hub.person, &first, "answer", &json!({"answers": [{"selected": ["SQLite"]}]}));
    end(&hub, &hub.person, &second, "decline", &json!({"reason": "later"}));
    end(&hub, &hub.agent, &third, "withdraw", &json!({}));
    ask(&hub, "/home/ann/bank");
    hub
}

fn times(hub: &WatchedHub, query: &str) -> Value {
    let path = format!("/api/v1/times{query}");
    let answer = hub.call(&Call::get(&path).token(&hub.agent));
    assert_eq!(answer.status, 200, "{answer:?}");
    let by_person = hub.call(&Call::get(&path).token(&hub.person));
    assert_eq!(by_person.status, 200, "{by_person:?}");
    answer.json()
}

#[test]
fn asks_and_answers_are_counted_by_project_and_day() {
    let hub = scene();
    let told = times(&hub, "");
    assert_eq!(told["dates"].as_array().unwrap().len(), 14);
    let all = &told["all"]["total"];
    assert_eq!((&all["asks"], &all["answered"]), (&json!(4), &json!(2)), "{told}");
    assert!(all["waitedSeconds"].as_f64().unwrap() > 0.0, "{told}");
    assert!(all["medianSeconds"].as_f64().unwrap() <= all["longestSeconds"].as_f64().unwrap());
    let projects = told["projects"].as_array().unwrap();
    let named = |name: &str| projects.iter().find(|project| project["name"] == name).unwrap();
    let shop = &named("shop")["times"]["total"];
    assert_eq!((&shop["asks"], &shop["answered"]), (&json!(3), &json!(2)), "{told}");
    let bank = &named("bank")["times"]["total"];
    assert_eq!((&bank["answered"], &bank["medianSeconds"]), (&json!(0), &Value::Null), "{told}");
    assert_eq!((projects.len(), &told["others"]), (2, &Value::Null));
    // The two days around midnight, if it is midnight just now.
    let last = &told["all"]["days"].as_array().unwrap()[12..];
    let asked: u64 = last.iter().map(|day| day["asks"].as_u64().unwrap()).sum();
    assert_eq!(asked, 4, "{told}");
    hub.end();
}

#[test]
fn whoever_asks_says_how_many_days_and_by_which_clock() {
    let hub = scene();
    for (query, days) in [("?days=1", 1), ("?days=366&offset=-1440", 366), ("?offset=1440", 14)] {
        let told = times(&hub, query);
        for days_of in [&told["dates"], &told["all"]["days"], &told["projects"][0]["times"]["days"]]
        {
            assert_eq!(days_of.as_array().unwrap().len(), days, "{query}");
        }
    }
    let of = |offset| times(&hub, &format!("?days=3&offset={offset}"))["dates"].clone();
    let (west, east) = loop {
        let (west, east) = (of(-1440), of(1440));
        // Midnight may have passed between the two.
        if of(-1440) == west {
            break (west, east);
        }
    };
    assert_eq!(west[2], east[0], "two days lie between the two");
    for query in [
        "days=0",
        "days=367",
        "days=-1",
        "days=many",
        "offset=1441",
        "offset=-1441",
        "offset=Berlin",
        "offset=1.5",
        "zone=Europe/Berlin",
    ] {
        let path = format!("/api/v1/times?{query}");
        let answer = hub.call(&Call::get(&path).token(&hub.person));
        assert_eq!(answer.problem(), (422, "invalid".into()), "{query}");
    }
    hub.end();
}

#[test]
fn projects_of_one_name_are_told_apart_everywhere() {
    let hub = WatchedHub::start();
    ask(&hub, "/home/ann/shop");
    for directory in ["/srv/a/api", "/srv/b/api/", "/srv/b/api"] {
        ask(&hub, directory);
    }
    for host in ["desk", "laptop"] {
        let asker = json!({"agent": "tester", "directory": "/srv/web", "host": host});
        let ask = json!({"asker": asker, "questions": database()["questions"]});
        let answer = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&ask));
        assert_eq!(answer.status, 201, "{answer:?}");
    }
    let told = times(&hub, "");
    let projects = told["projects"].as_array().unwrap();
    let mut found: Vec<_> = projects
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), one["times"]["total"]["asks"].as_u64().unwrap()))
        .collect();
    found.sort_unstable();
    let expected =
        [("a/api", 1), ("b/api", 2), ("shop", 1), ("web (desk)", 1), ("web (laptop)", 1)];
    assert_eq!(found, expected, "{told}");
    let page = String::from_utf8(hub.run(&["history", "--times"]).stdout).unwrap();
    for (name, _) in expected {
        assert!(page.lines().any(|line| line.starts_with(&format!("{name}  "))), "{page}");
    }
    hub.end();
}

#[test]
fn many_projects_become_few() {
    let hub = WatchedHub::start();
    for n in 0..20 {
        ask(&hub, &format!("/home/ann/p{n}"));
    }
    let told = times(&hub, "?days=2");
    assert_eq!(told["projects"].as_array().unwrap().len(), 12);
    assert_eq!(told["others"]["total"]["asks"], 8);
    assert_eq!(told["all"]["total"]["asks"], 20);
    hub.end();
}

#[test]
fn the_commands_tell_it_to_a_person() {
    let hub = scene();
    let run = |args: &[&str]| {
        let ran = hub.run(args);
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    let page = run(&["history", "--times"]);
    assert!(page.starts_with("In the last 14 days: agents waited "), "{page}");
    let row = |name: &str| page.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("PROJECT").ends_with("WAITED  ASKS  ANSWERED  MEDIAN  LONGEST"), "{page}");
    assert!(row("shop").contains("············"), "{page}");
    assert!(row("shop").contains(|bar| ('▁'..='█').contains(&bar)), "{page}");
    assert!(row("(all)").contains("  4     2         "), "{page}");
    let told: Value =
        serde_json::from_str(&run(&["history", "--times", "--days", "7", "--json"])).unwrap();
    assert_eq!(told["dates"].as_array().unwrap().len(), 7);

    let history = run(&["history"]);
    assert!(history.starts_with("WHEN                 TOOK  BY"), "{history}");
    let status = run(&["status"]);
    assert!(status.contains("\n  today    agents waited "), "{status}");
    let status: Value = serde_json::from_str(&run(&["status", "--json"])).unwrap();
    assert_eq!(status["open"], 1);
    // Not how many: midnight may have passed.
    assert!(status["today"]["waitedSeconds"].as_f64().unwrap() > 0.0, "{status}");
    for args in [&["history", "--days", "3"][..], &["history", "--times", "--text", "x"]] {
        assert_eq!(hub.run(args).status.code(), Some(2), "{args:?}");
    }
    hub.end();
}
