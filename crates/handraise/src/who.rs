//! Who gave an answer, in Markdown.

use handraise_question::{Responder, Surface};

use crate::markdown::inline;

/// Who decided, and where.
pub(crate) fn by(responder: &Responder) -> String {
    let place = match &responder.surface {
        Surface::Terminal => "at the terminal".to_owned(),
        Surface::Web => "in the browser".to_owned(),
        Surface::Dialog => "in its own dialog".to_owned(),
        Surface::Api => "by the API".to_owned(),
        Surface::Dialect(name) => format!("in {}", inline(name)),
        Surface::Rule => "by a rule".to_owned(),
    };
    format!("{}, {place}", person(responder))
}

/// Who it was, as far as that is known.
pub(crate) fn person(responder: &Responder) -> String {
    match (&responder.person, &responder.surface) {
        // Only the agent says that its dialog was answered.
        (_, Surface::Dialog) => "the agent's word".to_owned(),
        (Some(person), Surface::Rule) => format!("the rule {}", inline(person)),
        (Some(person), _) => inline(person),
        (None, _) => "whoever was there".to_owned(),
    }
}
