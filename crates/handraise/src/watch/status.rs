//! How the hub's own watch is, in words.

use handraise_wire::v1::{WatchJson, WatchStateJson};

use crate::table;

/// In one line.
pub(crate) fn describe(watch: &WatchJson) -> String {
    let WatchJson { state, directory, sessions, reason } = watch;
    let directory = directory.as_deref().map(table::one_line).unwrap_or_default();
    let reason = reason.as_deref().map(table::one_line).unwrap_or_default();
    match state {
        WatchStateJson::Off => "off".to_owned(),
        WatchStateJson::Waiting => format!("not yet: {reason} ({directory})"),
        WatchStateJson::Watching => {
            let plural = if *sessions == 1 { "" } else { "s" };
            format!("on: {sessions} session{plural} of {directory}")
        }
        WatchStateJson::Failed => format!("FAILED: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_one_line() {
        let watch = |state| WatchJson {
            state,
            directory: Some("/c\n".into()),
            sessions: 1,
            reason: Some("no\nwatch left".into()),
        };
        for (state, said) in [
            (WatchStateJson::Off, "off"),
            (WatchStateJson::Waiting, "not yet: no watch left (/c)"),
            (WatchStateJson::Watching, "on: 1 session of /c"),
            (WatchStateJson::Failed, "FAILED: no watch left"),
        ] {
            assert_eq!(describe(&watch(state)), said);
        }
    }
}
