//! Which questions an answer is about that names none.

use std::collections::HashSet;
use std::sync::Arc;

use handraise_broker::{AskId, Hub, HubError, Record, Seat};
use handraise_question::{AnswerForm, Question};
use handraise_wire::dialects::panopticon::assign;

use super::{NOTHING, NotTaken, asks_of};
use crate::app::App;
use crate::told::Shown;

const LOOK_FIRST: &str = "an answer names no question, so it counts for what its sender was last told, and \
                          this hub does not know that yet: look at pending-questions first";
const NEWER: &str = "what this agent waits with was asked after this page last looked; look again";
const CHANGED: &str = "what this agent waits with has just changed, and this answer fits both what waited \
                       before and what waits now; look again, and send it once more in a moment";

/// What an answer is about.
pub(super) struct Meant {
    /// What its sender was told of, in that order.
    pub(super) asks: Vec<Arc<Record>>,
    /// What is said to the first of them.
    pub(super) given: Vec<(AskId, Vec<AnswerForm>)>,
}

/// What its sender means: that is in what they were told of, whether or not it is still open. If only what
/// is open counted, an answer to what has ended would go to the next.
pub(super) async fn meant(
    app: &App,
    seat: &Seat,
    agent: &str,
    answers: &[String],
) -> Result<Meant, NotTaken> {
    let open = asks_of(app, agent).await;
    let looks = match app.told.lately(seat.device().id, agent, app.broker.world().elapsed()) {
        Shown::Told(looks) => looks,
        Shown::Nothing => vec![open.iter().map(|ask| ask.id).collect()],
        Shown::Unknown => return Err(NotTaken::because(LOOK_FIRST)),
    };
    let mut fits: Vec<Meant> = vec![];
    let mut misfit = None;
    let mut labels = HashSet::new();
    for look in &looks {
        let asks = told_of(seat, look).await?;
        let read = asks.iter().map(|record| Ok((record.id, record.matter().ask()?)));
        let read = read.collect::<Result<Vec<_>, HubError>>()?;
        let questions = read.iter().flat_map(|(_, ask)| ask.questions());
        labels.extend(questions.flat_map(Question::choices).map(|one| one.label().to_owned()));
        match assign(&read, answers) {
            Ok(given) if fits.iter().any(|other| other.given == given) => {}
            Ok(given) => fits.push(Meant { asks, given }),
            // What is likeliest to be shown says best what is wrong.
            Err(why) if misfit.is_none() && !asks.is_empty() => misfit = Some(why),
            Err(_) => {}
        }
    }
    // A label of what waited at another time is no own words now.
    if fits.iter().any(|meant| !meant.says_any_of(&labels)) {
        fits.retain(|meant| !meant.says_any_of(&labels));
    }
    match (fits.pop(), fits.is_empty(), misfit) {
        (Some(one), true, _) => Ok(one),
        (Some(_), false, _) => Err(NotTaken::because(CHANGED)),
        (None, _, Some(why)) => Err(why.into()),
        (None, ..) if open.is_empty() => Err(NotTaken::because(NOTHING)),
        (None, ..) => Err(NotTaken::because(NEWER)),
    }
}

impl Meant {
    /// Whether one of these is said in it as own words.
    fn says_any_of(&self, labels: &HashSet<String>) -> bool {
        let mut words =
            self.given.iter().flat_map(|(_, forms)| forms).filter_map(|f| f.words.as_ref());
        words.any(|words| labels.contains(words))
    }
}

async fn told_of(seat: &Seat, told: &[AskId]) -> Result<Vec<Arc<Record>>, HubError> {
    let mut asks = vec![];
    for id in told {
        asks.push(seat.get(*id).await?);
    }
    Ok(asks)
}
