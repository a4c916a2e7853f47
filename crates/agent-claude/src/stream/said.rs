//! What Claude Code is told. Each is one line, in exactly the form it was measured to take, and is sent
//! with [`Child::send`](super::Child::send).

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

#[derive(Serialize)]
struct ControlRequest<'a, R = Subtype> {
    r#type: &'static str,
    request_id: &'a str,
    request: R,
}

#[derive(Serialize)]
struct Subtype {
    subtype: &'static str,
}

fn request<'a>(request_id: &'a str, subtype: &'static str) -> ControlRequest<'a> {
    ControlRequest { r#type: "control_request", request_id, request: Subtype { subtype } }
}

/// Opens the conversation; the answer tells version, models and commands. It is not needed.
#[must_use]
pub fn initialize(request_id: &str) -> impl Serialize {
    request(request_id, "initialize")
}

/// The same, with a hook of ours: each call of `tool` waits until the hook is answered, for as long as
/// `seconds`.
#[must_use]
pub fn initialize_with_hook<'a>(
    request_id: &'a str,
    tool: &'a str,
    seconds: u64,
) -> impl Serialize {
    let hooks = serde_json::json!({"PreToolUse": [
        {"matcher": tool, "hookCallbackIds": ["handraise"], "timeout": seconds}]});
    let request = serde_json::json!({"subtype": "initialize", "hooks": hooks});
    ControlRequest { r#type: "control_request", request_id, request }
}

/// The answer to a hook: nothing against the call, or that it is put off until the session is resumed.
#[must_use]
pub fn hook_answer(request_id: &str, defer: bool) -> impl Serialize {
    let decision = serde_json::json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "defer"}});
    answer(request_id, if defer { decision } else { serde_json::json!({}) })
}

/// Ends the turn that is under way. What Claude Code waits for is cancelled.
#[must_use]
pub fn interrupt(request_id: &str) -> impl Serialize {
    request(request_id, "interrupt")
}

/// What the person says. By the `uuid` it is known again when Claude Code repeats it.
#[must_use]
pub fn user<'a>(text: &'a str, uuid: Option<&'a str>) -> impl Serialize {
    #[derive(Serialize)]
    struct User<'a> {
        r#type: &'static str,
        message: Message<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        uuid: Option<&'a str>,
    }
    #[derive(Serialize)]
    struct Message<'a> {
        role: &'static str,
        content: &'a str,
    }
    User { r#type: "user", message: Message { role: "user", content: text }, uuid }
}

#[derive(Serialize)]
struct ControlResponse<B> {
    r#type: &'static str,
    response: B,
}

#[derive(Serialize)]
struct Success<'a, R> {
    subtype: &'static str,
    request_id: &'a str,
    response: R,
}

/// The answer to a request: a decision as [`permission()`](super::permission) makes it, for one.
#[must_use]
pub fn answer<'a>(request_id: &'a str, response: impl Serialize + 'a) -> impl Serialize {
    let response = Success { subtype: "success", request_id, response };
    ControlResponse { r#type: "control_response", response }
}

/// The call may be made, with this input and no other: Claude Code is always sent the whole of it. What
/// it is to remember is among what it suggested.
#[must_use]
pub fn allow<'a>(
    request_id: &'a str,
    updated_input: &'a impl Serialize,
    updated_permissions: Option<&'a RawValue>,
) -> impl Serialize {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Allow<'a, I> {
        behavior: &'static str,
        updated_input: &'a I,
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_permissions: Option<&'a RawValue>,
    }
    answer(request_id, Allow { behavior: "allow", updated_input, updated_permissions })
}

/// The call may not be made. The model reads the message word by word; but when the turn is interrupted
/// as well, it reads words of Claude Code's own instead (measured).
#[must_use]
pub fn deny<'a>(request_id: &'a str, message: &'a str, interrupt: bool) -> impl Serialize {
    #[derive(Serialize)]
    struct Deny<'a> {
        behavior: &'static str,
        message: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupt: bool,
    }
    answer(request_id, Deny { behavior: "deny", message, interrupt })
}

