//! MCP as lines of JSON, with what the SDK's own reader throws away: the exact bytes of a call's
//! arguments, the id of a request that makes no sense, and the moment at which a result was written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, GetExtensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use crate::calls::Calls;
use crate::request::Arguments;

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

/// A longer line is passed over.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;
const AHEAD: usize = 16;
/// So many refusals wait for a client that does not read; more are not made.
const MOST_REFUSALS: usize = 4096;

/// The two ends of the line. Clones are the same line.
pub(crate) struct Lines<W> {
    received: Arc<Mutex<mpsc::Receiver<Received>>>,
    output: Output<W>,
}

struct Output<W> {
    writer: Arc<Mutex<W>>,
    calls: Arc<Calls>,
    gone: CancellationToken,
}

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        let Self { writer, calls, gone } = self;
        Self { writer: writer.clone(), calls: calls.clone(), gone: gone.clone() }
    }
}

impl<W> Clone for Lines<W> {
    fn clone(&self) -> Self {
        Self { received: self.received.clone(), output: self.output.clone() }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    /// Reads from now on. `gone` is cancelled when nobody is at the other end any more.
    pub(crate) fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        writer: W,
        calls: Arc<Calls>,
        gone: CancellationToken,
    ) -> Self {
        let (deliver, received) = mpsc::channel(AHEAD);
        let output = Output { writer: Arc::new(Mutex::new(writer)), calls, gone };
        tokio::spawn(output.clone().read(input, deliver));
        Self { received: Arc::new(Mutex::new(received)), output }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Output<W> {
    async fn read(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        deliver: mpsc::Sender<Received>,
    ) {
        let (refuse, mut refused) = mpsc::channel::<Sent>(MOST_REFUSALS);
        let output = self.clone();
        tokio::spawn(async move {
            while let Some(refusal) = refused.recv().await {
                // Whoever is gone is noticed elsewhere.
                let _ = output.write(&refusal).await;
            }
        });
        let mut input = BufReader::new(input);
        let mut line = vec![];
        while let Ok(true) = next_line(&mut input, &mut line).await {
            match understood(&line) {
                Heard::Message(message) if self.note(&message) => {
                    if deliver.send(*message).await.is_err() {
                        break;
                    }
                }
                // An answer with its id would be taken for that of the other.
                Heard::Message(_) => drop(refuse.try_send(refusal("this id is in use", None))),
                // Whoever does not read what it is told is not waited for.
                Heard::Senseless(refusal) => drop(refuse.try_send(*refusal)),
                Heard::Nothing => {}
            }
        }
        self.gone.cancel();
    }

    /// Notes what calls come and are taken back; false when it cannot be taken.
    fn note(&self, message: &Received) -> bool {
        match message {
            JsonRpcMessage::Request(request) => return self.calls.came(request.id.clone()),
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.calls.taken_back(id, cancelled.params.reason.clone());
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        true
    }

    async fn write(&self, message: &Sent) -> io::Result<()> {
        let mut line = as_line(message)?;
        line.push(b'\n');
        let mut writer = self.writer.lock().await;
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        let written = written.await;
        if written.is_err() {
            self.gone.cancel();
        }
        written
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(&mut self, message: Sent) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let id = match &message {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let carried = id.and_then(|id| output.calls.over(id));
            output.write(&message).await?;
            if let Some(carried) = carried {
                output.calls.handed(carried);
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<Received> {
        self.received.lock().await.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A message as JSON. JSON-RPC wants an id in every refusal, and the SDK leaves out one that is not known.
fn as_line(message: &Sent) -> serde_json::Result<Vec<u8>> {
    match message {
        JsonRpcMessage::Error(error) if error.id.is_none() => {
            let mut refusal = serde_json::to_value(message)?;
            refusal["id"] = serde_json::Value::Null;
            serde_json::to_vec(&refusal)
        }
        JsonRpcMessage::Error(_)
        | JsonRpcMessage::Response(_)
        | JsonRpcMessage::Request(_)
        | JsonRpcMessage::Notification(_) => serde_json::to_vec(message),
    }
}

/// Reads the next line that is not too long; false at the end.
async fn next_line(
    input: &mut BufReader<impl AsyncRead + Unpin>,
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    loop {
        line.clear();
        input.take(LONGEST_LINE).read_until(b'\n', line).await?;
        if line.is_empty() {
            return Ok(false);
        }
        if line.ends_with(b"\n") || (line.len() as u64) < LONGEST_LINE {
            return Ok(true);
        }
        // The rest of it, in pieces.
        while !line.is_empty() && !line.ends_with(b"\n") {
            line.clear();
            input.take(LONGEST_LINE).read_until(b'\n', line).await?;
        }
    }
}

enum Heard {
    Message(Box<Received>),
    /// It is JSON, but nothing that can be understood.
    Senseless(Box<Sent>),
    /// Nothing that could be answered: a reply to noise may be noise to the other end.
    Nothing,
}

type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

fn understood(line: &[u8]) -> Heard {
    let Ok(text) = std::str::from_utf8(line) else { return Heard::Nothing };
    let text = text.trim_start_matches('\u{feff}').trim();
    let Ok(whole) = serde_json::from_str::<&RawValue>(text) else { return Heard::Nothing };
    let Ok(fields) = serde_json::from_str::<Fields<'_>>(whole.get()) else {
        return senseless(None);
    };
    let is_call = fields.get("method").is_some_and(|method| method.get() == r#""tools/call""#);
    let params = fields.get("params").filter(|_| is_call).copied();
    let message = match params.and_then(without_arguments) {
        Some((params, arguments)) => {
            let mut fields = fields.clone();
            fields.insert("params".into(), &params);
            message(&fields, arguments)
        }
        None => message(&fields, None),
    };
    message.unwrap_or_else(|| {
        let id = fields.get("id").and_then(|id| serde_json::from_str(id.get()).ok());
        // What asks for no answer gets none.
        if fields.contains_key("id") { senseless(id) } else { Heard::Nothing }
    })
}

/// Takes the arguments out of the parameters of a call: whatever they are, the tool says what is wrong
/// with them, in words that the model reads.
fn without_arguments(params: &RawValue) -> Option<(Box<RawValue>, Option<Arguments>)> {
    let mut fields: Fields<'_> = serde_json::from_str(params.get()).ok()?;
    let arguments = fields.remove("arguments").map(|raw| Arguments(raw.to_owned()));
    Some((serde_json::value::to_raw_value(&fields).ok()?, arguments))
}

fn message(fields: &Fields<'_>, arguments: Option<Arguments>) -> Option<Heard> {
    let json = serde_json::to_string(fields).ok()?;
    let mut message: Received = serde_json::from_str(&json).ok()?;
    if let JsonRpcMessage::Request(request) = &mut message
        && let Some(arguments) = arguments
    {
        request.request.extensions_mut().insert(arguments);
    }
    Some(Heard::Message(Box::new(message)))
}

fn senseless(id: Option<RequestId>) -> Heard {
    let why = "this is no request of MCP: one JSON-RPC message a line is needed";
    Heard::Senseless(Box::new(refusal(why, id)))
}

fn refusal(why: &'static str, id: Option<RequestId>) -> Sent {
    Sent::error(ErrorData::invalid_request(why, None), id)
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
