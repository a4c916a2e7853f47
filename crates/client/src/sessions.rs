//! The trait `Sessions`, over HTTP.

use std::sync::Arc;

use async_trait::async_trait;
use handraise_broker::{
    HubError, Message, NewSession, Progress, Session, SessionChanged, SessionId, SessionQuery,
    Sessions, Streamed,
};
use handraise_wire::v1::{
    InterruptParams, MessagesResponse, ProgressParams, ProgressResponse, SayParams, SayResponse,
    SessionJson, SessionParams, SessionsResponse, StreamedJson,
};
use hyper::Method;

use crate::RemoteHub;
use crate::http::Answer;
use crate::remote::{NOTHING, done, plain};

#[async_trait]
impl Sessions for RemoteHub {
    async fn open_session(
        &self,
        new: NewSession,
        key: Option<String>,
    ) -> Result<Arc<Session>, HubError> {
        // With a key it can be repeated when an answer gets lost.
        let key = Some(key.unwrap_or_else(Self::some_key));
        let params = SessionParams::from((new, key));
        one(&self.call(Method::POST, "/sessions", Some(&params)).await?)
    }

    async fn session(&self, id: SessionId) -> Result<Arc<Session>, HubError> {
        one(&self.call(Method::GET, &format!("/sessions/{id}"), NOTHING).await?)
    }

    async fn sessions(&self, query: SessionQuery) -> Result<Vec<Arc<Session>>, HubError> {
        let SessionQuery { live, after, limit } = query;
        let after = after.map_or_else(String::new, |id| format!("&after={id}"));
        let path = format!("/sessions?live={live}&limit={limit}{after}");
        let page: SessionsResponse =
            self.call_for_page(&path, limit).await?.read().map_err(plain)?;
        Ok(page.sessions.into_iter().map(|session| Arc::new(session.into())).collect())
    }

    async fn messages(
        &self,
        id: SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Message>, HubError> {
        let path = format!("/sessions/{id}/messages?after={after}&limit={limit}");
        let page: MessagesResponse =
            self.call_for_page(&path, limit).await?.read().map_err(plain)?;
        Ok(page.messages.into_iter().map(Into::into).collect())
    }

    async fn speaking(&self, id: SessionId) -> Result<Option<Streamed>, HubError> {
        let path = format!("/sessions/{id}/messages?limit=1");
        let page: MessagesResponse =
            self.call(Method::GET, &path, NOTHING).await?.read().map_err(plain)?;
        Ok(page.speaking.map(Into::into))
    }

    async fn say(
        &self,
        id: SessionId,
        text: String,
        key: Option<String>,
    ) -> Result<Message, HubError> {
        let idempotency_key = Some(key.unwrap_or_else(Self::some_key));
        let params = SayParams { text, idempotency_key };
        let path = format!("/sessions/{id}/messages");
        let said: SayResponse =
            self.call(Method::POST, &path, Some(&params)).await?.read().map_err(plain)?;
        Ok(said.message.into())
    }

    async fn interrupt(
        &self,
        id: SessionId,
        key: Option<String>,
    ) -> Result<Arc<Session>, HubError> {
        let idempotency_key = Some(key.unwrap_or_else(Self::some_key));
        let params = InterruptParams { idempotency_key };
        let path = format!("/sessions/{id}/interrupt");
        one(&self.call(Method::POST, &path, Some(&params)).await?)
    }

    async fn end_session(&self, id: SessionId) -> Result<Arc<Session>, HubError> {
        one(&self.call(Method::POST, &format!("/sessions/{id}/end"), NOTHING).await?)
    }

    async fn progress(
        &self,
        id: SessionId,
        progress: Progress,
    ) -> Result<Arc<SessionChanged>, HubError> {
        let params = ProgressParams::from(progress);
        let path = format!("/sessions/{id}/progress");
        let changed: ProgressResponse =
            self.call(Method::POST, &path, Some(&params)).await?.read().map_err(plain)?;
        let messages = changed.messages.into_iter().map(Into::into).collect();
        Ok(Arc::new(SessionChanged { session: changed.session.into(), messages }))
    }

    async fn stream(&self, id: SessionId, streamed: Streamed) -> Result<(), HubError> {
        let streamed = StreamedJson::from(streamed);
        done(&self.call(Method::POST, &format!("/sessions/{id}/text"), Some(&streamed)).await?)
    }
}

fn one(answer: &Answer) -> Result<Arc<Session>, HubError> {
    let session: SessionJson = answer.read().map_err(plain)?;
    Ok(Arc::new(session.into()))
}
