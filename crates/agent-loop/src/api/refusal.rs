//! Why there was no turn: whether to try again, and what to do about it.

use std::time::Duration;

use genai::webc::StreamTimeout;
use jiff::fmt::rfc2822;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::{Api, ApiModel};
use crate::ModelError;

/// As much of a server's own words as is repeated.
const LONGEST: usize = 300;

impl ApiModel {
    pub(super) fn refusal(&self, error: &genai::Error) -> ModelError {
        use genai::Error::{ChatResponse, HttpError, JsonValueExt, StreamParse, WebStream};
        if let HttpError { status, body, headers, .. } = error {
            self.status(*status, body, headers)
        } else if let WebStream { error, .. } = error {
            self.web(error.as_ref())
        } else if let ChatResponse { body, .. } = error {
            self.error_event(body)
        } else if let StreamParse { .. } | JsonValueExt(_) = error {
            passing("the model's answer cannot be read".to_owned(), None)
        } else {
            unsendable()
        }
    }

    fn web(&self, error: &(dyn std::error::Error + Send + Sync + 'static)) -> ModelError {
        if let Some(error) = error.downcast_ref::<genai::Error>() {
            return self.refusal(error);
        }
        if error.is::<StreamTimeout>() {
            let reason = format!("the model was silent for {} s", self.idle.as_secs());
            return passing(reason, None);
        }
        let broken = error.downcast_ref::<reqwest::Error>();
        let reason = match broken {
            Some(error) if error.is_builder() => return unsendable(),
            Some(error) if error.is_connect() => {
                format!("no connection to {}", self.server())
            }
            Some(_) | None => format!("the connection to {} was lost", self.server()),
        };
        passing(reason, None)
    }

    fn status(&self, status: StatusCode, body: &str, headers: &HeaderMap) -> ModelError {
        let error: Value = serde_json::from_str(body).unwrap_or_default();
        let error = if error["error"].is_null() { &error } else { &error["error"] };
        let words = self.words(error);
        let (server, code) = (self.server(), status.as_u16());
        if passes(status) && error["code"] != "insufficient_quota" {
            return passing(format!("{server} answered {code}{words}"), wish(headers));
        }
        let reason = match code {
            401 | 403 => format!(
                "{server} does not accept the key ({code}){words}. Check the key, and that it is one for this server"
            ),
            404 => format!(
                "{server} knows no model {:?}, or does not speak {} (404){words}. Check the model's name and the base URL",
                self.target.model.model_name.as_str(),
                match self.api {
                    Api::AnthropicMessages => "Anthropic's Messages API",
                    Api::ChatCompletions => "chat completions",
                }
            ),
            _ => format!("{server} refuses the request ({code}){words}"),
        };
        ModelError::Final { reason }
    }

    /// What a server says in the middle of its stream.
    fn error_event(&self, body: &Value) -> ModelError {
        let error = if body["error"].is_null() { body } else { &body["error"] };
        let reason = format!("{} broke off{}", self.server(), self.words(error));
        let hopeless = [
            "invalid_request_error",
            "authentication_error",
            "permission_error",
            "not_found_error",
            "request_too_large",
            "billing_error",
            "insufficient_quota",
        ];
        let kinds = [&error["type"], &error["code"]];
        if kinds.iter().any(|kind| kind.as_str().is_some_and(|kind| hopeless.contains(&kind))) {
            return ModelError::Final { reason };
        }
        passing(reason, None)
    }

    /// The server's own words, on one line, not too many, and never with the key.
    fn words(&self, error: &Value) -> String {
        let Some(message) = error["message"].as_str() else { return String::new() };
        let key = &self.key.0;
        let message = if key.is_empty() { message.to_owned() } else { message.replace(key, "…") };
        let clean: String =
            message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
        format!(": {}", clean.trim_end_matches(['.', ' ']))
    }

    fn server(&self) -> String {
        let url = reqwest::Url::parse(self.target.endpoint.base_url()).ok();
        let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or("the server");
        match url.as_ref().and_then(reqwest::Url::port) {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}

fn unsendable() -> ModelError {
    ModelError::Final { reason: "the request to the model cannot be made".to_owned() }
}

fn passing(reason: String, after: Option<Duration>) -> ModelError {
    ModelError::Passing { reason, after }
}

/// 529 is Anthropic's word for too many at once.
fn passes(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status.as_u16(), 408 | 409 | 425 | 429)
}

/// How long a server wants us to wait. A date is held against the server's own clock.
fn wish(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |name: &str| text(name).and_then(|text| text.parse::<f64>().ok());
    let date = |name: &str| text(name).and_then(|text| rfc2822::parse(text).ok());
    let milliseconds = number("retry-after-ms").map(|ms| ms / 1000.0);
    if let Some(seconds) = milliseconds.or_else(|| number("retry-after")) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = date("retry-after")?.timestamp().duration_since(date("date")?.timestamp());
    Some(Duration::try_from(until).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wished(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (reqwest::header::HeaderName::from_static(name), value.parse().unwrap())
        };
        wish(&headers.iter().map(pair).collect())
    }

    #[test]
    fn a_wish_is_understood_in_every_form_it_comes_in() {
        let seconds = Duration::from_secs;
        assert_eq!(wished(&[("retry-after", "7")]), Some(seconds(7)));
        let both = [("retry-after", "7"), ("retry-after-ms", "250")];
        assert_eq!(wished(&both), Some(Duration::from_millis(250)));
        let now = ("date", "Mon, 16 Nov 2026 10:00:00 GMT");
        assert_eq!(
            wished(&[("retry-after", "Mon, 16 Nov 2026 10:01:00 GMT"), now]),
            Some(seconds(60))
        );
        assert_eq!(
            wished(&[("retry-after", "Mon, 16 Nov 2026 09:00:00 GMT"), now]),
            Some(seconds(0))
        );
        for nothing in ["", "soon", "-1", "NaN", "inf", "1e300"] {
            assert_eq!(wished(&[("retry-after", nothing), now]), None, "{nothing}");
        }
    }
}
