//! Requests and what comes back.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use handraise_broker::HubError;
use handraise_wire::v1::Problem;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode, Uri, header};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tower_service::Service;

use crate::Home;

/// More than a hub has to say about one ask, or in one page of them.
pub(crate) const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub(crate) struct Http(Client<Connector, Full<Bytes>>);

/// Connects to the hub of a home, and to nothing else.
#[derive(Debug, Clone)]
struct Connector(Home);

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let home = self.0.clone();
        Box::pin(async move {
            let authority = uri.authority().map_or("", |authority| authority.as_str());
            connect(&home, authority).await.map(TokioIo::new)
        })
    }
}

/// A connection to the hub of a home, if that is its address.
///
/// A hub holds its port until its process ends. So if that process runs after the connection was made, the
/// connection leads to it, and not to a program that has taken the port since.
pub(crate) async fn connect(home: &Home, authority: &str) -> io::Result<TcpStream> {
    let is_down = || io::Error::new(io::ErrorKind::NotFound, "no hub is running");
    let hub = home.hub().filter(|hub| hub.authority() == authority).ok_or_else(is_down)?;
    let connecting = TcpStream::connect(authority);
    let stream = tokio::time::timeout(CONNECT_TIMEOUT, connecting).await??;
    stream.set_nodelay(true)?;
    if hub.runs() { Ok(stream) } else { Err(is_down()) }
}

/// What a hub answered.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    body: Bytes,
}

/// What goes out with every request.
pub(crate) type Headers = Vec<(&'static str, String)>;

impl Http {
    pub(crate) fn new(home: Home) -> Self {
        Self(Client::builder(TokioExecutor::new()).build(Connector(home)))
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
