//! A server for pages that are nothing but files, as any static server would show them.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// One directory on a free port of this machine. It ends with this.
#[derive(Debug)]
pub struct StaticPages {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    server: Option<JoinHandle<()>>,
}

impl StaticPages {
    /// Serves the files below a directory; a path that ends with `/` is its `index.html`.
    #[must_use]
    pub fn of(directory: &Path) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port that is free");
        let address = listener.local_addr().expect("the listener has an address");
        let is_over = Arc::new(AtomicBool::new(false));
        let (root, over) = (directory.to_owned(), Arc::clone(&is_over));
        let server = thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                // Each in a thread of its own: browsers open connections long before they use them.
                let root = root.clone();
                // Whoever goes away before it has its page does not want it.
                thread::spawn(move || drop(serve(&root, &connection)));
            }
        });
        Self { address, is_over, server: Some(server) }
    }

    /// What a browser calls the origin of these pages.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for StaticPages {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // It looks when somebody comes.
        drop(TcpStream::connect(self.address));
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

fn serve(root: &Path, mut connection: &TcpStream) -> io::Result<()> {
    let mut lines = BufReader::new(connection).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // What else the browser says, up to the empty line, is of no interest; but it has to be read.
    lines.find(|line| line.as_ref().map_or(true, String::is_empty)).transpose()?;
    let found = match request.split(' ').collect::<Vec<_>>()[..] {
        ["GET", target, _] => file(root, target).and_then(|file| {
            let content = fs::read(&file).ok()?;
            Some((content_type(&file)?, content))
        }),
        _ => None,
    };
    let (status, kind, content) = match found {
        Some((kind, content)) => ("200 OK", kind, content),
        None => ("404 Not Found", "text/plain", b"There is no such page.".to_vec()),
    };
    let length = content.len();
    write!(
        connection,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         cache-control: no-store\r\nconnection: close\r\n\r\n"
    )?;
    connection.write_all(&content)
}

/// The file a path names, if it does not lead out of the directory.
fn file(root: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split('?').next()?.strip_prefix('/')?;
    let stays = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let index = if path.is_empty() || path.ends_with('/') { "index.html" } else { "" };
    stays.then(|| root.join(format!("{path}{index}")))
}

fn content_type(file: &Path) -> Option<&'static str> {
    match file.extension()?.to_str()? {
        "css" => Some("text/css; charset=utf-8"),
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "png" => Some("image/png"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn ask(pages: &StaticPages, request: &str) -> String {
        let mut connection = TcpStream::connect(pages.address).unwrap();
        write!(connection, "{request} HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn files_of_the_directory_are_served_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("pages");
        fs::create_dir_all(root.join("one")).unwrap();
        fs::write(root.join("one/index.html"), "<p>one").unwrap();
        fs::write(root.join("one/page.js"), "1").unwrap();
        fs::write(directory.path().join("secret.html"), "secret").unwrap();
        let pages = StaticPages::of(&root);
        let page = ask(&pages, "GET /one/?x=1");
        assert!(page.starts_with("HTTP/1.1 200 OK") && page.ends_with("<p>one"), "{page}");
        assert!(page.contains("content-type: text/html"), "{page}");
        assert!(ask(&pages, "GET /one/page.js").contains("content-type: text/javascript"));
        for wrong in
            ["GET /../secret.html", "GET //etc/passwd", "POST /one/", "GET /one", "GET x", ""]
        {
            let answer = ask(&pages, wrong);
            assert!(answer.starts_with("HTTP/1.1 404"), "{wrong}: {answer}");
        }
        let address = pages.address;
        drop(pages);
        assert!(TcpStream::connect(address).is_err(), "it ends with the test");
    }
}
