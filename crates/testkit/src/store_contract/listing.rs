use std::cmp::Reverse;

use handraise_broker::{
    AskId, AskStore, Asker, Doubt, DoubtKind, Event, Level, Order, Query, Receipt, Record,
    Resolved, State,
};

use super::ledger::{Ledger, moment, opened};
use crate::asker;

const ORDERS: [Order; 2] = [Order::OldestFirst, Order::LastEndedFirst];

/// Asks of two agents and two sessions, in every state and with every end.
fn variety() -> Ledger {
    let mut ledger = Ledger::default();
    for agent in ["one", "two"] {
        for session in [None, Some("s-1"), Some("s-2")] {
            let mut open = || {
                let session = session.map(str::to_owned);
                ledger.open(opened(Asker { session, ..asker(agent) }, None))
            };
            let [_open, resolved, delivered, overruled, undelivered, withdrawn] =
                [(); 6].map(|()| open());
            // Not in the order in which they were asked.
            ledger.end(withdrawn, "withdrawn");
            ledger.end(resolved, "answered");
            ledger.end(delivered, "declined");
            ledger.deliver(delivered, Level::Handed);
            ledger.end(overruled, "discuss");
            let doubt = Doubt { kind: DoubtKind::Empty, why: "Nobody chose.".into() };
            let other = Receipt::seen(None).doubted(doubt);
            ledger.happen(overruled, Event::Overruled(other));
            ledger.end(undelivered, "no_answer");
            ledger.give_up(undelivered);
        }
    }
    ledger
}

/// What a query means, said in another way than any store would.
fn matching(records: &[Record], query: &Query) -> Vec<Record> {
    let mut found = records.to_vec();
    match query.order {
        Order::OldestFirst => {}
        Order::LastEndedFirst => {
            found.retain(|record| record.resolved().is_some());
            found.sort_by_key(|record| Reverse(record.resolved().map(|resolved| resolved.at)));
        }
    }
    let beyond = query.after.map_or(0, |after| match query.order {
        Order::OldestFirst => found.iter().take_while(|record| record.id <= after).count(),
        Order::LastEndedFirst => found
            .iter()
            .position(|record| record.id == after)
            .map_or(found.len(), |place| place + 1),
    });
    found.drain(..beyond);
    let wanted = |record: &Record| {
        let wish = |wish: &Option<String>, found: Option<&str>| match wish {
            Some(wish) => Some(wish.as_str()) == found,
            None => true,
        };
        (query.states.is_empty() || query.states.contains(&record.state()))
            && wish(&query.agent, Some(&record.asker().agent))
            && wish(&query.session, record.asker().session.as_deref())
            && (!query.doubted || record.doubt().is_some())
            && wish(&query.kind, record.resolved().map(Resolved::kind))
    };
    found.retain(wanted);
    found.truncate(query.limit as usize);
    found
}

fn wishes(some: &[&str]) -> Vec<Option<String>> {
    let wishes = some.iter().map(|wish| Some((*wish).to_owned()));
    std::iter::once(None).chain(wishes).collect()
}

/// Ids are handed out in their order, also after a restart.
pub async fn the_newest_ask_is_known(store: &impl AskStore) {
    assert_eq!(store.newest().await, Ok(None));
    let mut ledger = variety();
    ledger.commit(store).await;
    assert_eq!(store.newest().await, Ok(ledger.records().last().map(|record| record.id)));
}

/// Every combination of filters, in both orders, from the beginning and from the middle.
pub async fn every_filter_finds_what_matches(store: &impl AskStore) {
    let mut ledger = variety();
    ledger.commit(store).await;
    let records = ledger.records();
    let mut states: Vec<_> = State::ALL.iter().map(|state| vec![*state]).collect();
    states.push(vec![]);
    states.push(vec![State::Undelivered, State::Open]);
    states.push(State::ALL.to_vec());
    let ends =
        wishes(&["answered", "declined", "discuss", "no_answer", "withdrawn", "no such end"]);
    let middle = records[records.len() / 2].id;
    let mut found_some = 0;
    for states in &states {
        for agent in wishes(&["one", "no such agent"]) {
            for session in wishes(&["s-2", ""]) {
                for kind in &ends {
                    for (order, after, doubted) in ORDERS.into_iter().flat_map(|order| {
                        let places = [(order, None), (order, Some(middle))];
                        places.into_iter().flat_map(|(order, after)| {
                            [(order, after, false), (order, after, true)]
                        })
                    }) {
                        let query = Query {
                            states: states.clone(),
                            agent: agent.clone(),
                            session: session.clone(),
                            kind: kind.clone(),
                            doubted,
                            order,
                            after,
                            limit: 100,
                            ..Query::default()
                        };
                        let expected = matching(&records, &query);
                        found_some += usize::from(!expected.is_empty());
                        assert_eq!(store.list(&query).await.unwrap(), expected, "{query:?}");
                    }
                }
            }
        }
    }
    assert!(found_some > 100, "only {found_some} of the queries found anything");
}

/// In both orders, with page sizes that divide the whole and that do not.
pub async fn pages_follow_one_another_without_gap_or_repetition(store: &impl AskStore) {
    let mut ledger = variety();
    ledger.commit(store).await;
    let ids = |records: &[Record]| records.iter().map(|record| record.id).collect::<Vec<AskId>>();
    for states in [vec![], vec![State::Resolved], vec![State::Open, State::Resolved]] {
        for order in ORDERS {
            let whole = Query { states: states.clone(), order, limit: 100, ..Query::default() };
            let expected = ids(&matching(&ledger.records(), &whole));
            for limit in [1, 3, 4, 12, 36, 100] {
                let mut query = Query { limit, ..whole.clone() };
                let mut pages = vec![];
                for _ in 0..=expected.len() {
                    let page = store.list(&query).await.unwrap();
                    assert!(page.len() <= limit as usize);
                    query.after = page.last().map(|last| last.id).or(query.after);
                    pages.extend(ids(&page));
                }
                assert_eq!(pages, expected, "{query:?}");
            }
        }
    }
    let nobody = AskId::new(moment(4), [255; 10]);
    let query = Query { after: Some(nobody), limit: 100, ..Query::default() };
    let expected = matching(&ledger.records(), &query);
    assert_eq!(store.list(&query).await, Ok(expected), "after an ask that is not there");
}
