//! Short ways to an ask and a resolution, for the tests of this folder.

use serde_json::Value;

use crate::{Ask, Limits, OwnWords, Resolution};

pub(super) fn ask(json: &Value) -> Ask {
    Ask::read(json.to_string().as_bytes(), &Limits::WIDE).unwrap().ask
}

pub(super) fn answered(ask: &Ask, forms: &Value) -> Resolution {
    let forms = serde_json::from_value(forms.clone()).unwrap();
    Resolution::Answered(ask.check(forms).unwrap())
}

pub(super) fn own(text: &str) -> OwnWords {
    OwnWords::try_from(text).unwrap()
}
