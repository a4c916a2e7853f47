//! Letting somebody know that a person is at work on an answer.

use crate::prompt::Unsent;

/// Somebody who is told.
type Told<'a> = Box<dyn FnMut(&Unsent) + 'a>;

/// Who is told of it, if anybody is, and what was told last.
#[derive(Default)]
pub(crate) struct Drafting<'a> {
    told: Option<Told<'a>>,
    last: Option<Unsent>,
}

impl<'a> Drafting<'a> {
    pub(crate) fn told(told: impl FnMut(&Unsent) + 'a) -> Self {
        Self { told: Some(Box::new(told)), last: None }
    }

    /// Takes note of what there is, and tells it when it is no longer what there was.
    pub(crate) fn note(&mut self, unsent: impl FnOnce() -> Unsent) {
        let Some(told) = &mut self.told else { return };
        let before = self.last.replace(unsent());
        if let (Some(before), Some(now)) = (&before, &self.last)
            && before != now
        {
            told(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_told() {
        let mut reasons = vec![];
        let mut drafting = Drafting::told(|unsent: &Unsent| reasons.push(unsent.reason.clone()));
        for reason in [None, None, Some("n"), Some("no"), Some("no"), None] {
            drafting.note(|| Unsent { reason: reason.map(str::to_owned), ..Unsent::default() });
        }
        drop(drafting);
        assert_eq!(reasons, [Some("n".to_owned()), Some("no".to_owned()), None]);
    }
}
