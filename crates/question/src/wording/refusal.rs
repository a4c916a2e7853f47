//! What the agent reads when there is no answer: never a choice, and never to be taken for one.

use crate::{Answers, Decision, OwnWords, Resolution};

/// The answers, or else the words for a resolution without a choice.
///
/// # Errors
///
/// Those words: every form an agent takes says them in its own way.
pub fn answers_or_words(resolution: &Resolution) -> Result<&Answers, String> {
    Err(match resolution {
        Resolution::Answered(answers) => return Ok(answers),
        Resolution::Declined { reason } => format!(
            "The person declined to answer{}. No option was chosen; do not assume one.",
            after_colon(reason.as_ref())
        ),
        Resolution::Discuss { words } => format!(
            "The person wants to talk first{}. No option was chosen. Answer them, then ask again \
             if you still need it.",
            after_colon(Some(words))
        ),
        Resolution::NoAnswer { after_seconds } => format!(
            "Nobody answered within {after_seconds} s. This is neither a choice nor consent. Do \
             not choose for the person."
        ),
        Resolution::Withdrawn { reason } => format!(
            "The question was withdrawn before anybody answered{}. No option was chosen; do not \
             assume one.",
            after_colon(reason.as_ref())
        ),
    })
}

/// The decision, if it allows, or else the words for an approval that was not given.
///
/// # Errors
///
/// Those words.
pub fn allowed_or_words(resolution: &Resolution<Decision>) -> Result<&Decision, String> {
    Err(match resolution {
        Resolution::Answered(decision @ Decision::Allow { .. }) => return Ok(decision),
        Resolution::Answered(Decision::Deny { message }) => {
            format!("The person did not allow this{}.", after_colon(message.as_ref()))
        }
        Resolution::Declined { reason } => format!(
            "The person declined to decide{}. It is not allowed; do not do it in another way.",
            after_colon(reason.as_ref())
        ),
        Resolution::Discuss { words } => format!(
            "The person wants to talk first{}. It is not allowed yet. Answer them, then ask again if \
             you still need it.",
            after_colon(Some(words))
        ),
        Resolution::NoAnswer { after_seconds } => {
            format!("Nobody answered within {after_seconds} s. This is not consent. Do not do it.")
        }
        Resolution::Withdrawn { reason } => format!(
            "It was withdrawn before anybody decided{}. It is not allowed.",
            after_colon(reason.as_ref())
        ),
    })
}

/// `: text`, without a full stop at its end: the sentence brings its own.
fn after_colon(text: Option<&OwnWords>) -> String {
    text.map_or_else(String::new, |text| {
        let text = text.as_str().trim();
        format!(": {}", text.strip_suffix('.').unwrap_or(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> OwnWords {
        OwnWords::try_from(text).unwrap()
    }

    #[test]
    fn each_way_of_not_answering_has_its_own_words() {
        let said = |resolution| answers_or_words(&resolution).unwrap_err();
        assert_eq!(
            said(Resolution::Declined { reason: Some(own("too early")) }),
            "The person declined to answer: too early. No option was chosen; do not assume one."
        );
        assert_eq!(
            said(Resolution::Declined { reason: None }),
            "The person declined to answer. No option was chosen; do not assume one."
        );
        assert_eq!(
            said(Resolution::Discuss { words: own("what does it cost?") }),
            "The person wants to talk first: what does it cost?. No option was chosen. Answer \
             them, then ask again if you still need it."
        );
        assert_eq!(
            said(Resolution::NoAnswer { after_seconds: 90 }),
            "Nobody answered within 90 s. This is neither a choice nor consent. Do not choose \
             for the person."
        );
    }

    #[test]
    fn a_reason_with_its_own_full_stop_gets_no_second_one() {
        let declined = Resolution::Declined { reason: Some(own("Not now.")) };
        assert_eq!(
            answers_or_words(&declined).unwrap_err(),
            "The person declined to answer: Not now. No option was chosen; do not assume one."
        );
    }
}
