use std::sync::Arc;

use handraise_broker::{
    AccessRefused, AskStore, Device, DeviceChange, DeviceChanged, DeviceId, Event, Extended, Level,
    Matter, Opened, Power, Pruned, Receipt, Resolved, StoredEntry, Submit,
};
use handraise_question::{Responder, Surface};
use jiff::Timestamp;
use serde_json::json;

use super::ledger::{Ledger, moment, opened};
use crate::{approval, asker, questions};

/// Agents match answers by the exact text, so nothing may be tidied up.
pub async fn questions_are_kept_byte_for_byte(store: &impl AskStore) {
    let matters = [
        questions("[ {\"question\" :\t\"Which?\",\r\n  \"options\":[ ] } ]"),
        questions(r#"[{"question":"\u0057hich \ud83d\udc69 \/ \u0000 é é?","header":"שלום"}]"#),
        questions("[{\"question\":\"Which 👩‍👧, \u{202e}e\u{301}?\u{ffff}\"}]"),
        questions(
            r#"[{"question":"n?","big":123456789012345678901234567890,"e":1E400,"z":-0.0,
               "once":1, "long":0.1000000000000000000000000000000001}]"#,
        ),
        approval(r#"{ "tool" : "Bash", "input" : { "n": 1e-999, "":[ ] },  "plan":null }"#),
    ];
    let mut ledger = Ledger::default();
    let asked: Vec<_> =
        matters.into_iter().map(|matter| (ledger.open_about(matter.clone()), matter)).collect();
    ledger.commit(store).await;
    for (id, matter) in asked {
        let text = |matter: &Matter| matter.as_sent().get().to_owned();
        let found = store.load(&[id]).await.unwrap().pop().unwrap();
        assert_eq!(text(found.matter()), text(&matter));
        assert_eq!(found, ledger.record(id));
    }
    assert_eq!(store.log(0, 10).await, Ok(ledger.stored()));
}

/// Also those before 1970, and the last there is.
pub async fn times_are_kept_to_the_microsecond(store: &impl AskStore) {
    let times = [
        "2026-08-21T10:11:12.345678Z",
        "2026-08-21T10:11:12.000001Z",
        "1970-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999Z",
        "9999-12-30T21:59:59.999999Z",
    ];
    let mut ledger = Ledger::default();
    for at in times.map(|time| time.parse::<Timestamp>().unwrap()) {
        let id = ledger.open(Opened { deadline_at: Some(at), ..opened(asker("test"), None) });
        let resolution = json!({"kind": "declined", "reason": null});
        let resolved = Resolved { resolution, responder: None, at, submit: None };
        ledger.happen(id, Event::Resolved(Arc::new(resolved)));
        ledger.commit(store).await;
        let found = store.load(&[id]).await.unwrap().pop().unwrap();
        assert_eq!(found.deadline_at, Some(at));
        assert_eq!(found, ledger.record(id));
    }
    assert_eq!(store.log(0, 100).await, Ok(ledger.stored()));
}

/// With all of their fields.
pub async fn every_kind_of_event_is_kept(store: &impl AskStore) {
    let ann = Responder {
        person: Some("ann".into()),
        device: Some("laptop".into()),
        surface: Surface::Dialect("gobby".into()),
        proof: Some("token".into()),
    };
    let device = Device {
        id: DeviceId::new(moment(1), [9; 10]),
        name: "laptop".into(),
        power: Power::Agent,
        person: None,
        added_at: moment(1),
    };
    let mut ledger = Ledger::default();
    let id = ledger.open_any();
    let submit = Some(Submit { key: "k".into(), content: "00".into() });
    let extended = Extended { deadline_at: moment(5), responder: ann.clone(), submit };
    ledger.happen(id, Event::Extended(extended));
    ledger.happen(
        id,
        Event::Resolved(Arc::new(Resolved {
            resolution: json!({"kind": "declined", "reason": "\"no\", \u{0}\n"}),
            responder: Some(ann),
            at: moment(9),
            submit: Some(Submit { key: "k".into(), content: "c0ffee".into() }),
        })),
    );
    ledger.deliver(id, Level::Handed);
    ledger.give_up(id);
    ledger.happen(id, Event::Overruled(Receipt::seen(None)));
    let revoked = DeviceChanged { change: DeviceChange::Revoked, device };
    ledger.note(Event::DeviceChanged(revoked));
    ledger.note(Event::AccessRefused(AccessRefused {
        code: "revoked".into(),
        tried: "GET /".into(),
        peer: Some("::1".into()),
        device: Some("laptop".into()),
        times: 1000,
    }));
    ledger.note(Event::Pruned(Pruned {
        before: moment(0),
        asks: vec![],
        sessions: vec![],
        events: vec![],
    }));
    let written: Vec<_> = ledger.batch.events.iter().map(|sealed| sealed.entry.clone()).collect();
    ledger.commit(store).await;
    let log = store.log(0, 100).await.unwrap();
    let read: Result<Vec<_>, _> = log.iter().map(StoredEntry::read).collect();
    assert_eq!(read, Ok(written.into_iter().map(Some).collect()));
    assert_eq!(store.load(&[id]).await, Ok(vec![ledger.record(id)]));
}
