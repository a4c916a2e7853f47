//! Which tool call an ask stands for.

use handraise_broker::{AskId, Record};

/// The agent's own name for the call, where the ask's key says it; else the ask's.
///
/// Those who ask for Claude Code have `session/call` as key. Whatever has more parts may stand for the
/// same call as another ask, and goes by the ask's own name. No key gives an ask another's own name.
pub(super) fn call_id(ask: &Record) -> String {
    let opened = &ask.opened;
    let call = match (&opened.key, &opened.asker.session) {
        (Some(key), Some(session)) => {
            key.strip_prefix(session.as_str()).and_then(|rest| rest.strip_prefix('/'))
        }
        _ => None,
    };
    let is_name = |call: &&str| !call.is_empty() && !call.contains('/');
    let call = call.filter(is_name).filter(|call| call.parse::<AskId>().is_err());
    call.map_or_else(|| ask.id.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use handraise_broker::{AskId, Asker, Matter, Opened, Policy};
    use jiff::Timestamp;
    use serde_json::value::RawValue;

    use super::*;

    fn record(session: Option<&str>, key: Option<&str>) -> Record {
        let questions = RawValue::from_string(r#"[{"question": "Which?"}]"#.into()).unwrap();
        let opened = Opened {
            asker: Asker { session: session.map(str::to_owned), ..Asker::default() },
            key: key.map(str::to_owned),
            owner: None,
            matter: Matter::questions(questions).unwrap(),
            policy: Policy::default(),
            rival_dialog: false,
            deadline_at: None,
        };
        let at = Timestamp::UNIX_EPOCH;
        Record::open(AskId::new(at, [7; 10]), Arc::new(opened), 1, at)
    }

    #[test]
    fn a_call_is_known_by_the_key_of_its_session() {
        assert_eq!(call_id(&record(Some("s"), Some("s/toolu_1"))), "toolu_1");
        assert_eq!(call_id(&record(Some("a/b"), Some("a/b/toolu_1"))), "toolu_1");
    }

    #[test]
    fn an_ask_without_a_call_goes_by_its_own_id() {
        for (session, key) in [
            (None, None),
            (Some("s"), None),
            (None, Some("s/toolu_1")),
            (Some("s"), Some("other/toolu_1")),
            (Some("s"), Some("s")),
            (Some("s"), Some("s/")),
            (Some("s"), Some("s2/toolu_1")),
            (Some("s"), Some("s/toolu_1/again/1")),
            (Some("s"), Some("s/01890a5d-ac96-774b-bcce-b302099a8057")),
        ] {
            let record = record(session, key);
            assert_eq!(call_id(&record), record.id.to_string(), "{session:?} {key:?}");
        }
    }
}
