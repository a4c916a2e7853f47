//! The trait `Hub`, over HTTP.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use handraise_broker::{
    AskId, Asked, BUILT_IN, DelivererId, Draft, Feed, Hub, HubError, Look, MOST_LISTED, NewAsk,
    Order, Power, Query, RealWorld, Receipt, Record, Reply, Seq, Token, World, hex,
};
use handraise_question::Surface;
use handraise_wire::v1::{
    AgentParams, AnswerJson, AnswerParams, AskParams, AskResponse, AsksResponse, DELIVERER_HEADER,
    DeclineParams, DelivererJson, DeviceJson, DevicesResponse, DiscussParams, DraftJson,
    ExtendParams, InsideAgentParams, LinkParams, LinkResponse, LoginParams, LoginResponse,
    LookParams, Problem, ReceiptParams, SURFACE_HEADER, StatusResponse, TimesResponse,
    WithdrawParams,
};
use hyper::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use crate::Home;
use crate::feed::RemoteFeed;
use crate::http::{Answer, Headers, Http, LARGEST_ANSWER};

/// A hub at the other end of a connection, as the holder of one token sees it.
#[derive(Debug, Clone)]
pub struct RemoteHub {
    home: Home,
    power: Power,
    /// Whose token is used, where it is not the one that all agents shared.
    agent: Option<Cow<'static, str>>,
    surface: Surface,
    deliverer: DelivererId,
    http: Http,
    /// For how long a request is tried again while the hub cannot be reached.
    patience: Duration,
    starter: Option<Starter>,
}

/// Starts a hub where there is none.
#[derive(Clone)]
struct Starter(Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for Starter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Starter")
    }
}

/// How long a request may take beside what it waits for.
const OVERHEAD: Duration = Duration::from_secs(30);
/// More than one message takes in a page of them.
const LARGEST_LISTED: usize = 2 * 1024 * 1024;
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

impl RemoteHub {
    /// Uses the token of this power in `home`; for an agent, the one that all agents shared.
    #[must_use]
    pub fn new(home: Home, power: Power, surface: Surface) -> Self {
        let deliverer = DelivererId::random(RealWorld.random());
        let (http, patience) = (Http::new(home.clone()), Duration::ZERO);
        Self { home, power, agent: None, surface, deliverer, http, patience, starter: None }
    }

    /// Uses the token of the agent of this name in `home`.
    #[must_use]
    pub fn agent(home: Home, name: impl Into<Cow<'static, str>>) -> Self {
        Self { agent: Some(name.into()), ..Self::new(home, Power::Agent, Surface::Api) }
    }

    /// Tries again for this long while the hub cannot be reached. Every request it sends is safe to repeat.
    #[must_use]
    pub fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Calls `start` when something is to be asked or listed and no hub runs; whoever is patient then finds
    /// it. A hub that goes away while its answer is waited for is left to whoever made it go.
    #[must_use]
    pub fn started_by(self, start: impl Fn() + Send + Sync + 'static) -> Self {
        Self { starter: Some(Starter(Arc::new(start))), ..self }
    }

    /// The name under which this process delivers.
    #[must_use]
    pub fn deliverer(&self) -> &DelivererId {
        &self.deliverer
    }

    /// How the hub is.
    ///
    /// # Errors
    ///
    /// When it cannot be reached.
    pub async fn status(&self) -> Result<StatusResponse, HubError> {
        self.call(Method::GET, "/status", NOTHING).await?.read().map_err(plain)
    }

    /// How long agents waited in the last days, for somebody whose clock is so many minutes ahead of UTC.
    ///
    /// # Errors
    ///
    /// When the hub refuses or cannot be reached.
    pub async fn times(&self, days: u16, offset: i32) -> Result<TimesResponse, HubError> {
        let path = format!("/times?days={days}&offset={offset}");
        self.call(Method::GET, &path, NOTHING).await?.read().map_err(plain)
    }

