//! `handraise interview`: a model asks about a task until it is clear, and the specification is written.
//!
//! The loop is `handraise-agent-loop`'s and keeps its own history; what was asked and how it ended is in the
//! minutes. Both are kept before anybody acts on them, so that an interview goes on where it was left.

mod conducting;
mod minutes;
mod model;
mod place;
mod progress;
mod specification;
mod writing;

use std::path::{Path, PathBuf};

use handraise_agent_loop::{History, HistoryError, HistoryFile};
use handraise_client::Home;

use crate::ask::{Places, manner};
use crate::cli::InterviewArgs;
use crate::failure::{self, Exit, Failure};
use crate::table::{self, Table};
use crate::{environment, home as homes, output, runtime};

pub(crate) use model::Api;

use conducting::{Conducting, End, Signals};
use minutes::Minutes;
use place::{About, Place};
use progress::Progress;
use specification::Closing;

pub(crate) fn run(home: &Home, args: &InterviewArgs) -> Result<Exit, Failure> {
    if args.list {
        return list(home);
    }
    let (place, about) = match (&args.resume, &args.task) {
        (None, Some(task)) => begin(home, args, task)?,
        (resume, _) => take_up(home, args, resume.as_deref().filter(|id| !id.is_empty()))?,
    };
    if place.is_finished() {
        return writing::deliver(home, &place, &about, args.force);
    }
    match hold(home, args, &place, &about) {
        Ok(end) => finish(home, args, &place, &about, end),
        Err(failure) => Err(failure.or_hint(format!("go on with: {}", resume(home, &about)))),
    }
}

/// A new interview. What would end it badly is looked at before the first question.
fn begin(home: &Home, args: &InterviewArgs, task: &str) -> Result<(Place, About), Failure> {
    if task.trim().is_empty() {
        let error = anyhow::anyhow!("the task is empty");
        let hint = "say what is to be done: handraise interview \"Add authentication to my app\"";
        return Err(Failure::new(Exit::BadInput, error).hint(hint));
    }
    let (api, model) = model::chosen(args)?;
    // What it needs is looked at before anything is kept; it is opened when it is talked to.
    let base_url = model::url(api, args.base_url.as_deref());
    model::open(api, &model, &base_url)?;
    drop(places(home, args)?);
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("SPEC.md"));
    let output = if output == Path::new("-") { output } else { absolute(&output)? };
    crate::whole_file::check(&output, args.force, " with -o FILE")?;
    let about = About {
        id: place::new_id(),
        task: task.to_owned(),
        api,
        model,
        base_url,
        output,
        begun: environment::time(),
        most_asks: args.max_asks.into(),
    };
    Ok((Place::make(home, &about)?, about))
}

fn take_up(home: &Home, args: &InterviewArgs, id: Option<&str>) -> Result<(Place, About), Failure> {
    let (place, mut about) = Place::find(home, id)?;
    if let Some(output) = &args.output {
        about.output = if output == Path::new("-") { output.clone() } else { absolute(output)? };
    }
    // Another model may go on where one could not.
    if let Some(model) = &args.model {
        model.clone_into(&mut about.model);
    }
    if let Some(api) = args.api {
        if api != about.api && args.base_url.is_none() {
            about.base_url = model::url(api, None);
        }
        about.api = api;
    }
    if let Some(url) = &args.base_url {
        url.clone_into(&mut about.base_url);
    }
    crate::whole_file::check(&about.output, args.force, " with -o FILE")?;
    Ok((place, about))
}

fn hold(
    home: &Home,
    args: &InterviewArgs,
    place: &Place,
    about: &About,
) -> Result<(End, Minutes), Failure> {
    let model = model::open(about.api, &about.model, &about.base_url)?;
    let places = places(home, args)?;
    let runtime = runtime::background().map_err(|error| Failure::new(Exit::Internal, error))?;
    let history = history(&runtime, place, about)?;
    let unreadable = |error| {
        let context = format!("cannot open {}", place.minutes().display());
        Failure::new(Exit::Internal, anyhow::Error::new(error).context(context))
    };
    let minutes = Minutes::open(&place.minutes()).map_err(unreadable)?;
    let signals = runtime.block_on(async { Signals::listen() });
    let signals = signals.map_err(|error| Failure::new(Exit::Internal, error))?;
    let progress = Progress::new();
    // Where a terminal is open, Ctrl-C between two questions ends the program at once.
    failure::say(&format!("If you leave it, go on with: {}", resume(home, about)));
    if args.resume.is_some() {
        progress.going_on(&about.task, minutes.asked());
    }
    let mut conducting = Conducting { about, places, minutes, runtime, progress, signals };
    let end = conducting.hold(&model, history)?;
    Ok((end, conducting.minutes))
}

/// Where the person is asked.
fn places(home: &Home, args: &InterviewArgs) -> Result<Places, Failure> {
    Places::open(args.via, || Ok(home.clone()), manner(args.plain, args.theme))
}

/// What was said so far; the task, if that is nothing.
fn history(
    runtime: &tokio::runtime::Runtime,
    place: &Place,
    about: &About,
) -> Result<History, Failure> {
    let kept = |error: HistoryError| {
        let exit = if error == HistoryError::InUse { Exit::Withdrawn } else { Exit::Internal };
        Failure::new(exit, error)
    };
    runtime.block_on(async {
        let mut history = HistoryFile::open(place.history()).await.map_err(kept)?;
        if history.entries().is_empty() {
            history.say(format!("The task: {}", about.task)).await.map_err(kept)?;
        }
        Ok(history)
    })
}

fn finish(
    home: &Home,
    args: &InterviewArgs,
    place: &Place,
    about: &About,
    (end, minutes): (End, Minutes),
) -> Result<Exit, Failure> {
    let closing = match end {
        End::Done(text) => Closing::Words(text),
        End::Cut(why) => {
            failure::say(&format!("warning: the interview was cut off: {why}"));
            Closing::Cut(why)
        }
        End::Left => {
            failure::say(&format!("Nothing is lost. Go on with: {}", resume(home, about)));
            return Ok(Exit::Interrupted);
        }
        End::Signalled(signal) => handraise_terminal::end_by(signal),
    };
    let text = specification::write(about, minutes.asked(), &closing, environment::time());
    writing::keep(place, &text)?;
    writing::deliver(home, place, about, args.force)
}

fn list(home: &Home) -> Result<Exit, Failure> {
    let mut all = place::list(home);
    if all.is_empty() {
        output::show("No interviews.")?;
        return Ok(Exit::Answered);
    }
    all.sort_by_key(|(_, about)| about.begun);
    let mut table = Table::new(&["ID", "STATE", "BEGUN (UTC)", "TASK"]);
    for (place, about) in all {
        let state = if place.is_finished() { "finished" } else { "open" };
        let begun = about.begun.strftime("%Y-%m-%d %H:%M").to_string();
        table.row(vec![about.id, state.to_owned(), begun, about.task]);
    }
    output::show_raw(&table.text(table::width()))?;
    Ok(Exit::Answered)
}

/// The command that takes an interview up again.
fn resume(home: &Home, about: &About) -> String {
    format!("handraise interview --resume {}{}", about.id, homes::data_option(home))
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::new(Exit::BadInput, error))
}
