//! Starting a hub, and stopping it again.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{Broker, Caller, DeviceId, RealWorld, Settings, StoreError};
use handraise_client::{Home, HubFile};
use handraise_question::Surface;
use handraise_server::{App, Invitation, Limits, has_dashboard};
use handraise_store_sqlite::SqliteStore;
use handraise_wire::v1::WatchJson;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::lock::Lock;
use super::sessions::{Runners, resume_when_answered};
use super::workspaces::Panopticon;
use super::{descriptors, leftovers, notifying, retention, tokens, watcher};
use crate::config::{self, Config};
use crate::environment;
use crate::failure::{self, Exit, Failure};

/// Tried first when nobody names a port.
const USUAL_PORT: u16 = 4731;

/// A hub that is up.
pub(crate) struct Running {
    pub(crate) url: String,
    pub(crate) open: usize,
    app: App,
    broker: Broker,
    /// The device of the account this hub belongs to.
    owner: DeviceId,
    stopping: CancellationToken,
    server: JoinHandle<()>,
    writer: JoinHandle<()>,
    notifier: Option<JoinHandle<()>>,
    watcher: Option<JoinHandle<()>>,
    /// How the watch is.
    watch: Arc<watch::Sender<WatchJson>>,
    store: SqliteStore,
    /// Nobody else takes this home before everything is stored.
    _locks: [Lock; 2],
}

/// Starts the one hub of a home, which is ours alone.
pub(crate) async fn start(
    home: &Home,
    home_lock: Lock,
    config: &Config,
    listen: Option<SocketAddr>,
    database: Option<&str>,
) -> Result<Running, Failure> {
    warn_of_others(home);
    let file = database_file(home, database)?;
    let locks = [home_lock, Lock::of_database(&file)?];
    let opened = SqliteStore::open(&file);
    let store = opened.map_err(|error| store_failure(&file, error))?;
    let settings = Settings {
        caps: config.policy.clone(),
        most_open: config.limits.open_asks,
        ..Settings::default()
    };
    let (broker, writer) = Broker::start(Arc::new(store.clone()), Arc::new(RealWorld), settings)
        .await
        .map_err(|error| store_failure(&file, error))?;
    let person = config.person.clone().or_else(environment::user).unwrap_or_else(|| "owner".into());
    let owner = tokens::prepare(home, &broker, &person, &file).await?;
    let listener = listener(home, listen.or(config.listen))?;
    let internal = |error| Failure::new(Exit::Internal, error);
    let listener = held_until_the_process_ends(listener).map_err(internal)?;
    let address = listener.local_addr().map_err(internal)?;
    let url = format!("http://{address}");
    let stopping = CancellationToken::new();
    let runners = Runners::new(home, &broker, &config.run, stopping.clone()).map_err(internal)?;
    let (watch, watch_status) = watch::channel(WatchJson::default());
    let app = App::new(
        broker.clone(),
        handraise_server::Config {
            url: url.clone(),
            allow_hosts: config.allow_hosts.clone(),
            allow_origins: config.allow_origins.clone(),
            person,
            limits: Limits {
                requests_per_second: config.limits.requests_per_second.get(),
                connections: config.limits.connections.get().min(descriptors::room()),
                patience: Duration::from_secs(config.limits.patience_seconds.get().into()),
                ..Limits::default()
            },
            starter: Arc::new(runners.clone()),
            workspaces: Arc::new(Panopticon),
            watch: watch_status,
        },
        stopping.clone(),
    );
    let (open, _) = broker.waiting();
    if let Some(days) = config.retention.days {
        tokio::spawn(retention::keep(broker.clone(), days, stopping.clone()));
    }
    let server = tokio::spawn(handraise_server::serve(listener, app.clone()));
    let announced = home.announce(&HubFile::here(&url));
    announced.map_err(|error| Failure::unwritable(&home.hub_file(), error))?;
    tokio::spawn(resume_when_answered(runners.clone()));
    tokio::spawn(leftovers::settle(home.clone(), broker.clone(), runners, stopping.clone()));
    Ok(Running {
        url,
        open,
        app,
        broker,
        owner,
        stopping,
        server,
        writer,
        notifier: None,
        watcher: None,
        watch: Arc::new(watch),
        store,
        _locks: locks,
    })
}

impl Running {
    /// A link that opens the dashboard once, within ten minutes; `None` when there is no dashboard.
    pub(crate) fn login_link(&self) -> Option<String> {
        let invitation = Invitation { by: self.owner, to: None };
        has_dashboard().then(|| self.app.new_link(invitation, None).url)
    }

    /// Has a person tapped on the shoulder from now on.
    pub(crate) fn notify(&mut self, home: &Home, config: &config::Notify) {
        let device = self.broker.devices().into_iter().find(|device| device.id == self.owner);
        let Some(device) = device else { return };
        let hub = self.broker.seat(Caller { device, surface: Surface::Api });
        let settings = notifying::settings(home, config, &self.url);
        let notifying =
            handraise_notify::run(self.broker.clone(), hub, settings, self.stopping.clone());
        self.notifier = Some(tokio::spawn(notifying));
    }

    /// Watches Claude Code's sessions from now on.
    pub(crate) fn watch(&mut self, home: &Home, config: &config::Watch) {
        let (broker, status) = (self.broker.clone(), Arc::clone(&self.watch));
        let stopping = self.stopping.clone();
        let watching = watcher::keep(home.clone(), broker, config.clone(), status, stopping);
        self.watcher = Some(tokio::spawn(watching));
    }