    /// A new one-time login link, which leads to an ask or to all that waits.
    ///
    /// # Errors
    ///
    /// When the hub refuses or cannot be reached.
    pub async fn link(&self, ask: Option<AskId>) -> Result<LinkResponse, HubError> {
        let params = ask.map(|ask| LinkParams { ask: Some(ask) });
        self.call(Method::POST, "/links", params.as_ref()).await?.read().map_err(plain)
    }

    /// Adds a device of the same person, and returns its token.
    ///
    /// # Errors
    ///
    /// When the hub refuses or cannot be reached.
    pub async fn add_device(&self, name: &str) -> Result<LoginResponse, HubError> {
        let link = self.link(None).await?;
        let secret = link.url.split_once("#login=").map(|(_, secret)| secret.to_owned());
        let secret = secret.ok_or_else(|| HubError::Unreachable("a link without secret".into()))?;
        let params = LoginParams { secret, name: Some(name.to_owned()) };
        self.call(Method::POST, "/login", Some(&params)).await?.read().map_err(plain)
    }

    /// A token for the agent of this name.
    ///
    /// # Errors
    ///
    /// When the hub refuses or cannot be reached.
    pub async fn add_agent(&self, name: &str) -> Result<LoginResponse, HubError> {
        let params = AgentParams { agent: name.to_owned() };
        self.call(Method::POST, "/devices", Some(&params)).await?.read().map_err(plain)
    }

    /// The devices whose tokens count.
    ///
    /// # Errors
    ///
    /// When the hub refuses or cannot be reached.
    pub async fn devices(&self) -> Result<Vec<DeviceJson>, HubError> {
        let answer = self.call(Method::GET, "/devices", NOTHING).await?;
        answer.read().map(|all: DevicesResponse| all.devices).map_err(plain)
    }

    /// Makes a device's token count no more.
    ///
    /// # Errors
    ///
    /// When the hub refuses or cannot be reached.
    pub async fn revoke(&self, id: &str) -> Result<DeviceJson, HubError> {
        let path = format!("/devices/{id}");
        self.call(Method::DELETE, &path, NOTHING).await?.read().map_err(plain)
    }

    /// Has the hub note that a command refused to run inside an agent.
    ///
    /// # Errors
    ///
    /// When it cannot be reached.
    pub async fn note_inside_agent(&self, command: &str, sign: &str) -> Result<(), HubError> {
        let params = InsideAgentParams { command: command.into(), sign: sign.into() };
        done(&self.call(Method::POST, "/refusals", Some(&params)).await?)
    }

