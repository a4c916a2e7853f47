use super::*;

fn arguments(line: &str) -> Option<String> {
    let Heard::Message(mut message) = understood(line.as_bytes()) else { panic!("{line}") };
    let JsonRpcMessage::Request(request) = &mut *message else { panic!("{line}") };
    let extensions = request.request.extensions_mut();
    extensions.get::<Arguments>().map(|arguments| arguments.0.get().to_owned())
}

fn call(arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"ask_user","arguments":{arguments}}}}}"#
    )
}

#[test]
fn the_arguments_of_a_call_are_kept_byte_for_byte() {
    for exact in [
        r#"{ "questions" : [ {"question":"\u00e9 é", "n": 1.50e1} ], "questions2":1 }"#,
        "[]",
        "null",
        r#""text""#,
        &format!("{}{}", "[".repeat(5000), "]".repeat(5000)),
    ] {
        assert_eq!(arguments(&call(exact)).as_deref(), Some(exact));
    }
    assert_eq!(
        arguments(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}"#),
        None
    );
}

#[test]
fn a_request_that_makes_no_sense_is_refused_by_its_id() {
    let refused = |line: &str| match understood(line.as_bytes()) {
        Heard::Senseless(refusal) => serde_json::to_value(*refusal).unwrap(),
        Heard::Message(message) => panic!("{message:?}"),
        Heard::Nothing => panic!("nothing was heard: {line}"),
    };
    let refusal = refused(r#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#);
    assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&"x".into(), &(-32600).into()));
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":5,"method":"ping","params":{}1{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    assert_eq!(refused(&deep)["id"], 5);
    assert_eq!(refused("[]")["error"]["code"], -32600);
    assert_eq!(refused("7")["error"]["code"], -32600);
}

#[test]
fn noise_is_not_answered() {
    for noise in ["", " ", "{", "hello", "{\"id\":1", r#"{"jsonrpc":"2.0"}"#] {
        assert!(matches!(understood(noise.as_bytes()), Heard::Nothing), "{noise}");
    }
    assert!(matches!(understood(b"\xff\xfe{}"), Heard::Nothing));
}

#[tokio::test]
async fn a_line_that_is_too_long_is_passed_over() {
    let mut long = vec![b' '; usize::try_from(LONGEST_LINE).unwrap() + 5];
    long.extend_from_slice(b"{}\nnext\nlast");
    let mut input = BufReader::new(&long[..]);
    let mut line = vec![];
    assert!(next_line(&mut input, &mut line).await.unwrap());
    assert_eq!(line, b"next\n");
    assert!(next_line(&mut input, &mut line).await.unwrap());
    assert_eq!(line, b"last");
    assert!(!next_line(&mut input, &mut line).await.unwrap());
}
