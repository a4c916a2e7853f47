//! What every store has to keep, one clause each.
//!
//! A store passes when all tests made by [`store_contract!`](macro@crate::store_contract) pass, unchanged.
//! Each clause gets a store of its own, with nothing in it.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::unwrap_used, reason = "a panic here is a failed test, with its reason")]

mod commits;
mod devices;
mod drafts;
mod finding;
mod ledger;
mod listing;
mod log;
mod preserving;
mod retention;
mod times;

pub use commits::*;
pub use devices::*;
pub use drafts::*;
pub use finding::*;
pub use listing::*;
pub use log::*;
pub use preserving::*;
pub use retention::*;
pub use times::*;

/// Makes one test of each clause.
///
/// Takes an `async fn() -> (S, G)` that opens a new store, and gives with it whatever has to live as
/// long as the store does.
#[macro_export]
macro_rules! store_contract {
    ($open:path) => {
        $crate::store_contract! { $open:
            an_empty_store_holds_nothing
            what_was_committed_is_there
            a_batch_of_many_megabytes_is_kept_whole
            a_batch_without_events_is_kept
            nothing_of_a_batch_is_kept_when_a_part_of_it_cannot_be
            a_batch_that_does_not_begin_where_the_log_ends_conflicts
            of_two_writers_one_is_first_and_the_other_hears_of_it
            asks_are_loaded_as_they_stand
            a_key_finds_its_ask
            a_key_finds_the_ask_of_its_owner
            any_text_is_a_key
            unfinished_is_what_waits_for_a_person_or_a_receipt
            the_newest_ask_is_known
            every_filter_finds_what_matches
            pages_follow_one_another_without_gap_or_repetition
            the_log_is_read_page_by_page
            the_log_of_some_asks_is_read_up_to_a_place
            questions_are_kept_byte_for_byte
            the_time_each_ask_took_is_found
            times_are_kept_to_the_microsecond
            every_kind_of_event_is_kept
            a_draft_belongs_to_one_ask_and_one_person
            a_draft_is_replaced_and_thrown_away
            the_last_to_type_is_remembered_while_it_matters
            devices_count_until_they_are_revoked
            what_ended_before_is_found_to_be_dropped
            what_is_dropped_leaves_its_place_in_the_log
            nothing_else_is_dropped_and_a_dropped_key_is_free
        }
    };
    ($open:path: $($clause:ident)*) => {
        $(
            #[tokio::test]
            async fn $clause() {
                let (store, _guard) = $open().await;
                $crate::store_contract::$clause(&store).await;
            }
        )*
    };
}

#[cfg(test)]
mod tests {
    /// A clause the macro does not name would never run.
    #[test]
    fn no_clause_is_forgotten() {
        let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store_contract");
        let named = std::fs::read_to_string(here.join("mod.rs")).unwrap();
        for entry in std::fs::read_dir(here).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for clause in text.lines().filter_map(|line| line.strip_prefix("pub async fn ")) {
                let clause = clause.split('(').next().unwrap();
                assert!(named.lines().any(|line| line.trim() == clause), "{clause}");
            }
        }
    }
}
