//! An agent that asks, and a person who answers: ask, WebSocket, answer, long poll.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::connection::Connection;
use super::subject::Subject;

const QUESTIONS: &str = include_str!("../../../bench/hub/questions.json");
const ANSWER: &str = "SQLite";

/// Agents with a person each, all of whom look at one WebSocket.
pub(crate) struct Exchanges {
    pairs: Vec<Pair>,
    follower: JoinHandle<Result<()>>,
}

impl Exchanges {
    pub(crate) async fn open(subject: &Subject, concurrent: usize) -> Result<Self> {
        let mut pairs = vec![];
        let mut ears = vec![];
        for number in 0..concurrent {
            let (ear, seen) = unbounded_channel();
            ears.push(ear);
            pairs.push(Pair {
                agent: Connection::open(subject.http, &subject.agent).await?,
                person: Connection::open(subject.http, &subject.person).await?,
                seen,
                number,
                asked: 0,
            });
        }
        let follower = follow(subject, ears).await?;
        Ok(Self { pairs, follower })
    }

    /// Lets every pair exchange for `time`.
    pub(crate) async fn run(mut self, time: Duration) -> Result<Done> {
        let start = Instant::now();
        let mut pairs = JoinSet::new();
        for mut pair in std::mem::take(&mut self.pairs) {
            pairs.spawn(async move {
                let mut done = 0_u32;
                while start.elapsed() < time {
                    pair.exchange().await?;
                    done += 1;
                }
                anyhow::Ok(done)
            });
        }
        let mut exchanges = 0;
        while let Some(pair) = pairs.join_next().await {
            exchanges += pair??;
        }
        Ok(Done { exchanges: exchanges.into(), took: start.elapsed() })
    }

    /// One exchange by the first pair, and how long it took.
    pub(crate) async fn one(&mut self) -> Result<Duration> {
        let pair = self.pairs.first_mut().context("nobody to exchange")?;
        let start = Instant::now();
        pair.exchange().await?;
        Ok(start.elapsed())
    }
}

/// What was done in which time.
pub(crate) struct Done {
    pub(crate) exchanges: f64,
    took: Duration,
}

impl Done {
    pub(crate) fn per_second(&self) -> f64 {
        self.exchanges / self.took.as_secs_f64()
    }
}

impl Drop for Exchanges {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

struct Pair {
    agent: Connection,
    person: Connection,
    /// Ids of asks the person sees.
    seen: UnboundedReceiver<String>,
    number: usize,
    asked: usize,
}

impl Pair {
    async fn exchange(&mut self) -> Result<()> {
        let Self { agent, person, seen, number, asked } = self;
        let body = ask(*number, *asked);
        *asked += 1;
        let agent = async {
            let id = post_ask(agent, &body).await?;
            let resolution = format!("/api/v1/asks/{id}/resolution?wait=30");
            let answer = agent.get(&resolution).await?;
            let found = str::from_utf8(answer.body)?;
            ensure!(answer.status == 200 && found.contains(ANSWER), "no answer: {found}");
            Ok(())
        };
        let person = async {
            let id = seen.recv().await.context("the WebSocket has ended")?;
            let body = format!(
                r#"{{"answers":[{{"selected":["{ANSWER}"]}}],"idempotencyKey":"bench-{id}"}}"#
            );
            let answer = person.post(&format!("/api/v1/asks/{id}/answer"), &body).await?;
            let found = String::from_utf8_lossy(answer.body);
            ensure!(answer.status == 200, "the answer was refused: {found}");
            Ok(())
        };
        tokio::try_join!(agent, person)?;
        Ok(())
    }
}

/// What agent `number` asks for the `asked`-th time.
pub(crate) fn ask(number: usize, asked: usize) -> String {
    let questions = QUESTIONS.trim();
    format!(
        r#"{{"asker":{{"agent":"claude-code","session":"session-{number}","directory":"/home/dev/app"}},"key":"{number}/toolu_{asked}","questions":{questions}}}"#
    )
}

pub(crate) async fn post_ask(agent: &mut Connection, body: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Asked {
        id: String,
    }
    let answer = agent.post("/api/v1/asks", body).await?;
    let found = String::from_utf8_lossy(answer.body);
    ensure!(answer.status == 201, "an ask was refused with {}: {found}", answer.status);
    Ok(serde_json::from_slice::<Asked>(answer.body)?.id)
}

/// Hears of every new ask, and tells the pair whose it is.
async fn follow(
    subject: &Subject,
    ears: Vec<UnboundedSender<String>>,
) -> Result<JoinHandle<Result<()>>> {
    let address = format!("ws://{}/api/v1/events", subject.events);
    let mut request = address.into_client_request()?;
    let token = format!("Bearer {}", subject.person).parse()?;
    request.headers_mut().insert("authorization", token);
    let (mut socket, _) = connect_async(request).await.context("no WebSocket")?;
    let first = socket.next().await.context("no first frame")??;
    ensure!(first.to_text()?.contains("\"live\""), "the first frame is {first}");
    Ok(tokio::spawn(async move {
        while let Some(message) = socket.next().await {
            let Message::Text(text) = message? else { continue };
            if let Some(new) = Frame::new_ask(&text)? {
                let number: usize = new.key.split('/').next().unwrap_or_default().parse()?;
                let ear = ears.get(number).context("an ask nobody asked")?;
                ear.send(new.id.to_owned()).ok().context("a pair has ended")?;
            }
        }
        bail!("the WebSocket has ended")
    }))
}

#[derive(Deserialize)]
struct Frame<'a> {
    r#type: &'a str,
    name: Option<&'a str>,
    #[serde(borrow)]
    ask: Option<NewAsk<'a>>,
}

#[derive(Deserialize)]
struct NewAsk<'a> {
    id: &'a str,
    key: &'a str,
}

impl<'a> Frame<'a> {
    fn new_ask(text: &'a str) -> Result<Option<NewAsk<'a>>> {
        let frame: Self = serde_json::from_str(text).with_context(|| text.to_owned())?;
        ensure!(frame.r#type == "event", "events were lost: {text}");
        Ok(frame.ask.filter(|_| frame.name == Some("ask.opened")))
    }
}