/// What an MCP server is answered; sent with [`answer()`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum ElicitationReply {
    /// The person gave what was asked for.
    Accept {
        /// The filled-in form; a page has none.
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<Map<String, Value>>,
    },
    /// The person said no.
    Decline,
    /// The person said neither yes nor no.
    Cancel,
}

/// The request cannot be served; the model may read why.
#[must_use]
pub fn error<'a>(request_id: &'a str, error: &'a str) -> impl Serialize {
    #[derive(Serialize)]
    struct Failure<'a> {
        subtype: &'static str,
        request_id: &'a str,
        error: &'a str,
    }
    let response = Failure { subtype: "error", request_id, error };
    ControlResponse { r#type: "control_response", response }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(said: impl Serialize) -> String {
        serde_json::to_string(&said).unwrap()
    }

    /// The answer in the envelope every answer has.
    fn answered(said: impl Serialize) -> String {
        let line = line(said);
        let start = r#"{"type":"control_response","response":{"subtype":"success","request_id":"r","response":"#;
        let inner = line.strip_prefix(start).and_then(|rest| rest.strip_suffix("}}"));
        inner.unwrap_or_else(|| panic!("{line}")).to_owned()
    }

    #[test]
    fn requests_have_the_form_that_was_measured() {
        assert_eq!(
            line(initialize("i")),
            r#"{"type":"control_request","request_id":"i","request":{"subtype":"initialize"}}"#
        );
        assert_eq!(
            line(interrupt("i")),
            r#"{"type":"control_request","request_id":"i","request":{"subtype":"interrupt"}}"#
        );
    }

    #[test]
    fn what_a_person_says_is_one_line_whatever_it_holds() {
        assert_eq!(
            line(user("hi\n\"you\"", Some("u"))),
            r#"{"type":"user","message":{"role":"user","content":"hi\n\"you\""},"uuid":"u"}"#
        );
        assert_eq!(
            line(user("hi", None)),
            r#"{"type":"user","message":{"role":"user","content":"hi"}}"#
        );
    }

    #[test]
    fn an_input_goes_back_byte_for_byte() {
        let suggestions: &RawValue = serde_json::from_str(r#"[ {"type":"setMode"} ]"#).unwrap();
        let input: &RawValue = serde_json::from_str(r#"{ "n":1.50 }"#).unwrap();
        assert_eq!(
            answered(allow("r", &input, None)),
            r#"{"behavior":"allow","updatedInput":{ "n":1.50 }}"#
        );
        assert_eq!(
            answered(allow("r", &json!({"command": "ls"}), Some(suggestions))),
            r#"{"behavior":"allow","updatedInput":{"command":"ls"},"updatedPermissions":[ {"type":"setMode"} ]}"#
        );
    }

    #[test]
    fn a_denial_says_why_and_interrupts_only_when_it_is_meant_to() {
        assert_eq!(answered(deny("r", "no", false)), r#"{"behavior":"deny","message":"no"}"#);
        assert_eq!(
            answered(deny("r", "no", true)),
            r#"{"behavior":"deny","message":"no","interrupt":true}"#
        );
        assert_eq!(
            line(error("r", "why")),
            r#"{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"why"}}"#
        );
    }

    #[test]
    fn an_mcp_server_is_answered_in_its_own_words() {
        let content = json!({"name": "Ann"}).as_object().cloned();
        let accepted = ElicitationReply::Accept { content };
        assert_eq!(
            answered(answer("r", accepted)),
            r#"{"action":"accept","content":{"name":"Ann"}}"#
        );
        let opened = ElicitationReply::Accept { content: None };
        assert_eq!(answered(answer("r", opened)), r#"{"action":"accept"}"#);
        assert_eq!(answered(answer("r", ElicitationReply::Decline)), r#"{"action":"decline"}"#);
        assert_eq!(answered(answer("r", &ElicitationReply::Cancel)), r#"{"action":"cancel"}"#);
    }
}
