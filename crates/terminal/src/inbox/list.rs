//! The list: in order, with one selected that nothing but a key moves.

use super::entry::EntryId;
use super::order::Place;

/// What is in the list, and which part of it is in view.
///
/// The selected one keeps its row on the screen while others come and go: the view is anchored there,
/// not at the top. Only where too few are left above it does it move up; and while there is room for all
/// of them, all are shown.
#[derive(Debug, Default)]
pub(super) struct List {
    places: Vec<Place>,
    selected: Option<Place>,
    /// The row of the selected one, counted from the top of the view.
    row: usize,
    /// How many rows there are.
    height: usize,
}

impl List {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn selected(&self) -> Option<EntryId> {
        self.selected.map(Place::id)
    }

    /// Those in view from the top down, and how many are above and below.
    pub(super) fn view(&self) -> (impl Iterator<Item = EntryId>, usize, usize) {
        let top = self.top();
        let end = (top + self.height).min(self.places.len());
        let shown = self.places[top..end].iter().map(|place| place.id());
        (shown, top, self.places.len() - end)
    }

    /// Puts an entry where it belongs. With nothing selected, the first one is.
    pub(super) fn put(&mut self, before: Option<Place>, now: Place) {
        if let Some(before) = before {
            self.take_out(before);
        }
        if let Err(place) = self.places.binary_search(&now) {
            self.places.insert(place, now);
        }
        if self.selected.is_none() || (before.is_some() && self.selected == before) {
            self.selected = Some(now);
        }
        self.anchor();
    }

    /// Takes an entry out. Its neighbour is selected if it was the selected one.
    pub(super) fn remove(&mut self, place: Place) {
        if self.selected == Some(place) {
            let index = self.index();
            let neighbour = self.places.get(index + 1).or_else(|| self.places[..index].last());
            self.selected = neighbour.copied();
        }
        self.take_out(place);
        self.anchor();
    }

    /// Shows only these. The selected one stays if it is among them.
    pub(super) fn show_only(&mut self, mut places: Vec<Place>) {
        places.sort_unstable();
        self.places = places;
        if self.selected.is_none_or(|selected| self.places.binary_search(&selected).is_err()) {
            self.selected = self.places.first().copied();
            self.row = 0;
        }
        self.anchor();
        self.tidy();
    }

    /// Moves the selection, as far as the list goes.
    pub(super) fn go(&mut self, by: isize) {
        let Some(last) = self.places.len().checked_sub(1) else { return };
        let index = self.index();
        let to = index.saturating_add_signed(by).min(last);
        self.selected = Some(self.places[to]);
        let row = self.row.saturating_add_signed(to.cast_signed() - index.cast_signed());
        self.row = row.min(self.height.saturating_sub(1));
        self.anchor();
        self.tidy();
    }

    /// The nearest entry after the selected one that is `wanted`, else the nearest before it.
    pub(super) fn nearest(&self, wanted: impl Fn(EntryId) -> bool) -> Option<isize> {
        let index = self.index();
        let is = |place: &Place| wanted(place.id());
        let after = self.places.iter().skip(index + 1).position(is).map(|n| n.cast_signed() + 1);
        let before = || self.places[..index.min(self.len())].iter().rev().position(is);
        after.or_else(|| before().map(|n| -n.cast_signed() - 1))
    }

    /// Takes note of how many rows there are.
    pub(super) fn resize(&mut self, height: usize) {
        if height != self.height {
            self.height = height;
            self.row = self.row.min(height.saturating_sub(1));
            self.anchor();
            self.tidy();
        }
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    fn take_out(&mut self, place: Place) {
        if let Ok(index) = self.places.binary_search(&place) {
            self.places.remove(index);
        }
    }

    fn index(&self) -> usize {
        let found = self.selected.map(|selected| self.places.binary_search(&selected));
        found.map_or(0, |found| found.unwrap_or_else(|place| place))
    }

    fn top(&self) -> usize {
        self.index().saturating_sub(self.row)
    }

    /// Nothing stands above the first one, and nothing is out of view while there is room for all.
    fn anchor(&mut self) {
        let index = self.index();
        let all_fit = self.places.len() <= self.height;
        self.row = if all_fit { index } else { self.row.min(index) };
    }

    /// No row stays empty at the end while there is something above. Only keys and sizes do this.
    fn tidy(&mut self) {
        let most = self.places.len().saturating_sub(self.height);
        let top = self.top().min(most);
        self.row = self.index() - top;
    }
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
