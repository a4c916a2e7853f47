use super::*;
use crate::log_fixture::{at, every_event, log, one, sealed, stored, two};
use crate::{Pruned, chain::Sealed};
use jiff::Timestamp;

/// What an audit of a whole log finds.
fn audit(log: &[StoredEntry], kept: Option<Head>) -> Result<Sound, Broken> {
    let mut audit = Audit::new(kept);
    log.iter().try_for_each(|entry| audit.next(entry))?;
    audit.finish()
}

fn head(log: &[StoredEntry], seq: usize) -> Head {
    Head { seq: log[seq - 1].seq, hash: log[seq - 1].hash }
}

/// The same log with something done to one event.
fn with(
    log: &[StoredEntry],
    place: usize,
    tamper: impl FnOnce(&mut StoredEntry),
) -> Vec<StoredEntry> {
    let mut log = log.to_vec();
    tamper(&mut log[place]);
    log
}

/// Writes everything from `place` on anew, so that the chain holds again.
fn reseal(log: &mut [StoredEntry], place: usize) {
    let mut before = if place == 0 { Head::EMPTY.hash } else { log[place - 1].hash };
    for entry in &mut log[place..] {
        if let Some(body) = &entry.body {
            entry.digest = Sha256::digest(body.as_bytes()).into();
        }
        entry.hash = entry.link(&before);
        before = entry.hash;
    }
}

/// Every way to change one byte of `bytes`, of which one bit is enough.
fn each_byte<const N: usize>(bytes: [u8; N]) -> impl Iterator<Item = [u8; N]> {
    (0..N).map(move |i| {
        let mut changed = bytes;
        changed[i] ^= 1;
        changed
    })
}

fn each_byte_of_text(text: &str) -> impl Iterator<Item = String> {
    assert!(text.is_ascii(), "so that a changed byte is still text");
    (0..text.len()).map(move |i| {
        let mut changed = text.as_bytes().to_vec();
        changed[i] ^= 1;
        String::from_utf8(changed).unwrap()
    })
}

#[test]
fn a_log_is_sound_as_it_was_written() {
    let log = log();
    let whole = Sound { head: head(&log, 11), pruned: 0 };
    assert_eq!(audit(&log, None), Ok(whole));
    for seq in 1..=11 {
        assert_eq!(audit(&log, Some(head(&log, seq))), Ok(whole));
    }
    assert_eq!(audit(&[], None), Ok(Sound { head: Head::EMPTY, pruned: 0 }));
    assert_eq!(audit(&log, Some(Head::EMPTY)), Ok(whole));
}

#[test]
fn a_changed_place_is_found() {
    let log = log();
    for (i, entry) in log.iter().enumerate() {
        for bytes in each_byte(entry.seq.to_be_bytes()) {
            let found = u64::from_be_bytes(bytes);
            let tampered = with(&log, i, |entry| entry.seq = found);
            assert_eq!(audit(&tampered, None), Err(Broken::Missing { expected: entry.seq, found }));
        }
    }
}

#[test]
fn a_changed_time_is_found() {
    let log = log();
    for (i, entry) in log.iter().enumerate() {
        let times = each_byte(entry.at.as_microsecond().to_be_bytes()).map(i64::from_be_bytes);
        // What is no time at all does not get past the store.
        let times: Vec<_> =
            times.filter_map(|time| Timestamp::from_microsecond(time).ok()).collect();
        assert!(times.len() >= 7, "{}", times.len());
        for at in times {
            let tampered = with(&log, i, |entry| entry.at = at);
            assert_eq!(audit(&tampered, None), Err(Broken::Chain(entry.seq)));
        }
    }
}

#[test]
fn a_changed_name_is_found() {
    let log = log();
    for (i, entry) in log.iter().enumerate() {
        for name in each_byte_of_text(&entry.name) {
            let tampered = with(&log, i, |entry| entry.name = name);
            assert_eq!(audit(&tampered, None), Err(Broken::Chain(entry.seq)));
        }
    }
}

