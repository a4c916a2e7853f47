//! A WebSocket to a hub: its events, or one of its dialects.

use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use handraise_testkit::PATIENCE;
use serde_json::Value;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::HandshakeError;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, Error, Message, WebSocket};

use crate::watched_hub::WatchedHub;

/// An open WebSocket.
pub(crate) struct Socket(WebSocket<TcpStream>);

impl Socket {
    /// Follows events with a token in the header, as programs do.
    pub(crate) fn follow(hub: &WatchedHub, token: &str, after: Option<u64>) -> Result<Self, u16> {
        Self::open(hub, after, &[("authorization", &format!("Bearer {token}"))])
    }

    /// Opens a WebSocket; the status when that is refused.
    pub(crate) fn open(
        hub: &WatchedHub,
        after: Option<u64>,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        let after = after.map_or_else(String::new, |after| format!("?after={after}"));
        Self::dial(hub.address, &format!("/api/v1/events{after}"), headers)
    }

    /// Opens a WebSocket at this path; the status when that is refused.
    pub(crate) fn dial(
        address: SocketAddr,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(HandshakeError::Failure(Error::Http(response))) => Err(response.status().as_u16()),
            Err(error) => panic!("no handshake: {error}"),
        }
    }

    pub(crate) fn send(&mut self, message: Message) {
        self.0.send(message).unwrap();
    }

    /// Sends bytes that are no frame, or none that may be sent.
    pub(crate) fn send_bytes(&self, bytes: &[u8]) {
        self.0.get_ref().write_all(bytes).unwrap();
    }

    /// Sends what may not be wanted any more.
    pub(crate) fn try_send(mut self, message: Message) -> Result<(), Error> {
        self.0.send(message)
    }

    /// The next frame.
    pub(crate) fn frame(&mut self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }

    /// The next frame, byte for byte.
    pub(crate) fn text(&mut self) -> String {
        let start = Instant::now();
        loop {
            match self.0.read().unwrap() {
                Message::Text(text) => return text.to_string(),
                // A hub asks front ends whether they are still there.
                Message::Ping(_) => assert!(start.elapsed() < PATIENCE, "nothing is said"),
                other @ (Message::Binary(_)
                | Message::Pong(_)
                | Message::Close(_)
                | Message::Frame(_)) => panic!("not a frame: {other:?}"),
            }
        }
    }

    /// Says goodbye, and waits until the hub has heard it.
    pub(crate) fn leave(mut self) {
        self.0.close(None).unwrap();
        while self.0.read().is_ok() {}
    }

    /// Says goodbye, and hears the same before the connection ends.
    pub(crate) fn says_goodbye(mut self) {
        self.0.close(None).unwrap();
        loop {
            match self.0.read() {
                Ok(Message::Close(_)) => return,
                Ok(_) => {}
                Err(error) => panic!("no reply to the close: {error}"),
            }
        }
    }

    /// Sends pings and reads nothing, until the hub ends the connection or has taken `most` bytes.
    pub(crate) fn ping_without_reading(self, most: usize) -> usize {
        // With the final bit, a mask of zeros, and as much as a ping may hold.
        let ping = [&[0x89, 0x80 | 0x7d, 0, 0, 0, 0][..], &[b'x'; 125]].concat();
        let pings = ping.repeat(500);
        let mut stream = self.0.get_ref();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let mut taken = 0;
        while taken < most {
            match stream.write(&pings[taken % ping.len()..]) {
                Ok(written) => taken += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => panic!("still open"),
                Err(_) => break,
            }
        }
        taken
    }

    /// Waits until everything was told that has happened.
    pub(crate) fn live(mut self) -> Self {
        while self.frame()["type"] != "live" {}
        self
    }

    /// Waits for the end, and returns the frames before it and the close code.
    pub(crate) fn closed(mut self) -> (Vec<String>, u16) {
        let mut frames = vec![];
        loop {
            match self.0.read().unwrap() {
                Message::Close(Some(frame)) => return (frames, frame.code.into()),
                Message::Text(text) => frames.push(text.to_string()),
                Message::Ping(_) => {}
                other @ (Message::Binary(_)
                | Message::Pong(_)
                | Message::Close(None)
                | Message::Frame(_)) => panic!("no reason: {other:?}"),
            }
        }
    }

    /// Waits for the end, however it comes.
    pub(crate) fn ends(mut self) {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => panic!("told {text}"),
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("still open")
                }
                Err(_) => return,
            }
        }
    }
}
