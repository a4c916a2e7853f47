//! Connections: how many, how long, and what they leave behind.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use handraise_broker::{Broker, DelivererId, Presence};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tower::ServiceExt;

use crate::app::{App, Peer};
use crate::routes;
use crate::silence::{Silence, Silent};

/// What is known of one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connection(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// The deliverers that speak over it; they are there as long as it is.
    presences: Vec<(DelivererId, Presence)>,
    /// Its place among the silent, until a request comes over it.
    silent: Option<Silent>,
}

impl Connection {
    fn known<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that a request came over it.
    fn has_spoken(&self) {
        self.known(|known| known.silent = None);
    }

    fn is_silent(&self) -> bool {
        self.known(|known| known.silent.is_some())
    }

    /// Notes that a deliverer speaks over it.
    pub(crate) fn host(&self, broker: &Broker, id: &DelivererId) {
        const MOST: usize = 1000;
        self.known(|known| {
            let news = !known.presences.iter().any(|(known, _)| known == id);
            if news && known.presences.len() < MOST {
                known.presences.push((id.clone(), broker.arrive(id.clone())));
            }
        });
    }
}

/// How long a new connection waits for room.
const ROOM: Duration = Duration::from_secs(1);

/// Takes connections until the app is told to stop, then lets what is under way end.
pub async fn serve(listener: TcpListener, app: App) {
    let router = routes::router(app.clone());
    let places = Arc::new(Semaphore::new(app.config.limits.connections));
    let silence = Silence::default();
    let mut number = 0;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = app.stopping.cancelled() => break,
        };
        match accepted {
            Ok((stream, address)) => {
                number += 1;
                let most = app.config.limits.silent;
                let (silent, has_to_go) = silence.join(number, most, Instant::now());
                let visit = Visit {
                    app: app.clone(),
                    router: router.clone(),
                    places: places.clone(),
                    silence: silence.clone(),
                    peer: address.ip(),
                };
                app.tasks.spawn(visit.receive(stream, silent, has_to_go));
            }
            Err(error) => {
                // Most likely out of file descriptors: waiting is all that helps.
                tracing::warn!(%error, "cannot take a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    app.tasks.close();
    app.tasks.wait().await;
}

struct Visit {
    app: App,
    router: Router,
    places: Arc<Semaphore>,
    silence: Silence,
    peer: IpAddr,
}

impl Visit {
    async fn receive(
        self,
        stream: TcpStream,
        silent: Silent,
        mut has_to_go: oneshot::Receiver<()>,
    ) {
        // Answers are small and somebody waits for them.
        let _ = stream.set_nodelay(true);
        let limits = self.app.config.limits;
        let Some(place) = self.place().await else {
            return self.turn_away(stream, Turned::Crowded).await;
        };
        let refused = tokio::select! {
            // Whoever has said something by now is not silent.
            biased;
            ready = stream.readable() => match ready {
                Ok(()) => None,
                Err(_) => return,
            },
            Ok(()) = &mut has_to_go => Some(Turned::Crowded),
            () = tokio::time::sleep(limits.patience) => Some(Turned::Silent),
            () = self.app.stopping.cancelled() => return,
        };
        match refused {
            None => self.talk(stream, silent, has_to_go, place).await,
            Some(why) => self.turn_away(stream, why).await,
        }
    }

    /// A place among all connections; if there is none, somebody silent has to make room.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = self.places.clone().try_acquire_owned() {
            return Some(place);
        }
        self.silence.make_room();
        let freed = tokio::time::timeout(ROOM, self.places.clone().acquire_owned()).await;
        freed.ok()?.ok()
    }

    async fn talk(
        self,
        stream: TcpStream,
        silent: Silent,
        mut has_to_go: oneshot::Receiver<()>,
        _place: OwnedSemaphorePermit,
    ) {
        let connection = Connection::default();
        connection.known(|known| known.silent = Some(silent));
        let (router, peer) = (self.router.clone(), Peer(self.peer));
        let speaker = connection.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            speaker.has_spoken();
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(speaker.clone());
            router.clone().oneshot(request)
        });
        let http = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.app.config.limits.patience)
            .max_buf_size(64 * 1024)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        tokio::pin!(http);
        let mut crowded = true;
        let ended = loop {
            tokio::select! {
                biased;
                ended = http.as_mut() => break ended,
                Ok(()) = &mut has_to_go, if crowded => {
                    if connection.is_silent() {
                        return self.note(Turned::Crowded).await;
                    }
                    crowded = false;
                }
                () = self.app.stopping.cancelled() => {
                    http.as_mut().graceful_shutdown();
                    break http.await;
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended badly");
        }
    }

    async fn turn_away(&self, mut stream: TcpStream, why: Turned) {
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

/// Why a connection is not taken.
#[derive(Clone, Copy)]
enum Turned {
    Crowded,
    Silent,
}

impl Turned {
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Crowded => {
                ("503 Service Unavailable", "too_many_connections", "too many connections")
            }
            Self::Silent => ("408 Request Timeout", "silent", "nothing was said for too long"),
        }
    }
}