#[test]
fn an_event_that_is_put_to_another_ask_is_found() {
    let log = log();
    for (i, entry) in log.iter().enumerate() {
        let others: Vec<_> = match entry.ask {
            Some(ask) => each_byte(*ask.as_bytes())
                .map(|bytes| Some(AskId::from_bytes(bytes)))
                .chain([None])
                .collect(),
            None => vec![Some(one())],
        };
        for ask in others {
            let tampered = with(&log, i, |entry| entry.ask = ask);
            assert_eq!(audit(&tampered, None), Err(Broken::Chain(entry.seq)));
        }
    }
}

#[test]
fn changed_contents_are_found() {
    let log = log();
    for (i, entry) in log.iter().enumerate() {
        for body in each_byte_of_text(entry.body.as_deref().unwrap()) {
            let tampered = with(&log, i, |entry| entry.body = Some(body));
            assert_eq!(audit(&tampered, None), Err(Broken::Contents(entry.seq)));
        }
    }
}

#[test]
fn a_changed_digest_is_found_with_its_contents_and_without() {
    let pruned = pruned_log();
    for (i, entry) in pruned.iter().enumerate() {
        let found = match entry.body {
            Some(_) => Broken::Contents(entry.seq),
            None => Broken::Chain(entry.seq),
        };
        for digest in each_byte(entry.digest) {
            let tampered = with(&pruned, i, |entry| entry.digest = digest);
            assert_eq!(audit(&tampered, None), Err(found.clone()));
        }
    }
}

#[test]
fn a_changed_hash_is_found() {
    let log = log();
    for (i, entry) in log.iter().enumerate() {
        for hash in each_byte(entry.hash) {
            let tampered = with(&log, i, |entry| entry.hash = hash);
            assert_eq!(audit(&tampered, None), Err(Broken::Chain(entry.seq)));
        }
    }
}

#[test]
fn contents_changed_together_with_their_digest_do_not_fit_the_chain() {
    let changed = with(&log(), 4, |entry| {
        let body = entry.body.take().unwrap().replace("JWT", "Sessions");
        entry.digest = Sha256::digest(body.as_bytes()).into();
        entry.body = Some(body);
    });
    assert_eq!(audit(&changed, None), Err(Broken::Chain(5)));
}

#[test]
fn an_event_changed_with_its_own_hash_breaks_the_next_one() {
    let mut changed = log();
    changed[4].body = changed[4].body.take().map(|body| body.replace("JWT", "Sessions"));
    reseal(&mut changed[..5], 4);
    assert_eq!(audit(&changed, None), Err(Broken::Chain(6)));
}

#[test]
fn a_deleted_event_is_missed() {
    let log = log();
    for i in 0..log.len() - 1 {
        let mut cut = log.clone();
        cut.remove(i);
        let expected = log[i].seq;
        assert_eq!(
            audit(&cut, None),
            Err(Broken::Missing { expected, found: expected + 1 }),
            "without it"
        );
        cut[i..].iter_mut().for_each(|entry| entry.seq -= 1);
        assert_eq!(audit(&cut, None), Err(Broken::Chain(expected)), "and the gap closed");
    }
}

#[test]
fn an_added_event_is_found() {
    let log = log();
    for i in 0..log.len() {
        let mut longer = log.clone();
        longer.insert(i, log[i].clone());
        let seq = log[i].seq;
        let twice = Broken::Missing { expected: seq + 1, found: seq };
        assert_eq!(audit(&longer, None), Err(twice));
        longer[i + 1..].iter_mut().for_each(|entry| entry.seq += 1);
        assert_eq!(audit(&longer, None), Err(Broken::Chain(seq + 1)));
    }
}

