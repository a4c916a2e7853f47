//! Requests and what comes back.

use std::time::Duration;

use handraise_broker::HubError;
use handraise_wire::v1::Problem;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode, header};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// More than a hub has to say about one ask, or in one page of them.
pub(crate) const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Http(Client<HttpConnector, Full<Bytes>>);

/// What a hub answered.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    body: Bytes,
}

/// What goes out with every request.
pub(crate) type Headers = Vec<(&'static str, String)>;

impl Http {
    pub(crate) fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(Duration::from_secs(5)));
        Self(Client::builder(TokioExecutor::new()).build(connector))
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        url: &str,
        headers: &Headers,
        body: Option<&impl Serialize>,
        patience: Duration,
        largest: usize,
    ) -> Result<Answer, HubError> {
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let body = match body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                serde_json::to_vec(body).map_err(unreachable)?
            }
            None => vec![],
        };
        let request = request.body(Full::from(body)).map_err(unreachable)?;
        let exchange = async {
            let response = self.0.request(request).await.map_err(unreachable)?;
            let status = response.status();
            match Limited::new(response.into_body(), largest).collect().await {
                Ok(body) => Ok(Answer { status, body: body.to_bytes() }),
                // Whoever answers like this does so again: it is not worth another try.
                Err(error) if error.is::<LengthLimitError>() => Ok(Answer::too_large()),
                Err(error) => Err(unreachable(error)),
            }
        };
        let answer = tokio::time::timeout(patience, exchange).await;
        answer.unwrap_or_else(|_| Err(HubError::Unreachable("it took too long".into())))
    }
}

impl Answer {
    /// What stands for an answer of which no more is read.
    fn too_large() -> Self {
        let problem = Problem::new(502, "unreadable", "its answer is too large");
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        Self { status: StatusCode::BAD_GATEWAY, body: body.into() }
    }

    /// What the hub says, or what it says against it.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        if self.status.is_success() {
            return serde_json::from_slice(&self.body).map_err(|error| {
                Problem::new(502, "unreadable", format!("its answer makes no sense: {error}"))
            });
        }
        Err(self.problem())
    }

    /// Whether there was nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.status == StatusCode::NO_CONTENT
    }

    pub(crate) fn problem(&self) -> Problem {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| {
            let title = format!("it answered with status {}", self.status.as_u16());
            Problem::new(self.status.as_u16(), "unreadable", title)
        })
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.is_success()
    }

    /// Whether it is worth trying again in a moment.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.status.as_u16(), 429 | 503) && self.problem().code != "too_many_open"
    }

    pub(crate) fn is_created(&self) -> bool {
        self.status == StatusCode::CREATED
    }
}

/// The cause of the cause is what a person can do something about: "connection refused".
pub(crate) fn unreachable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> HubError {
    let error = error.into();
    let mut last: &(dyn std::error::Error + 'static) = &*error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    HubError::Unreachable(last.to_string())
}
