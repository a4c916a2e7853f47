//! What happens, over a WebSocket that comes back.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::{SinkExt, StreamExt};
use handraise_broker::{Feed, HubError, News, Seq};
use handraise_wire::v1::{DELIVERER_HEADER, EventFrame};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::RemoteHub;
use crate::http::{LARGEST_ANSWER, connect, unreachable};

type Socket = WebSocketStream<TcpStream>;

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// News from a hub elsewhere. It keeps its place, and takes it up again after a break.
pub(crate) struct RemoteFeed {
    hub: RemoteHub,
    cursor: Option<Seq>,
    socket: Socket,
    patience: Patience,
}

impl RemoteFeed {
    pub(crate) async fn connect(
        hub: RemoteHub,
        after: Option<Seq>,
        patience: Duration,
    ) -> Result<Self, HubError> {
        let mut patience = Patience { most: patience, since: None, pause: FIRST_PAUSE };
        let socket = reach(&hub, after, &mut patience).await?;
        Ok(Self { hub, cursor: after, socket, patience })
    }

    async fn reconnect(&mut self, why: HubError) -> Result<(), HubError> {
        // A hub that takes the connection and closes it again is not there either.
        if !self.patience.is_left().await {
            return Err(why);
        }
        self.socket = reach(&self.hub, self.cursor, &mut self.patience).await?;
        Ok(())
    }
}

/// For how long a hub is looked for, and how often; both begin anew with every word from it.
struct Patience {
    most: Duration,
    since: Option<Instant>,
    pause: Duration,
}

impl Patience {
    fn renew(&mut self) {
        self.since = None;
        self.pause = FIRST_PAUSE;
    }

    /// Pauses, and returns whether it is worth another try.
    async fn is_left(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.most {
            return false;
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }
}

async fn reach(
    hub: &RemoteHub,
    after: Option<Seq>,
    patience: &mut Patience,
) -> Result<Socket, HubError> {
    loop {
        match open(hub, after).await {
            Err(error @ HubError::Unreachable(_)) => {
                if !patience.is_left().await {
                    return Err(error);
                }
            }
            opened => return opened,
        }
    }
}

async fn open(hub: &RemoteHub, after: Option<Seq>) -> Result<Socket, HubError> {
    let (url, token) = hub.address()?;
    let host = url.strip_prefix("http://").unwrap_or(&url);
    let after = after.map_or_else(String::new, |after| format!("?after={after}"));
    let address = format!("ws://{host}/api/v1/events{after}");
    let mut request = address.into_client_request().map_err(unreachable)?;
    let token = HeaderValue::from_str(&token).map_err(unreachable)?;
    request.headers_mut().insert("authorization", token);
    let deliverer = HeaderValue::from_str(hub.deliverer().as_str()).map_err(unreachable)?;
    request.headers_mut().insert(DELIVERER_HEADER, deliverer);
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST_ANSWER))
        .max_frame_size(Some(LARGEST_ANSWER));
    let stream = connect(hub.home(), host).await.map_err(unreachable)?;
    match client_async_with_config(request, stream, Some(config)).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) if matches!(response.status().as_u16(), 401 | 403) => {
            Err(HubError::Denied(format!("status {}", response.status().as_u16())))
        }
        Err(error) => Err(unreachable(error)),
    }
}

#[async_trait]
impl Feed for RemoteFeed {
    async fn next(&mut self) -> Result<News, HubError> {
        loop {
            let why = match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    self.patience.renew();
                    let news = EventFrame::read(&text)
                        .map_err(|violation| HubError::Unreachable(violation.to_string()))?;
                    match &news {
                        News::Event(told) => self.cursor = Some(told.seq),
                        News::Live(seq) | News::Reset(seq) => self.cursor = Some(*seq),
                        News::Typing { .. } | News::Speaking { .. } => {}
                    }
                    return Ok(news);
                }
                Some(Ok(Message::Ping(data))) => {
                    // If it cannot be sent, the next read tells.
                    let _ = self.socket.send(Message::Pong(data)).await;
                    continue;
                }
                Some(Ok(Message::Close(Some(frame)))) if u16::from(frame.code) == 4401 => {
                    return Err(HubError::Denied(frame.reason.to_string()));
                }
                Some(Ok(Message::Close(_))) | None => HubError::Unreachable("it went away".into()),
                Some(Ok(_)) => continue,
                Some(Err(error)) => unreachable(error),
            };
            self.reconnect(why).await?;
        }
    }
}