#[test]
fn swapped_events_are_found() {
    let log = log();
    for i in 0..log.len() {
        for j in i + 1..log.len() {
            let mut swapped = log.clone();
            swapped.swap(i, j);
            let (expected, found) = (log[i].seq, log[j].seq);
            assert_eq!(audit(&swapped, None), Err(Broken::Missing { expected, found }));
            (swapped[i].seq, swapped[j].seq) = (log[i].seq, log[j].seq);
            assert_eq!(
                audit(&swapped, None),
                Err(Broken::Chain(expected)),
                "under each other's place"
            );
        }
    }
}

#[test]
fn a_rewritten_log_is_told_by_a_head_that_was_kept() {
    let log = log();
    let mut rewritten = log.clone();
    rewritten[4].body = rewritten[4].body.take().map(|body| body.replace("JWT", "Sessions"));
    reseal(&mut rewritten, 4);
    assert_eq!(audit(&rewritten, None).map(|sound| sound.head), Ok(head(&rewritten, 11)));
    for seq in 1..=4 {
        assert!(audit(&rewritten, Some(head(&log, seq))).is_ok(), "from before the change");
    }
    for seq in 5..=11 {
        let found = Broken::Rewritten(log[seq - 1].seq);
        assert_eq!(audit(&rewritten, Some(head(&log, seq))), Err(found));
    }
}

#[test]
fn a_log_without_its_end_is_told_by_a_head_that_was_kept() {
    let log = log();
    for end in 0..11 {
        let cut = &log[..end];
        assert!(audit(cut, None).is_ok(), "the rest is sound");
        let found = Broken::CutOff { end: end as u64, kept: 11 };
        assert_eq!(audit(cut, Some(head(&log, 11))), Err(found));
    }
}

/// The log after retention dropped the first ask.
fn pruned_log() -> Vec<StoredEntry> {
    let mut events = every_event();
    events.pop();
    events.push((
        None,
        Event::Pruned(Pruned {
            before: at(99),
            asks: vec![one()],
            sessions: vec![],
            events: vec![],
        }),
    ));
    let mut log: Vec<_> = sealed(events).iter().map(stored).collect();
    log.iter_mut().filter(|entry| entry.ask == Some(one())).for_each(|entry| entry.body = None);
    log
}

#[test]
fn what_retention_dropped_is_sound() {
    let log = pruned_log();
    assert_eq!(audit(&log, None), Ok(Sound { head: head(&log, 11), pruned: 1 }));
}

#[test]
fn contents_that_no_retention_dropped_are_lost() {
    let mut log = pruned_log();
    for entry in &mut log {
        if entry.ask == Some(two()) {
            entry.body = None;
        }
    }
    assert_eq!(audit(&log, None), Err(Broken::Lost(3)), "the first event of the second ask");
    let only_the_answer = with(&pruned_log(), 8, |entry| entry.body = None);
    assert_eq!(audit(&only_the_answer, None), Err(Broken::Lost(9)));
}

#[test]
fn an_event_that_is_about_no_ask_cannot_lose_its_contents() {
    // The last one tells what was dropped: without it, all of that is lost, the second event first.
    for (place, first_lost) in [(0, 1), (7, 8), (10, 2)] {
        let lost = with(&pruned_log(), place, |entry| entry.body = None);
        assert_eq!(audit(&lost, None), Err(Broken::Lost(first_lost)));
    }
}

#[test]
fn dropped_contents_still_hold_their_place_in_the_chain() {
    let log = pruned_log();
    for i in (0..log.len()).filter(|&i| log[i].body.is_none()) {
        let later = log[i].at + jiff::SignedDuration::from_secs(1);
        let tampered = with(&log, i, |entry| entry.at = later);
        assert_eq!(audit(&tampered, None), Err(Broken::Chain(log[i].seq)));
    }
}

#[test]
fn sealing_names_the_end_of_the_log() {
    let sealed = sealed(every_event());
    assert_eq!(sealed.last().map(Sealed::head), Some(head(&log(), 11)));
}
