use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const COMMAND: &str = "/usr/bin/handraise hook claude";

fn connected(text: &str) -> String {
    connect(text, &Ours::default(), COMMAND).unwrap()
}

fn disconnected(text: &str, before: Option<&str>) -> String {
    disconnect(text, &Ours::default(), before).unwrap()
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

/// Whether all we want is there, once, and in its place.
fn assert_complete(text: &str, command: &str) {
    let found = entries(text, &Ours::default().and(command)).unwrap();
    assert_eq!(found.len(), WANTED.len(), "{text}");
    for wanted in WANTED {
        let entry = found.iter().find(|entry| entry.event == wanted.event).unwrap();
        assert!(wanted.fits(entry.matcher.as_deref()), "{entry:?}");
        assert_eq!((entry.command.as_str(), entry.timeout), (command, Some(wanted.timeout)));
    }
}

#[test]
fn nothing_becomes_a_file_as_people_write_it() {
    let text = connected("");
    assert!(text.starts_with(
        r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "AskUserQuestion|ExitPlanMode",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/handraise hook claude",
            "timeout": 10
          }
        ]
      }
    ],
    "PermissionRequest": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/handraise hook claude",
            "timeout": 2073600
          }
        ]
      }
    ],
"#
    ));
    assert!(text.ends_with("    ]\n  }\n}\n"), "{text}");
    assert_complete(&text, COMMAND);
    assert_eq!(disconnected(&text, None), "{}\n");
}

#[test]
fn every_layout_comes_back_as_it_was() {
    for text in [
        "{}",
        "{}\n",
        "\u{feff}{}\r\n",
        "{\"model\":\"opus\"}",
        "{ \"model\" : \"opus\", \"a\" : [ ] }\n",
        "{\n\t\"model\": \"opus\",\n\n\t\"env\": {}\n\n}",
        "{\r\n   \"model\": \"caf\\u00e9\"\r\n}\r\n",
        "{\n\"model\": 1e3\n}\n\n\n",
        "\n\n  {\"a\":1,\n   \"b\":2}",
        r#"{"n": [-0.0e-1, 1E+5, 0, -1, true, null, "\u0000\b\f\/\"\\ \ud83d\ude00 {,}"], "": {}}"#,
        r#"{"\u0068ooks": {"\u0053top": []}}"#,
        "{\"hooks\":{}}",
        "{\n  \"hooks\": {},\n  \"model\": \"x\"\n}",
        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"beep\"}]}]}}",
        "{\n  \"hooks\": {\"Stop\": [\n{\"hooks\": []}\n  ]}\n}",
        "{\n  \"hooks\": {\"Stop\": [7, null, {\"hooks\": 1}, {}]}, \"a\": [{}]\n}",
    ] {
        let with = connected(text);
        assert_complete(&with, COMMAND);
        assert_eq!(connected(&with), with, "twice is as good as once");
        assert_eq!(disconnected(&with, Some(text)), text);
        assert_eq!(text.contains("\r\n"), with.contains("\r\n"));
        assert!(
            !with.replace("\r\n", "").contains('\r')
                && (text.contains("\r\n") || !with.contains('\r'))
        );
        assert_eq!(text.starts_with('\u{feff}'), with.starts_with('\u{feff}'));
    }
}