    /// Takes no more, lets what is under way end within `patience`, and stores everything.
    pub(crate) async fn stop(self, patience: Duration) {
        self.stopping.cancel();
        // The writer ends when nobody is left who could want something written.
        drop((self.app, self.broker));
        let ended = async {
            let parts = [
                self.watcher.map(|task| (task, "watch")),
                self.notifier.map(|task| (task, "notifier")),
                Some((self.server, "server")),
                Some((self.writer, "writer")),
            ];
            for (task, name) in parts.into_iter().flatten() {
                if let Err(error) = task.await {
                    tracing::error!(%error, name, "a part of the hub failed");
                }
            }
        };
        if tokio::time::timeout(patience, ended).await.is_err() {
            tracing::warn!("some connections would not end");
        }
        self.store.close().await;
    }
}

/// Whoever can write in the home decides where clients send their tokens.
fn warn_of_others(home: &Home) {
    const OTHERS_WRITE: u32 = 0o022;
    let directory = home.directory();
    if fs::metadata(directory).is_ok_and(|found| found.mode() & OTHERS_WRITE != 0) {
        let directory = directory.display();
        failure::say(&format!(
            "warning: others can write in {directory} and so lead your answers and tokens elsewhere; \
             keep them out with: chmod go-w {directory}"
        ));
    }
}

/// Where it was told to listen; else where it listened last, else at the usual port, else anywhere.
fn listener(home: &Home, wanted: Option<SocketAddr>) -> Result<TcpListener, Failure> {
    if let Some(address) = wanted {
        if !address.ip().is_loopback() {
            failure::say(&format!(
                "warning: {address} can be reached by others, without encryption; tokens are all \
                 that protects it"
            ));
        }
        return bind(address).map_err(|error| cannot_listen(address, error));
    }
    let last = home.last_hub().and_then(|hub| hub.url.strip_prefix("http://")?.parse().ok());
    let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let places = last.into_iter().chain([local(USUAL_PORT), local(0)]);
    let mut refused: Option<(SocketAddr, io::Error)> = None;
    for place in places {
        match bind(place) {
            Ok(listener) => {
                if let (Some((wanted, error)), Ok(address)) = (refused, listener.local_addr()) {
                    say_elsewhere(wanted, &error, address);
                }
                return Ok(listener);
            }
            Err(error) => refused = refused.or(Some((place, error))),
        }
    }
    let error = refused.map_or_else(|| io::ErrorKind::AddrNotAvailable.into(), |(_, error)| error);
    let error = anyhow::Error::new(error).context("cannot listen on 127.0.0.1");
    Err(Failure::new(Exit::Internal, error))
}

/// Bookmarks, front ends and hooks of other programs may know the usual address.
fn say_elsewhere(wanted: SocketAddr, error: &io::Error, address: SocketAddr) {
    let is_taken = error.kind() == io::ErrorKind::AddrInUse;
    let why = if is_taken { "another program listens there".into() } else { error.to_string() };
    failure::say(&format!(
        "warning: cannot listen on {wanted} ({why}); listening on {address} instead. To choose the port: \
         handraise serve --listen 127.0.0.1:PORT"
    ));
}

/// Whether a hub could listen there now.
pub(crate) fn check_address(address: SocketAddr) -> Result<(), Failure> {
    std::net::TcpListener::bind(address).map(drop).map_err(|error| cannot_listen(address, error))
}

fn cannot_listen(address: SocketAddr, error: io::Error) -> Failure {
    let taken = error.kind() == io::ErrorKind::AddrInUse;
    let context = format!("cannot listen on {address}");
    let failure = Failure::new(Exit::BadInput, anyhow::Error::new(error).context(context));
    if taken { failure.hint("another program listens there; name another port") } else { failure }
}

/// Listens with room for a crowd: with the usual 128, whoever comes in a burst has to knock again, a
/// second later.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    const WAITING: u32 = 4096;
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A hub that comes back gets its port back, whatever is left of old connections.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

/// Keeps the port, too, while the hub stops: clients take whoever listens there for the hub for as long as
/// its process runs.
fn held_until_the_process_ends(listener: TcpListener) -> io::Result<TcpListener> {
    let listener = listener.into_std()?;
    std::mem::forget(listener.try_clone()?);
    TcpListener::from_std(listener)
}

/// The file a database URL names; the home's own without one.
pub(crate) fn database_file(home: &Home, url: Option<&str>) -> Result<PathBuf, Failure> {
    let Some(url) = url else { return Ok(home.database()) };
    let path = match url.split_once(':') {
        Some(("sqlite", path)) => path.strip_prefix("//").unwrap_or(path),
        _ => "",
    };
    if path.is_empty() || path.starts_with(":memory:") {
        let error = anyhow::anyhow!("{url} is no database this version knows");
        return Err(Failure::new(Exit::BadInput, error).hint("write it as sqlite:/path/to/file.db"));
    }
    Ok(path.into())
}

pub(crate) fn store_failure(file: &Path, error: StoreError) -> Failure {
    let hint = match &error {
        StoreError::Full => Some("make room on that disk"),
        StoreError::ReadOnly => Some("make the file and its directory writable"),
        StoreError::TooNew => Some("use the newer Handraise"),
        StoreError::Damaged(_) => Some(
            "keep the file; put a backup in its place with `handraise restore FILE`, or move it away to start with an empty one",
        ),
        StoreError::Conflict | StoreError::Failed(_) => None,
    };
    let error = anyhow::Error::new(error).context(format!("cannot use {}", file.display()));
    let failure = Failure::new(Exit::Internal, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