    fn have_it_started(&self) {
        if let Some(Starter(start)) = &self.starter
            && self.home.hub().is_none()
        {
            start();
        }
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Where the hub is now, and the token for it.
    pub(crate) fn address(&self) -> Result<(String, String), HubError> {
        let down = || HubError::Unreachable("no hub is running".into());
        let hub = self.home.hub().ok_or_else(down)?;
        Ok((hub.url, format!("Bearer {}", self.token()?.reveal())))
    }

    fn token(&self) -> Result<Token, HubError> {
        let unreadable =
            |file: PathBuf| HubError::Denied(format!("{} cannot be read", file.display()));
        if let Some(agent) = &self.agent {
            match self.home.agent_token(agent) {
                Ok(token) => return Ok(token),
                // A hub of an older version has made none; the shared one is good there.
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound
                        && BUILT_IN.contains(&agent.as_ref()) => {}
                Err(_) => return Err(unreadable(self.home.agent_token_file(agent))),
            }
        }
        let shared = self.home.token(self.power);
        shared.ok_or_else(|| unreadable(self.home.token_file(self.power)))
    }

    fn headers(&self, token: String) -> Headers {
        vec![
            ("authorization", token),
            (SURFACE_HEADER, name_of(&self.surface)),
            (DELIVERER_HEADER, self.deliverer.as_str().to_owned()),
        ]
    }

    pub(crate) async fn call<B: Serialize + Sync>(
        &self,
        method: Method,
        path: &str,
        body: Option<&B>,
    ) -> Result<Answer, HubError> {
        self.call_for(method, path, body, Duration::ZERO, LARGEST_ANSWER).await
    }

    /// Fetches a page of up to `limit` sessions or messages.
    pub(crate) async fn call_for_page(&self, path: &str, limit: u32) -> Result<Answer, HubError> {
        let limit = usize::try_from(limit.min(MOST_LISTED)).unwrap_or(usize::MAX);
        let largest = LARGEST_ANSWER + limit * LARGEST_LISTED;
        self.call_for(Method::GET, path, NOTHING, Duration::ZERO, largest).await
    }

    async fn call_for<B: Serialize + Sync>(
        &self,
        method: Method,
        path: &str,
        body: Option<&B>,
        wait: Duration,
        largest: usize,
    ) -> Result<Answer, HubError> {
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let answer = match self.address() {
                Ok((url, token)) => {
                    let url = format!("{url}/api/v1{path}");
                    let headers = self.headers(token);
                    let patience = wait + OVERHEAD;
                    self.http.send(method.clone(), &url, &headers, body, patience, largest).await
                }
                Err(error) => Err(error),
            };
            let away = match &answer {
                Err(HubError::Unreachable(_)) => true,
                Ok(answer) => answer.is_busy(),
                Err(_) => false,
            };
            if !away || start.elapsed() >= self.patience {
                return answer;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// What the hub says about an ask.
    async fn about(&self, id: AskId, answer: Answer) -> Result<Arc<Record>, HubError> {
        match answer.read::<AskResponse>() {
            Ok(ask) => record(ask),
            Err(problem) => Err(self.why(id, problem).await),
        }
    }

    /// Why the hub refused. Whoever was too late wants to know what stands instead.
    async fn why(&self, id: AskId, problem: Problem) -> HubError {
        let stands =
            if problem.code == "already_resolved" { self.get(id).await.ok() } else { None };
        problem.into_error(Some(id), stands.map(|record| Box::new(Record::clone(&record))))
    }

    async fn change<B: Serialize + Sync>(
        &self,
        id: AskId,
        verb: &str,
        params: &B,
    ) -> Result<Arc<Record>, HubError> {
        let answer = self.call(Method::POST, &format!("/asks/{id}/{verb}"), Some(params)).await?;
        self.about(id, answer).await
    }

    pub(crate) fn some_key() -> String {
        hex(&RealWorld.random()[..16])
    }
}

pub(crate) const NOTHING: Option<&()> = None;

#[async_trait]
impl Hub for RemoteHub {
    async fn ask(&self, mut new: NewAsk) -> Result<Asked, HubError> {
        // With a key of its own it can be repeated when an answer gets lost.
        new.key.get_or_insert_with(Self::some_key);
        self.have_it_started();
        let params = AskParams::from(&new);
        let answer = self.call(Method::POST, "/asks", Some(&params)).await?;
        let new_one = answer.is_created();
        let ask: AskResponse = answer.read().map_err(plain)?;
        let yours = ask.deliverer != Some(DelivererJson::Another);
        Ok(Asked { record: record(ask)?, new: new_one, yours })
    }

    async fn get(&self, id: AskId) -> Result<Arc<Record>, HubError> {
        let answer = self.call(Method::GET, &format!("/asks/{id}"), NOTHING).await?;
        match answer.read() {
            Ok(ask) => record(ask),
            Err(problem) => Err(problem.into_error(Some(id), None)),
        }
    }

    async fn list(&self, mut query: Query) -> Result<Vec<Arc<Record>>, HubError> {
        self.have_it_started();
        let mut found = vec![];
        // A search may take several requests, each of which the hub answers in a moment.
        loop {
            let answer = self.call(Method::GET, &address_of(&query), NOTHING).await?;
            let page: AsksResponse = answer.read().map_err(plain)?;
            query.limit =
                query.limit.saturating_sub(u32::try_from(page.asks.len()).unwrap_or(u32::MAX));
            query.after = page.next;
            for ask in page.asks {
                found.push(record(ask)?);
            }
            if query.limit == 0 || query.after.is_none() {
                return Ok(found);
            }
        }
    }

    async fn wait(
        &self,
        id: AskId,
        _deliverer: Option<DelivererId>,
        patience: Duration,
    ) -> Result<Option<Arc<Record>>, HubError> {
        let seconds = patience.as_secs().min(60);
        let path = format!("/asks/{id}/resolution?wait={seconds}");
        let answer = self.call_for(Method::GET, &path, NOTHING, patience, LARGEST_ANSWER).await?;
        if answer.is_empty() {
            return Ok(None);
        }
        if !answer.is_success() {
            return Err(self.why(id, answer.problem()).await);
        }
        self.get(id).await.map(Some)
    }

    async fn reply(
        &self,
        id: AskId,
        reply: Reply,
        key: Option<String>,
    ) -> Result<Arc<Record>, HubError> {
        let idempotency_key = Some(key.unwrap_or_else(Self::some_key));
        match reply {
            Reply::Answer(forms) => {
                let answers = Some(forms.into_iter().map(AnswerJson::from).collect());
                let params = AnswerParams { answers, idempotency_key, ..AnswerParams::default() };
                self.change(id, "answer", &params).await
            }
            Reply::Decide(form) => {
                let params = AnswerParams {
                    answers: None,
                    decision: Some(form.decision),
                    message: form.message,
                    input: form.input,
                    remember: form.remember,
                    idempotency_key,
                };
                self.change(id, "answer", &params).await
            }
            Reply::Decline(reason) => {
                self.change(id, "decline", &DeclineParams { reason, idempotency_key }).await
            }
            Reply::Discuss(words) => {
                self.change(id, "discuss", &DiscussParams { words, idempotency_key }).await
            }
        }
    }

    async fn extend(
        &self,
        id: AskId,
        seconds: u64,
        key: Option<String>,
    ) -> Result<Arc<Record>, HubError> {
        let idempotency_key = Some(key.unwrap_or_else(Self::some_key));
        self.change(id, "extend", &ExtendParams { seconds, idempotency_key }).await
    }

    async fn withdraw(&self, id: AskId, reason: Option<String>) -> Result<Arc<Record>, HubError> {
        self.change(id, "withdraw", &WithdrawParams { reason }).await
    }

    async fn receipt(&self, id: AskId, receipt: Receipt) -> Result<Arc<Record>, HubError> {
        let Receipt { level, text, took, doubt } = receipt;
        let doubt = doubt.map(Into::into);
        self.change(id, "receipt", &ReceiptParams { level, text, took, doubt }).await
    }

    async fn draft(&self, id: AskId) -> Result<Option<Draft>, HubError> {
        let answer = self.call(Method::GET, &format!("/asks/{id}/draft"), NOTHING).await?;
        if answer.is_empty() {
            return Ok(None);
        }
        let draft: Result<DraftJson, _> = answer.read();
        draft.map(|draft| Some(draft.into())).map_err(|problem| problem.into_error(Some(id), None))
    }

    async fn keep_draft(&self, id: AskId, draft: Draft) -> Result<(), HubError> {
        let draft = DraftJson::from(draft);
        done(&self.call(Method::PUT, &format!("/asks/{id}/draft"), Some(&draft)).await?)
    }

    async fn drop_draft(&self, id: AskId) -> Result<(), HubError> {
        done(&self.call(Method::DELETE, &format!("/asks/{id}/draft"), NOTHING).await?)
    }

    async fn look(&self, look: Look) -> Result<(), HubError> {
        let look = LookParams::from(look);
        done(&self.call(Method::PUT, "/attention", Some(&look)).await?)
    }

    async fn follow(&self, after: Option<Seq>) -> Result<Box<dyn Feed>, HubError> {
        Ok(Box::new(RemoteFeed::connect(self.clone(), after, self.patience).await?))
    }
}

/// The list or the history that holds what is wanted.
fn address_of(query: &Query) -> String {
    let ended = query.order == Order::LastEndedFirst;
    let mut path = if ended {
        format!("/history?limit={}", query.limit)
    } else {
        let state = match query.states.as_slice() {
            [one] => one.name(),
            _ => "all",
        };
        format!("/asks?state={state}&limit={}", query.limit)
    };
    let mut add = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
            path = format!("{path}&{name}={value}");
        }
    };
    add("agent", query.agent.as_deref());
    add("session", query.session.as_deref());
    add("after", query.after.map(|id| id.to_string()).as_deref());
    add("project", query.sought.project.as_deref());
    add("text", query.sought.text.as_deref());
    if ended {
        add("kind", query.kind.as_deref());
        add("person", query.sought.person.as_deref());
        let surface = query.sought.surface.as_ref().map(name_of);
        add("surface", surface.as_deref());
        add("doubted", query.doubted.then_some("true"));
    }
    path
}

fn name_of(surface: &Surface) -> String {
    let name = serde_json::to_value(surface).unwrap_or_default();
    name.as_str().unwrap_or("api").to_owned()
}

fn record(ask: AskResponse) -> Result<Arc<Record>, HubError> {
    ask.try_into().map_err(|violation: handraise_question::Violation| {
        HubError::Unreachable(format!("its answer makes no sense: {violation}"))
    })
}

pub(crate) fn plain(problem: Problem) -> HubError {
    problem.into_error(None, None)
}

pub(crate) fn done(answer: &Answer) -> Result<(), HubError> {
    if answer.is_success() { Ok(()) } else { Err(plain(answer.problem())) }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use handraise_broker::{Sessions, Token};
    use serde_json::Value;

    use super::*;
    use crate::HubFile;

    /// The JSON of a request.
    fn body(connection: &mut TcpStream) -> Value {
        let mut read = vec![];
        let mut chunk = [0; 4096];
        loop {
            let length = connection.read(&mut chunk).unwrap();
            assert!(length > 0, "the request was cut short");
            read.extend_from_slice(&chunk[..length]);
            let text = String::from_utf8_lossy(&read);
            if let Some(body) =
                text.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str(body).ok())
            {
                return body;
            }
        }
    }

