//! One HTTP/1.1 connection that is kept open.
//!
//! As little as a client can be: it shares the machine with the server it measures.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) struct Connection {
    stream: TcpStream,
    /// What goes out with every request.
    headers: String,
    buffer: Vec<u8>,
}

/// What came back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a [u8],
}

impl Connection {
    /// Connects, and shows the token: a hub keeps no more than a few connections of strangers.
    pub(crate) async fn open(address: SocketAddr, token: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await.context("cannot connect")?;
        stream.set_nodelay(true)?;
        let headers = format!(
            "host: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n"
        );
        let mut connection = Self { stream, headers, buffer: Vec::with_capacity(4096) };
        connection.get("/api/v1/asks/none").await?;
        Ok(connection)
    }

    pub(crate) async fn get(&mut self, path: &str) -> Result<Answer<'_>> {
        self.send("GET", path, "").await
    }

    pub(crate) async fn post(&mut self, path: &str, body: &str) -> Result<Answer<'_>> {
        self.send("POST", path, body).await
    }

    async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<Answer<'_>> {
        let (headers, length) = (&self.headers, body.len());
        let request =
            format!("{method} {path} HTTP/1.1\r\n{headers}content-length: {length}\r\n\r\n{body}");
        self.stream.write_all(request.as_bytes()).await?;
        self.buffer.clear();
        let head = loop {
            self.read_more().await?;
            if let Some(head) = Head::read(&self.buffer)? {
                break head;
            }
        };
        let whole = head.length + head.body;
        while self.buffer.len() < whole {
            self.read_more().await?;
        }
        Ok(Answer { status: head.status, body: &self.buffer[head.length..whole] })
    }

    async fn read_more(&mut self) -> Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server closed a connection");
        }
        Ok(())
    }
}

/// The part of a response before its body.
struct Head {
    status: u16,
    length: usize,
    body: usize,
}

impl Head {
    fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Ok(None);
        };
        let text = str::from_utf8(&bytes[..end]).context("a response that is not text")?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let status = status.context("a response without a status")?;
        let length = lines.filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        Ok(Some(Self { status, length: end + 4, body: length.unwrap_or(0) }))
    }
}
