//! A call, as the hub is asked about it.

use std::sync::Arc;

use handraise_broker::{AnswerIn, Asker, Level, Matter, NewAsk, Policy};

use super::following::Following;
use super::{Shared, panopticon};
use crate::hook::{AGENT, cut};
use crate::transcript::{Call, Transcript};

impl Shared {
    /// The ask. `again` counts how often an answer was not typed.
    pub(super) fn new_ask(
        &self,
        following: &Following,
        call: &Arc<Call>,
        matter: Matter,
        again: usize,
        answer_in: AnswerIn,
    ) -> NewAsk {
        let policy = Policy { receipt: Level::Seen, answer_in, ..Policy::default() };
        NewAsk {
            asker: self.asker(following, call),
            key: Some(key(&following.session.id, &call.id, again)),
            matter,
            policy,
            rival_dialog: true,
            deliverer: Some(self.settings.deliverer.clone()),
        }
    }

    fn asker(&self, following: &Following, call: &Call) -> Asker {
        let session = &following.session;
        let path = following.path();
        let context = path.and_then(|path| Transcript::new(&path).context(&call.id));
        let context = context.unwrap_or_default();
        let agent = || {
            let agents = self.settings.panopticon.as_deref()?;
            panopticon::agent_in(agents, session.cwd.as_deref()?)
        };
        let title = following.name().or_else(agent).or(context.title).or(context.prompt);
        Asker {
            agent: AGENT.into(),
            session: Some(session.id.clone()),
            directory: session.cwd.as_ref().map(|cwd| cut(&cwd.to_string_lossy(), 4_000)),
            host: Some(self.settings.host.clone()),
            branch: context.branch.map(|branch| cut(&branch, 500)),
            title: title.map(|title| cut(title.lines().next().unwrap_or_default(), 200)),
            preamble: context.preamble.map(|preamble| cut(&preamble, 100_000)),
        }
    }
}

/// The ask's name: the same that our hook has for it, so that it is never asked twice.
pub(super) fn key(session: &str, call: &str, again: usize) -> String {
    match again {
        0 => format!("{session}/{call}"),
        again => format!("{session}/{call}/again/{again}"),
    }
}
