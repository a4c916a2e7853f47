use proptest::prelude::*;

use super::*;

const ALL: [Client; 4] = [Client::Codex, Client::Opencode, Client::Gemini, Client::Qwen];

fn server(client: Client) -> Server {
    Server { program: "/usr/bin/handraise".into(), args: client.arguments() }
}

fn elsewhere() -> Server {
    let args = ["mcp", "--patience", "23h", "--data", "/a \"b\""].map(str::to_owned).into();
    Server { program: "/opt/my tools/hr".into(), args }
}

fn connected(client: Client, text: &str) -> String {
    client.connect(text, &Ours::default(), &server(client)).unwrap()
}

fn disconnected(client: Client, text: &str, before: Option<&str>) -> String {
    client.disconnect(text, &Ours::default(), before).unwrap()
}

/// There and back, once and twice, and by way of a program that was moved.
fn there_and_back(client: Client, text: &str) {
    let with = connected(client, text);
    assert_eq!(client.server(&with, &Ours::default()).unwrap(), Some(server(client)), "{with}");
    assert_eq!(connected(client, &with), with, "twice is as good as once");
    assert_eq!(disconnected(client, &with, Some(text)), text, "{with}");
    assert_eq!(disconnected(client, text, None), text);
    let moved = client.connect(&with, &Ours::default(), &elsewhere()).unwrap();
    let ours = Ours::default().and(&elsewhere().program);
    assert_eq!(client.server(&moved, &ours).unwrap(), Some(elsewhere()), "{moved}");
    assert_eq!(client.disconnect(&moved, &ours, Some(text)).unwrap(), text, "{moved}");
}

#[test]
fn nothing_becomes_a_file_as_people_write_it() {
    assert_eq!(
        connected(Client::Codex, ""),
        r#"[mcp_servers.handraise]
command = "/usr/bin/handraise"
args = ["mcp", "--agent", "codex", "--patience", "23h"]
tool_timeout_sec = 86400
default_tools_approval_mode = "approve"
"#
    );
    let gemini = r#"{
  "mcpServers": {
    "handraise": {
      "command": "/usr/bin/handraise",
      "args": [
        "mcp",
        "--agent",
        "gemini",
        "--patience",
        "23h"
      ],
      "timeout": 86400000,
      "trust": true
    }
  }
}
"#;
    assert_eq!(connected(Client::Gemini, ""), gemini);
    assert_eq!(connected(Client::Qwen, ""), gemini.replace("gemini", "qwen"));
    assert_eq!(
        connected(Client::Opencode, ""),
        r#"{
  "mcp": {
    "handraise": {
      "type": "local",
      "command": [
        "/usr/bin/handraise",
        "mcp",
        "--agent",
        "opencode",
        "--patience",
        "23h"
      ],
      "enabled": true
    }
  }
}
"#
    );
}

#[test]
fn toml_in_every_layout_comes_back_as_it_was() {
    for text in [
        "model = \"x\"",
        "model = 'x' # which\n\n\n",
        "\u{feff}model = \"x\"\r\n\r\n[tui]\r\nanimations = false\r\n",
        "# only a remark",
        "a=1\r\nb=2\n",
        "a=1\nb=2\r\n",
        "a=1\r\nb=2\n\nc=3",
        "[mcp_servers]\n",
        "[mcp_servers.docs]\ncommand = \"docs\"\nargs = [\n  \"a\", # first\n]\n\n# the end\n",
        "[mcp_servers]\ndocs = { command = \"docs\" }\n[[skills]]\nname = 'a'",
        "mcp_servers.docs.command = \"docs\"\nmodel = \"\"\"\nhandraise\n[mcp_servers.handraise]\n\"\"\"\n",
        "[ mcp_servers . \"docs\" ]\ncommand='d'\n[projects.\"/a b\"]\ntrust_level = \"trusted\"\n\n",
    ] {
        there_and_back(Client::Codex, text);
    }
}

