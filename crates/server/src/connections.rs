//! Connections: how many, how long, and how they end.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jiff::Timestamp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;

use crate::app::{App, Peer};
use crate::body::MOST_DRAINED;
use crate::connection::{Connection, TOO_MANY_CONNECTIONS};
use crate::room::in_pieces;
use crate::routes;
use crate::strangers::Strangers;

/// How long it waits after a connection could not be taken.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a new connection waits for room.
const ROOM: Duration = Duration::from_secs(1);

/// How many connections may wait for room at once; all others wait in the listener's queue. The files they
/// are must not be those the hub keeps free for its own.
const NEWCOMERS: usize = 50;

/// Takes connections until the app is told to stop, then lets what is under way end.
pub async fn serve(listener: TcpListener, app: App) {
    let router = routes::router(app.clone());
    let places = Arc::new(Semaphore::new(app.config.limits.connections));
    let strangers = Strangers::default();
    let agents = Arc::new(Semaphore::new(places_of_agents(app.config.limits.connections)));
    let newcomers = Arc::new(Semaphore::new(NEWCOMERS));
    loop {
        let accept = async {
            let newcomer = newcomers.clone().acquire_owned().await;
            (newcomer, listener.accept().await)
        };
        let (newcomer, accepted) = tokio::select! {
            accepted = accept => accepted,
            () = app.stopping.cancelled() => break,
        };
        match accepted {
            Ok((stream, address)) => {
                let visit = Visit {
                    app: app.clone(),
                    router: router.clone(),
                    places: places.clone(),
                    strangers: strangers.clone(),
                    agents: agents.clone(),
                    peer: address.ip(),
                };
                app.tasks.spawn(visit.receive(stream, newcomer.ok()));
            }
            Err(error) => {
                // Most likely out of file descriptors: waiting is all that helps.
                tracing::warn!(%error, "cannot take a connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    app.tasks.close();
    loop {
        tokio::select! {
            () = app.tasks.wait() => return,
            // The port stays taken, but nobody should have to wait until the process ends.
            refused = listener.accept() => if refused.is_err() {
                tokio::time::sleep(PAUSE).await;
            },
        }
    }
}

struct Visit {
    app: App,
    router: Router,
    places: Arc<Semaphore>,
    strangers: Strangers,
    agents: Arc<Semaphore>,
    peer: IpAddr,
}

/// How many of all connections agents may have. They wait for answers, and the people who could give
/// them need room to come in.
fn places_of_agents(all: usize) -> usize {
    const MOST_KEPT: usize = 64;
    all - (all / 4).min(MOST_KEPT)
}

impl Visit {
    async fn receive(self, mut stream: TcpStream, newcomer: Option<OwnedSemaphorePermit>) {
        // Answers are small and somebody waits for them.
        let _ = stream.set_nodelay(true);
        let limits = self.app.config.limits;
        let Some(place) = self.place().await else {
            self.turn_away(&mut stream, Turned::Crowded).await;
            return self.linger(stream, ROOM).await;
        };
        drop(newcomer);
        let stranger = self.strangers.join(limits.strangers, Instant::now());
        let connection = Connection::new(place, stranger, self.agents.clone());
        let mut first = [0];
        let refused = tokio::select! {
            // Whoever has said something by now is not silent.
            biased;
            // Not `readable`: that is what every new connection claims to be.
            said = stream.peek(&mut first) => match said {
                Ok(1..) => None,
                Ok(0) | Err(_) => return,
            },
            () = connection.has_to_go() => Some(Turned::Crowded),
            () = tokio::time::sleep(limits.patience) => Some(Turned::Silent),
            () = self.app.stopping.cancelled() => return,
        };
        // hyper dates its answers, and panics where it cannot.
        let is_undatable = self.app.broker.world().now() < Timestamp::UNIX_EPOCH;
        match refused {
            None if is_undatable => {
                self.turn_away(&mut stream, Turned::Undatable).await;
                self.linger(stream, ROOM).await;
            }
            None => self.talk(stream, connection).await,
            Some(why) => self.turn_away(&mut stream, why).await,
        }
    }

    /// A place among all connections; if there is none, a stranger has to make room.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = self.places.clone().try_acquire_owned() {
            return Some(place);
        }
        self.strangers.make_room();
        let freed = tokio::time::timeout(ROOM, self.places.clone().acquire_owned()).await;
        freed.ok()?.ok()
    }

    async fn talk(self, stream: TcpStream, connection: Connection) {
        let patience = self.app.config.limits.patience;
        let (router, peer, speaker) = (self.router.clone(), Peer(self.peer), connection.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(speaker.clone());
            speaker.begin_request();
            let (router, speaker) = (router.clone(), speaker.clone());
            async move { router.oneshot(request).await.map(|answer| in_pieces(answer, speaker)) }
        });
        let mut http = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .max_buf_size(64 * 1024)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let ended = tokio::select! {
            biased;
            ended = &mut http => Some(ended),
            () = connection.has_to_go() => None,
            () = connection.has_to_stop(&self.app.broker, patience) => return,
            () = self.app.stopping.cancelled() => {
                std::pin::Pin::new(&mut http).graceful_shutdown();
                Some((&mut http).await)
            }
        };
        // Without parts it is a WebSocket by now, and no longer ours.
        let Some(parts) = http.into_parts() else { return };
        let mut stream = parts.io.into_inner();
        match ended {
            Some(Ok(())) => {}
            // Half a request. Between two requests there is nobody to tell.
            Some(Err(error)) if error.is_timeout() && !parts.read_buf.is_empty() => {
                self.turn_away(&mut stream, Turned::Slow).await;
            }
            Some(Err(error)) => tracing::debug!(%error, "a connection ended badly"),
            // What strangers are answered is short, so it was not begun yet.
            None => self.turn_away(&mut stream, Turned::Crowded).await,
        }
        tokio::select! {
            () = self.linger(stream, patience) => {}
            () = connection.has_to_go() => {}
        }
    }

    /// Reads on for a while after the last word, and throws it away: closing with something unread
    /// would make the other side lose what it was told.
    async fn linger(&self, mut stream: TcpStream, patience: Duration) {
        let drain = async {
            // It may be said already, or too late to say.
            let _ = stream.shutdown().await;
            let mut left = MOST_DRAINED;
            let mut buffer = vec![0; 16 * 1024];
            while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                left = left.saturating_sub(read);
                if left == 0 {
                    return;
                }
            }
        };
        tokio::select! {
            // Running out of patience is as good an end as any.
            _ = tokio::time::timeout(patience, drain) => {}
            () = self.app.stopping.cancelled() => {}
        }
    }

    async fn turn_away(&self, stream: &mut TcpStream, why: Turned) {
        let (status, code, title) = why.words();
        let number = &status[..3];
        let body = format!("{{\"status\":{number},\"code\":\"{code}\",\"title\":\"{title}\"}}");
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/problem+json\r\nretry-after: 1\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let said: io::Result<()> = async {
            stream.write_all(answer.as_bytes()).await?;
            stream.shutdown().await
        }
        .await;
        if let Err(error) = said {
            tracing::debug!(%error, "could not say goodbye");
        }
        self.note(why).await;
    }

    async fn note(&self, why: Turned) {
        let (_, code, _) = why.words();
        let peer = Some(self.peer.to_string());
        self.app.refusals.note(code, "a connection", peer, None).await;
    }
}

/// Why a connection is not taken, or not kept.
#[derive(Clone, Copy)]
enum Turned {
    Crowded,
    Silent,
    Slow,
    Undatable,
}

impl Turned {
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Crowded => {
                ("503 Service Unavailable", TOO_MANY_CONNECTIONS, "too many connections")
            }
            Self::Silent => ("408 Request Timeout", "silent", "nothing was said for too long"),
            Self::Undatable => (
                "503 Service Unavailable",
                "wrong_clock",
                "the clock of the hub's machine is before 1970: set it",
            ),
            Self::Slow => ("408 Request Timeout", "too_slow", "the request took too long"),
        }
    }
}
