use std::collections::HashMap;

use proptest::prelude::*;

use super::super::entry::Entry;
use super::super::fixtures::entry;
use super::super::order::place;
use super::*;

const ROWS: usize = 5;

fn list_of(ids: impl Iterator<Item = u8>) -> List {
    let mut list = List::default();
    list.resize(ROWS);
    for id in ids {
        list.put(None, place(&entry(id, i64::from(id))));
    }
    list
}

fn shown(list: &List) -> Vec<u8> {
    list.view().0.map(|id| id.0[0]).collect()
}

fn row(list: &List) -> Option<usize> {
    let selected = list.selected()?;
    list.view().0.position(|id| id == selected)
}

#[test]
fn what_comes_above_scrolls_the_list_and_not_the_selected_one() {
    let mut list = list_of(10..20);
    assert_eq!(shown(&list), [10, 11, 12, 13, 14]);
    list.put(None, place(&entry(1, 1)));
    assert_eq!(shown(&list), [10, 11, 12, 13, 14]);
    assert_eq!(list.view().1, 1, "it is above");
    list.go(2);
    assert_eq!((shown(&list), row(&list)), (vec![10, 11, 12, 13, 14], Some(2)));
    list.remove(place(&entry(11, 11)));
    assert_eq!((shown(&list), row(&list)), (vec![1, 10, 12, 13, 14], Some(2)));
}

#[test]
fn all_are_shown_while_there_is_room() {
    let mut list = list_of(10..12);
    list.put(None, place(&entry(1, 1)));
    list.put(None, place(&entry(2, 2)));
    assert_eq!((shown(&list), row(&list)), (vec![1, 2, 10, 11], Some(2)));
}

#[test]
fn a_key_leaves_no_row_empty() {
    let mut list = list_of(0..8);
    list.go(7);
    assert_eq!(shown(&list), [3, 4, 5, 6, 7]);
    list.remove(place(&entry(6, 6)));
    list.remove(place(&entry(5, 5)));
    assert_eq!((shown(&list), row(&list)), (vec![1, 2, 3, 4, 7], Some(4)));
    list.go(-4);
    assert_eq!((shown(&list), row(&list)), (vec![1, 2, 3, 4, 7], Some(0)));
    list.go(-4);
    assert_eq!(row(&list), Some(0));
}

#[test]
fn the_nearest_below_comes_before_the_nearest_above() {
    let mut list = list_of(0..8);
    list.go(3);
    assert_eq!(list.nearest(|id| id.0[0] % 2 == 0), Some(1));
    assert_eq!(list.nearest(|id| id.0[0] < 3), Some(-1));
    assert_eq!(list.nearest(|id| id.0[0] > 90), None);
}

#[derive(Debug, Clone)]
enum Step {
    Opens(u8, i64),
    Ends(u8),
    Waits(u8, i64),
    Key(isize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (any::<u8>(), 0_i64..100).prop_map(|(id, at)| Step::Opens(id, at)),
        3 => any::<u8>().prop_map(Step::Ends),
        1 => (any::<u8>(), 0_i64..100).prop_map(|(id, at)| Step::Waits(id, at)),
        2 => (-12_isize..12).prop_map(Step::Key),
    ];
    proptest::collection::vec(step, 1..200)
}

proptest! {
    /// Whatever comes and goes, the selected one is another only after a key, and is on another row
    /// only when too few are left above it, or there is room for all.
    #[test]
    fn focus_never_jumps(steps in steps()) {
        let mut list = list_of(std::iter::empty());
        let mut entries: HashMap<u8, Entry> = HashMap::new();
        for step in steps {
            let before = (list.selected(), row(&list));
            let by_key = matches!(step, Step::Key(_));
            match step {
                Step::Opens(id, at) => {
                    let old = entries.insert(id, entry(id, at));
                    list.put(old.as_ref().map(place), place(&entries[&id]));
                }
                Step::Waits(id, until) => {
                    if let Some(entry) = entries.get_mut(&id) {
                        let old = place(entry);
                        entry.deadline = Some(until);
                        list.put(Some(old), place(entry));
                    }
                }
                // The selected one stays, ended as it is, until a key leaves it.
                Step::Ends(id) => {
                    if list.selected() != Some(entry(id, 0).id) && let Some(ended) = entries.remove(&id) {
                        list.remove(place(&ended));
                    }
                }
                Step::Key(by) => list.go(by),
            }
            prop_assert_eq!(list.len(), entries.len());
            prop_assert_eq!(list.selected().is_some(), !entries.is_empty());
            if list.selected().is_some() {
                prop_assert!(row(&list).is_some(), "the selected one is in view");
            }
            if !by_key && before.0.is_some() {
                prop_assert_eq!(list.selected(), before.0);
                let above = list.index();
                let all_fit = list.len() <= ROWS;
                let stays = before.1.map(|row| if all_fit { above } else { row.min(above) });
                prop_assert_eq!(row(&list), stays);
            }
        }
    }
}