#[test]
fn json_in_every_layout_comes_back_as_it_was() {
    for text in [
        "{}",
        "{}\n",
        "{\n\n}",
        "{ }\n",
        "{\n  \"mcp\": {\n\n  },\n  \"mcpServers\": { }\n}",
        "\u{feff}{}\r\n",
        "{\"a\":1}",
        "{\n\t\"a\": 1, // one\n\n\t/* two */ \"b\": {}\n}",
        "{\r\n  \"a\": [1,\r\n2] // here\r\n  // the end\r\n}\r\n",
        "{\n  \"mcp\": {},\n  \"mcpServers\": {}\n}",
        "{\"mcp\": {\"docs\": {\"type\": \"remote\"}}, \"mcpServers\": {\"docs\": {}}}\n",
        "// first\n{\n  \"mcpServers\": {\n    \"docs\": {} // docs\n  },\n  \"mcp\": {\n    \"docs\": {} // docs\n  }\n}",
    ] {
        for client in [Client::Opencode, Client::Gemini, Client::Qwen] {
            there_and_back(client, text);
        }
    }
    for text in [
        "{\n  \"mcp\": {\n    \"docs\": {}, // docs\n  },\n}\n",
        "{\"permission\": \"ask\"}",
        "{\n  \"permission\": \"deny\", // all of it\n}",
        "{\"permission\": {\"*\": \"ask\", \"bash\": {\"git *\": \"allow\",},}}",
        "{\n  \"permission\": {\n    // careful\n    \"*\": \"ask\"\n  }\n}\n",
        "{\"permission\": {\"handraise_*\": \"allow\"}}",
        "{\"permission\": {\"handraise_*\": \"ask\"}}",
        "{\"permission\": {}}",
        "{\"permission\": {\n}}",
    ] {
        there_and_back(Client::Opencode, text);
    }
}

#[test]
fn opencode_is_told_to_allow_our_tools_where_it_has_rules() {
    let rules = |text: &str| connected(Client::Opencode, text);
    assert!(!rules("{\"a\": 1}").contains("permission"));
    assert!(
        rules("{\"permission\": \"ask\"}")
            .starts_with("{\"permission\": {\"*\": \"ask\", \"handraise_*\": \"allow\"}, \"mcp\"")
    );
    assert!(rules("{\"permission\": \"allow\"}").starts_with("{\"permission\": \"allow\", "));
    assert!(
        rules("{\"permission\": {\"*\": \"ask\"}}")
            .starts_with("{\"permission\": {\"*\": \"ask\", \"handraise_*\": \"allow\"}, ")
    );
    let theirs = "{\"permission\": {\"handraise_*\": \"deny\"}}";
    assert!(rules(theirs).starts_with("{\"permission\": {\"handraise_*\": \"deny\"}, "));
}

#[test]
fn what_a_person_sets_beside_ours_stays_while_it_is_there() {
    let with = connected(Client::Codex, "model = \"x\"\n");
    let edited = with.replace("args", "enabled = false # for now\nargs").replace("86400", "60")
        + "\n[mcp_servers.handraise.tools.ask_user]\napproval_mode = \"prompt\"\n\n[tui]\na = 1\n";
    let again = connected(Client::Codex, &edited);
    assert_eq!(again, edited.replace("60", "86400"));
    assert_eq!(disconnected(Client::Codex, &again, None), "model = \"x\"\n\n[tui]\na = 1\n");

    let with = connected(Client::Gemini, "{\n  \"a\": 1\n}");
    let edited = with.replace("\"trust\": true", "\"cwd\": \"/\", // here\n      \"trust\": false");
    assert_eq!(connected(Client::Gemini, &edited), edited.replace("false", "true"));
    assert_eq!(disconnected(Client::Gemini, &edited, None), "{\n  \"a\": 1\n}");
}

#[test]
fn a_rule_behind_ours_keeps_the_space_before_it() {
    let text = "{\"permission\":{\"*\":\"ask\"}}";
    let edit = |text: &str, last: &str| text.replace(last, &format!("{last}, \"bash\":\"deny\""));
    let with = edit(&connected(Client::Opencode, text), "\"handraise_*\":\"allow\"");
    assert!(with.contains("bash"), "{with}");
    assert_eq!(disconnected(Client::Opencode, &with, Some(text)), edit(text, "\"ask\""));
}

#[test]
fn what_stands_before_a_server_written_by_hand_keeps_its_last_line_break() {
    let by_hand = "a = 1\n\n[mcp_servers.handraise]\ncommand = \"handraise\"\nargs = [\"mcp\"]";
    let with = connected(Client::Codex, by_hand);
    assert_eq!(disconnected(Client::Codex, &with, Some(by_hand)), "a = 1\n");
}

