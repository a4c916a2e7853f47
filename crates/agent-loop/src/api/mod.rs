//! Models behind HTTP: Anthropic's Messages API, and chat completions as most others have them.

mod address;
mod refusal;
mod reply;
mod request;

use std::time::Duration;

use async_trait::async_trait;
use genai::adapter::AdapterKind;
use genai::chat::ChatOptions;
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use serde_json::json;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

use crate::{Model, ModelError, Request, Said, Turn};

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's Messages API, `/v1/messages`.
    AnthropicMessages,
    /// Chat completions, `/chat/completions`, as most other servers have them.
    ChatCompletions,
}

/// A key to a server. It is never printed: there is no `Debug` and no `Display`.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key; spaces and line ends around it are dropped.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }
}

/// A model behind HTTP.
#[derive(Clone)]
pub struct ApiModel {
    api: Api,
    client: Client,
    target: ServiceTarget,
    options: ChatOptions,
    idle: Duration,
    key: ApiKey,
}

const IDLE: Duration = Duration::from_mins(2);

impl ApiModel {
    /// A model of this name at this address, as the server knows it.
    ///
    /// `base_url` is what is given to others as well: for Anthropic without `/v1`
    /// (`https://api.anthropic.com`), for chat completions with it (`https://api.openai.com/v1`). A
    /// server that wants no key is given an empty one.
    ///
    /// # Errors
    ///
    /// When the address is none, or the key holds characters no key has.
    pub fn new(api: Api, base_url: &str, key: ApiKey, model: &str) -> Result<Self, ModelError> {
        let address = address::of(api, base_url)?;
        if !key.0.chars().all(|c| c.is_ascii_graphic()) {
            let reason = "the key has characters in it that no key has; give it without quotes";
            return Err(ModelError::Final { reason: reason.to_owned() });
        }
        let adapter = match api {
            Api::AnthropicMessages => AdapterKind::Anthropic,
            Api::ChatCompletions => AdapterKind::OpenAI,
        };
        let sent = if key.0.is_empty() { "none" } else { &key.0 };
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(address),
            auth: AuthData::from_single(sent),
            model: ModelIden::new(adapter, model),
        };
        let client = Client::builder().with_reqwest(http_client()?).build();
        let options = ChatOptions::default()
            .with_capture_content(true)
            .with_capture_tool_calls(true)
            .with_capture_reasoning_content(true)
            // What looks like an ending for the effort would be cut off the name.
            .with_extra_body(json!({ "model": model }));
        Ok(Self { api, client: client.map_err(|_| no_client())?, target, options, idle: IDLE, key })
    }

    /// Sets how long a turn may be, in tokens.
    #[must_use]
    pub fn max_tokens(self, tokens: u32) -> Self {
        Self { options: self.options.with_max_tokens(tokens), ..self }
    }

    /// Sets how long the server may be silent before its stream counts as dropped.
    #[must_use]
    pub fn idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    async fn attempt(&self, request: &Request<'_>, said: &Said) -> Result<Turn, ModelError> {
        let chat = request::of(self.api, request);
        let options = self.options.clone();
        let options =
            options.with_stream_header_timeout(self.idle).with_stream_read_timeout(self.idle);
        let stream = self.client.exec_chat_stream(self.target.clone(), chat, Some(&options)).await;
        let stream = stream.map_err(|error| self.refusal(&error))?.stream;
        reply::read(stream, said, |error| self.refusal(error)).await
    }
}

/// One that knows ring and nobody else, and takes the key to no other address than the one given.
fn http_client() -> Result<reqwest::Client, ModelError> {
    // Somebody else's choice of cryptography stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    builder.build().map_err(|_| no_client())
}

fn no_client() -> ModelError {
    ModelError::Final { reason: "TLS cannot be set up on this machine".to_owned() }
}

#[async_trait]
impl Model for ApiModel {
    async fn turn(&self, request: &Request<'_>, said: &Said) -> Result<Turn, ModelError> {
        // The libraries below log bodies, and a server may repeat the key in one.
        self.attempt(request, said).with_subscriber(NoSubscriber::default()).await
    }
}