    /// Calls a hub that takes each request twice: it drops the connection after the first.
    fn repeated<T>(call: impl AsyncFnOnce(RemoteHub) -> Result<T, HubError>) -> [Value; 2] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let directory = tempfile::tempdir().unwrap();
        let home = Home::new(directory.path());
        home.keep_token(Power::Person, &Token::new([3; 32])).unwrap();
        home.announce(&HubFile::here(format!("http://{}", listener.local_addr().unwrap())))
            .unwrap();
        let hub = thread::spawn(move || {
            let first = body(&mut listener.accept().unwrap().0);
            let mut connection = listener.accept().unwrap().0;
            let second = body(&mut connection);
            connection.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").unwrap();
            [first, second]
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let remote = RemoteHub::new(home, Power::Person, Surface::Api);
        let patient = remote.patient(Duration::from_mins(1));
        assert!(runtime.block_on(call(patient)).is_err());
        hub.join().unwrap()
    }

    #[test]
    fn an_extension_or_an_interrupt_that_is_repeated_has_one_key() {
        const ID: &str = "019a9b3c-0000-7000-8000-000000000001";
        let extended = repeated(async |hub| hub.extend(ID.parse().unwrap(), 60, None).await);
        let interrupted = repeated(async |hub| hub.interrupt(ID.parse().unwrap(), None).await);
        for [first, second] in [extended, interrupted] {
            assert!(first["idempotencyKey"].as_str().is_some_and(|key| !key.is_empty()), "{first}");
            assert_eq!(first, second);
        }
    }
}