#[test]
fn what_is_missing_or_old_in_ours_is_put_right() {
    let old = "[mcp_servers.handraise]\ncommand = '/old/handraise' # mine\nargs = [\"mcp\"]";
    assert_eq!(
        connected(Client::Codex, old),
        "[mcp_servers.handraise]\ncommand = \"/usr/bin/handraise\" # mine\ndefault_tools_approval_mode = \
         \"approve\"\ntool_timeout_sec = 86400\nargs = [\"mcp\", \"--agent\", \"codex\", \
         \"--patience\", \"23h\"]"
    );
    let inline = "[mcp_servers]\nhandraise = { command = \"handraise\", args = [\"mcp\"] } # mine\na.b = 1\n";
    let with = connected(Client::Codex, inline);
    assert!(
        with.starts_with("[mcp_servers]\nhandraise = { command = \"/usr/bin/handraise\", "),
        "{with}"
    );
    assert_eq!(connected(Client::Codex, &with), with);
    assert_eq!(disconnected(Client::Codex, &with, None), "[mcp_servers]\na.b = 1\n");

    let old = r#"{"mcp": {"handraise": {"command": ["handraise", "mcp"], "enabled": false}}}"#;
    assert_eq!(
        connected(Client::Opencode, old),
        r#"{"mcp": {"handraise": {"command": ["/usr/bin/handraise", "mcp", "--agent", "opencode", "--patience", "23h"], "enabled": true, "type": "local"}}}"#
    );
}

#[test]
fn a_server_of_our_name_that_is_not_ours_is_left_alone() {
    let toml = [
        "[mcp_servers.handraise]\ncommand = \"other\"\nargs = [\"mcp\"]\n",
        "[mcp_servers.handraise]\ncommand = \"handraise\"\nargs = [\"serve\"]\n",
        "[mcp_servers.handraise]\nurl = \"https://example.com\"\n",
        "[mcp_servers]\nhandraise = 1\n",
    ];
    for text in toml {
        let error =
            Client::Codex.connect(text, &Ours::default(), &server(Client::Codex)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "mcp_servers.handraise is there already and runs another program"
        );
        assert_eq!(Client::Codex.server(text, &Ours::default()), Ok(None));
    }
    assert_eq!(disconnected(Client::Codex, toml[0], None), toml[0]);
    for (client, text) in [
        (Client::Gemini, "{\"mcpServers\": {\"handraise\": {\"httpUrl\": \"x\"}}}"),
        (
            Client::Qwen,
            "{\"mcpServers\": {\"handraise\": {\"command\": \"x\", \"args\": [\"mcp\"]}}}",
        ),
        (Client::Gemini, "{\"mcpServers\": {\"handraise\": []}}"),
        (Client::Opencode, "{\"mcp\": {\"handraise\": {\"command\": [\"other\", \"mcp\"]}}}"),
        (Client::Opencode, "{\"mcp\": {\"handraise\": {\"enabled\": true}}}"),
    ] {
        let error = client.connect(text, &Ours::default(), &server(client)).unwrap_err();
        assert!(matches!(error, SettingsError::Taken { .. }), "{error}");
        assert_eq!(disconnected(client, text, None), text);
    }
}

#[test]
fn settings_that_are_not_understood_are_refused() {
    for (client, text, said) in [
        (Client::Codex, "a = \n", "not valid TOML: "),
        (Client::Codex, "a = 1\na = 2\n", "not valid TOML: duplicate key at line 2, column 1"),
        (Client::Codex, "mcp_servers = 1\n", "mcp_servers is integer, table needed"),
        (Client::Codex, "[[mcp_servers]]\n", "mcp_servers is array of tables, table needed"),
        (
            Client::Codex,
            "mcp_servers = { docs = {} }\n",
            "mcp_servers is a table on one line, which Handraise does not change",
        ),
        (
            Client::Codex,
            "mcp_servers.handraise.command = \"handraise\"\n",
            "mcp_servers.handraise is written with dotted keys, which Handraise does not change",
        ),
        (Client::Gemini, "{\"a\": 1,}", "not valid JSON: "),
        (Client::Gemini, "{\"mcpServers\": []}", "mcpServers is an array, an object needed"),
        (Client::Qwen, "[]", "the top level is an array, an object needed"),
        (Client::Opencode, "{\"mcp\": {}, \"mcp\": {}}", "mcp is there 2 times"),
        (Client::Opencode, "{a: 1}", "not valid JSON: "),
        (
            Client::Opencode,
            "{\"permission\": 1}",
            "permission is a number, an object or a text needed",
        ),
    ] {
        let error =
            client.connect(text, &Ours::default(), &server(client)).unwrap_err().to_string();
        assert!(error.starts_with(said), "{text}: {error}");
    }
}