#[test]
fn one_line_stays_one_line() {
    assert_eq!(connected("{\"model\":\"opus\"}").lines().count(), 1);
    assert!(connected("{\"model\":\"opus\"}").contains(r#","hooks":{"PreToolUse":[{"matcher":"#));
    assert!(connected("{\"m\": 1}").contains(r#", "hooks": {"PreToolUse": [{"matcher": "#));
}

#[test]
fn hooks_of_others_stay_even_in_a_group_with_ours() {
    let other = json!({"type": "command", "command": "beep"});
    let old = json!({"type": "command", "command": "/old/handraise hook claude", "timeout": 5});
    let text = json!({"hooks": {
        "Stop": [{"hooks": [other, old, other]}],
        "Notification": [{"matcher": "idle", "hooks": [old, other]}],
        "SubagentStop": [{"hooks": [old]}],
        "PreToolUse": [{"matcher": "AskUserQuestion|ExitPlanMode", "hooks": [other]}],
    }});
    let text = serde_json::to_string_pretty(&text).unwrap();
    let with = connected(&text);
    assert_complete(&with, COMMAND);
    let stop = &parsed(&with)["hooks"]["Stop"];
    assert_eq!(stop[0]["hooks"][1]["timeout"], 10, "brought up to date where it was");
    let without = parsed(&disconnected(&with, None));
    assert_eq!(
        without,
        json!({"hooks": {
            "Stop": [{"hooks": [other, other]}],
            "Notification": [{"matcher": "idle", "hooks": [other]}],
            "PreToolUse": [{"matcher": "AskUserQuestion|ExitPlanMode", "hooks": [other]}],
        }})
    );
}

#[test]
fn what_was_empty_before_stays_and_what_we_made_goes() {
    let before = "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n";
    let edited = connected(before).replacen('{', "{\n  \"model\": \"opus\",", 1);
    assert_eq!(
        disconnected(&edited, Some(before)),
        "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"
    );
    assert_eq!(disconnected(&edited, None), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn a_hook_without_a_timeout_or_there_twice_is_put_right() {
    let bare = json!({"hooks": [{"type": "command", "command": COMMAND}]});
    let text = json!({"hooks": {"Stop": [bare, bare]}});
    for text in [text.to_string(), serde_json::to_string_pretty(&text).unwrap()] {
        assert_complete(&connected(&text), COMMAND);
    }
}

#[test]
fn ours_is_told_by_the_program() {
    let ours = Ours::default().and("'/opt/my tools/hr' hook claude");
    for command in [
        "handraise hook claude",
        "/usr/bin/handraise hook claude --data /srv",
        "'/home/o'\\''neill/my bin/handraise' --data '/x y' hook claude",
        "HANDRAISE_LOG=debug handraise hook claude",
        "'/opt/my tools/hr' hook claude",
    ] {
        assert!(ours.runs(command), "{command}");
    }
    for command in [
        "",
        "'",
        "beep",
        "handraise serve",
        "handraise hook codex",
        "echo handraise hook claude",
        "/usr/bin/handraise-old hook claude",
        "/opt/hr hook claude",
    ] {
        assert!(!ours.runs(command), "{command}");
    }
}

#[test]
fn settings_that_are_not_understood_are_refused() {
    let refused = |text: &str| {
        let error = connect(text, &Ours::default(), COMMAND).unwrap_err();
        assert_eq!(disconnect(text, &Ours::default(), None), Err(error.clone()), "{text}");
        error.to_string()
    };
    for (text, said) in [
        ("{\n  \"a\": 1,\n}", "not valid JSON: trailing comma at line 3, column 1"),
        ("{ // no\n}", "not valid JSON: key must be a string at line 1, column 3"),
        ("{\"a\": 1", "not valid JSON: EOF while parsing an object at line 1, column 7"),
        ("{} {}", "not valid JSON: trailing characters at line 1, column 4"),
        ("[]", "the top level is an array, an object needed"),
        ("null", "the top level is null, an object needed"),
        ("{\"hooks\": []}", "hooks is an array, an object needed"),
        ("{\"hooks\": {\"Stop\": {}}}", "hooks.Stop is an object, an array needed"),
        ("{\"hooks\": {}, \"hooks\": {}}", "hooks is there 2 times"),
        ("{\"hooks\": {\"Stop\": [], \"Stop\": []}}", "hooks.Stop is there 2 times"),
    ] {
        assert_eq!(refused(text), said, "{text}");
    }
}

/// White space as anybody might leave it.
fn space() -> impl Strategy<Value = String> {
    proptest::sample::select(vec!["", "", " ", "\n", "\n  ", "\r\n\t", "  \n\n   "])
        .prop_map(str::to_owned)
}

/// A list in brackets, with anything between its members; tight when there are none.
fn listed(
    member: impl Strategy<Value = String>,
    [open, close]: [&'static str; 2],
) -> impl Strategy<Value = String> {
    prop::collection::vec((space(), member, space()), 0..4).prop_map(move |members| {
        let members: Vec<_> = members.into_iter().map(|(a, m, b)| format!("{a}{m}{b}")).collect();
        format!("{open}{}{close}", members.join(","))
    })
}

fn settings() -> impl Strategy<Value = String> {
    let entry = proptest::sample::select(vec![
        r#"{"type":"command","command":"beep"}"#,
        r#"{ "type" : "command", "command" : "say \"handraise hook claude\"" }"#,
        "7",
    ]);
    let entries = listed(entry.prop_map(str::to_owned), ["[", "]"]);
    let group = (entries, space()).prop_map(|(entries, space)| {
        format!("{{\"matcher\":{space}\"Bash\",{space}\"hooks\":{entries}}}")
    });
    let group = group.boxed();
    let groups = || listed(group.clone(), ["[", "]"]);
    let hooks = (groups(), groups(), space(), space()).prop_flat_map(|(stop, other, a, b)| {
        let stop = format!("\"Stop\":{a}{stop}");
        let other = format!("\"PreToolUse\" :{b}{other}");
        proptest::sample::select(vec![
            "{}".to_owned(),
            format!("{{{a}{stop}{b}}}"),
            format!("{{{b}{other},{a}{stop}}}"),
        ])
    });
    (hooks, space(), space(), space(), any::<u8>()).prop_map(|(hooks, a, b, c, which)| {
        let model = format!("{a}\"model\"{b}:{c}\"\\u00e9\"");
        let hooks = format!("{b}\"hooks\":{a}{hooks}");
        let inner = match which % 4 {
            0 => model,
            1 => hooks,
            2 => format!("{model}{c},{hooks}{a}"),
            _ => format!("{hooks},{model}{c}"),
        };
        format!("{c}{{{inner}}}{a}")
    })
}

proptest! {
    #[test]
    fn in_and_out_again_is_byte_equal_whatever_the_layout(text in settings()) {
        let with = connected(&text);
        assert_complete(&with, COMMAND);
        prop_assert_eq!(&connected(&with), &with);
        prop_assert_eq!(&disconnected(&with, Some(&text)), &text);
        let moved = connect(&with, &Ours::default(), "'/a b/hr' hook claude").unwrap();
        assert_complete(&moved, "'/a b/hr' hook claude");
        let ours = Ours::default().and("'/a b/hr' hook claude");
        prop_assert_eq!(&disconnect(&moved, &ours, Some(&text)).unwrap(), &text);
    }
}
