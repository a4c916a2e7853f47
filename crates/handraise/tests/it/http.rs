//! HTTP by hand: a test says exactly which bytes go over the connection, and when.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use handraise_testkit::PATIENCE;
use serde_json::Value;

/// A request in the making.
#[derive(Clone)]
pub(crate) struct Call<'a> {
    method: &'a str,
    path: &'a str,
    host: Option<&'a str>,
    headers: Vec<(&'a str, String)>,
    body: Vec<u8>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(method: &'a str, path: &'a str) -> Self {
        Self { method, path, host: None, headers: vec![], body: vec![] }
    }

    pub(crate) fn get(path: &'a str) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn post(path: &'a str) -> Self {
        Self::new("POST", path)
    }

    pub(crate) fn delete(path: &'a str) -> Self {
        Self::new("DELETE", path)
    }

    pub(crate) fn method(&self) -> &str {
        self.method
    }

    /// Names the hub differently than by its address.
    pub(crate) fn host(self, host: &'a str) -> Self {
        Self { host: Some(host), ..self }
    }

    pub(crate) fn header(mut self, name: &'a str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn body(self, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }.header("content-type", kind)
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// Everything before the body.
    pub(crate) fn head(&self, address: SocketAddr) -> String {
        let own = address.to_string();
        let host = self.host.unwrap_or(&own);
        let mut head = format!("{} {} HTTP/1.1\r\nhost: {host}\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        head + &format!("content-length: {}\r\n\r\n", self.body.len())
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// Status and code of a problem.
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{self:?}");
        (self.status, problem["code"].as_str().unwrap().to_owned())
    }
}

/// One connection.
pub(crate) struct Line {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl From<TcpStream> for Line {
    fn from(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { address: stream.peer_addr().unwrap(), stream: BufReader::new(stream) }
    }
}

impl Line {
    pub(crate) fn to(address: SocketAddr) -> Self {
        TcpStream::connect(address).unwrap().into()
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.try_send(bytes).unwrap();
    }

    /// Sends what may not be wanted any more.
    pub(crate) fn try_send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    pub(crate) fn call(&mut self, call: &Call<'_>) -> Answer {
        self.send(call.head(self.address).as_bytes());
        // It may be refused before all of it is sent; what counts is that the refusal can be read.
        let _ = self.try_send(&call.body);
        self.answer()
    }

    /// Sends everything but the body, and waits until the hub wants that.
    pub(crate) fn begin(&mut self, call: &Call<'_>) {
        let call = call.clone().header("expect", "100-continue");
        self.send(call.head(self.address).as_bytes());
        let go_on = self.answer();
        assert_eq!(go_on.status, 100, "{go_on:?}");
    }

    /// Sends the body of what was begun.
    pub(crate) fn finish(&mut self, call: &Call<'_>) -> Answer {
        self.send(&call.body);
        self.answer()
    }

    /// Reads one whole answer.
    pub(crate) fn answer(&mut self) -> Answer {
        let status = self.line();
        let number = status.split(' ').nth(1).and_then(|number| number.parse().ok());
        let status = number.unwrap_or_else(|| panic!("not HTTP: {status:?}"));
        let mut headers = vec![];
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, headers, text: String::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        answer.text = String::from_utf8(body).unwrap();
        answer
    }

    /// How many bytes come until the hub closes the connection.
    pub(crate) fn rest(mut self) -> usize {
        let mut rest = vec![];
        match self.stream.read_to_end(&mut rest) {
            Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => {
                panic!("not closed: {error}")
            }
            Ok(_) | Err(_) => rest.len(),
        }
    }

    /// Waits until the hub has closed the connection, without another word.
    pub(crate) fn closes(mut self) {
        let mut rest = String::new();
        match self.stream.read_to_string(&mut rest) {
            Ok(_) => assert_eq!(rest, "", "nothing more was expected"),
            // Closed with something of ours unread.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
            Err(error) => panic!("not closed: {error}"),
        }
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}