#[test]
fn names_with_quotes_and_control_characters_are_written_so_that_they_are_read_again() {
    let odd = Server {
        program: "/a\"b\\c/\u{1b}é\t/handraise".into(),
        args: ["mcp", "--data", "it's\n\u{7f}"].map(str::to_owned).into(),
    };
    for client in ALL {
        let with = client.connect("", &Ours::default(), &odd).unwrap();
        assert_eq!(client.server(&with, &Ours::default()).unwrap().as_ref(), Some(&odd), "{with}");
        assert_eq!(client.connect(&with, &Ours::default(), &odd).unwrap(), with);
    }
}

/// Lines as they stand in settings in TOML; each is whole in itself.
fn toml_settings() -> impl Strategy<Value = String> {
    let top = proptest::sample::select(vec![
        "",
        "# remark",
        "model = \"x\" # which",
        "a.b = [1, # one\n  2]",
        "\t",
        "n = '''\n\n[x]\n'''",
    ]);
    let table = proptest::sample::select(vec![
        "[mcp_servers]",
        "[mcp_servers.docs]\ncommand = \"d\"",
        "[tui]\n# none",
        "[[s]]\nx = 1\n",
        "[mcp_servers.docs.env] # e\nA = \"1\"\n\n",
        "[profiles.\"a b\"]\n\nx = {y = 1}",
    ]);
    let lines = (
        prop::collection::vec(top, 0..3),
        prop::collection::btree_set(table, 0..4),
        proptest::sample::select(vec!["", "\n", "\n\n", "\n# end", "\n\n# end\n"]),
        any::<bool>(),
    );
    lines.prop_filter_map("a table may not be there twice", |(top, tables, end, returns)| {
        let mut lines: Vec<_> = top;
        lines.dedup();
        lines.extend(tables);
        let text = format!("{}{end}", lines.join("\n"));
        let text = if returns { text.replace('\n', "\r\n") } else { text };
        text.parse::<toml_edit::DocumentMut>().is_ok().then_some(text)
    })
}

fn json_settings() -> impl Strategy<Value = String> {
    let space = || {
        let spaces = vec!["", " ", "\n", "\n  ", "\r\n\t", " // a, b\n", "/* , */", "\n // c\n "];
        proptest::sample::select(spaces)
    };
    let member = proptest::sample::select(vec![
        "\"a\": 1",
        "\"mcpServers\": {}",
        "\"mcpServers\": {\"docs\": {\"command\": \"d\"} // docs\n}",
        "\"mcp\": {\n  // none\n}",
        "\"mcp\" :{\"x\": {}}",
        "\"permission\": {\"*\": \"ask\"}",
        "\"permission\": \"ask\"",
    ]);
    let members = prop::collection::btree_map(member, (space(), space()), 0..5);
    (members, space(), space()).prop_filter_map("twice", |(members, start, end)| {
        let names: Vec<_> = members.keys().filter_map(|m| m.split('"').nth(1)).collect();
        let twice = names.iter().any(|name| names.iter().filter(|n| n == &name).count() > 1);
        let members = members.iter().map(|(member, (a, b))| format!("{a}{member}{b}"));
        let members = members.collect::<Vec<_>>().join(",");
        let tight = members.is_empty();
        let end = if tight { "" } else { end };
        (!twice).then(|| format!("{start}{{{members}{end}}}\n"))
    })
}

proptest! {
    #[test]
    fn in_and_out_again_is_byte_equal_whatever_the_toml(text in toml_settings()) {
        there_and_back(Client::Codex, &text);
    }

    #[test]
    fn in_and_out_again_is_byte_equal_whatever_the_json(text in json_settings()) {
        for client in [Client::Opencode, Client::Gemini, Client::Qwen] {
            there_and_back(client, &text);
        }
    }
}
