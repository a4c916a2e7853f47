//! Allowing at a terminal: all of the call is on the screen first.

use handraise_broker::{Matter, Record, Reply};
use handraise_question::{Approval, Resolution};
use handraise_terminal::{Desk, Outcome};

use crate::approval;
use crate::ask::{manner, terminal_failure};
use crate::cli::{AnswerArgs, Theme};
use crate::failure::{Exit, Failure};

/// Shows the call, as the inbox does, and takes the decision there: what was typed behind the command may
/// have been meant for another call.
pub(super) fn at_terminal(record: &Record, args: &AnswerArgs) -> Result<Reply, Failure> {
    let Matter::Approval(raw) = record.matter() else { return Err(nothing_sent()) };
    let ask = Approval::read(raw).and_then(|approval| approval::question(&approval));
    let ask = ask.map_err(|violations| Failure::bad_input("the approval", &violations))?;
    let guarded = approval::guarded(&ask);
    let mut desk = Desk::open(manner(false, Theme::Auto)).map_err(terminal_failure)?;
    let outcome = desk.ask(ask, None).guard(guarded).outcome().map_err(terminal_failure)?;
    let resolution = match outcome {
        Outcome::Resolved(resolution @ Resolution::Answered(_)) => resolution,
        Outcome::Signalled(signal) => handraise_terminal::end_by(signal),
        Outcome::Resolved(_) | Outcome::Closed(_) | Outcome::Interrupted => {
            return Err(nothing_sent());
        }
    };
    let mut reply = approval::reply(resolution).ok_or_else(nothing_sent)?;
    if let Reply::Decide(form) = &mut reply {
        form.message = form.message.take().or_else(|| args.message.clone());
    }
    Ok(reply)
}

fn nothing_sent() -> Failure {
    Failure::new(Exit::BadInput, anyhow::anyhow!("nothing was decided, and nothing was sent"))
}
