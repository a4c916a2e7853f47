//! HTTP by hand: what a hub answers, before any client of ours has read it.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::PATIENCE;

/// What a hub answered.
#[derive(Debug, Clone, PartialEq)]
pub struct PlainAnswer {
    /// The status.
    pub status: u16,
    /// The body; null when there is none.
    pub body: Value,
}

/// Sends one request over a connection of its own.
///
/// # Errors
///
/// When the connection fails, before an answer came or in the middle of it.
pub fn plain_request(
    url: &str,
    token: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> io::Result<PlainAnswer> {
    let host = url.strip_prefix("http://").expect("a hub's address begins with http://");
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let body = body.map(Value::to_string).unwrap_or_default();
    let head = format!(
        "{method} /api/v1{path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut answer = vec![];
    stream.read_to_end(&mut answer)?;
    read(&answer).ok_or_else(|| {
        let text = String::from_utf8_lossy(&answer).into_owned();
        io::Error::new(io::ErrorKind::InvalidData, format!("no whole answer: {text:?}"))
    })
}

/// Hubs name the length of their answers, and no answer is taken for whole before it has that length.
fn read(answer: &[u8]) -> Option<PlainAnswer> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let (head, body) = (std::str::from_utf8(&answer[..end]).ok()?, &answer[end + 4..]);
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    if length.unwrap_or(0) != body.len() {
        return None;
    }
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(body).ok()? };
    Some(PlainAnswer { status, body })
}
