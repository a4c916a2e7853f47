//! Which tool call an ask stands for.

use handraise_broker::Record;

/// The agent's own name for the call, where the ask's key says it; else the ask's.
///
/// Those who ask for Claude Code have `session/call` as key. Whatever has more parts may stand for the
/// same call as another ask, and goes by the ask's own name.
pub(super) fn call_id(ask: &Record) -> String {
    let opened = &ask.opened;
    let call = match (&opened.key, &opened.asker.session) {
        (Some(key), Some(session)) => {
            key.strip_prefix(session.as_str()).and_then(|rest| rest.strip_prefix('/'))
        }
        _ => None,
    };
    let call = call.filter(|call| !call.is_empty() && !call.contains('/'));
    call.map_or_else(|| ask.id.to_string(), str::to_owned)
}
