//! The dashboard: the page in this binary, and the files it loads.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};

use crate::problem::Failure;

/// One file of the page as it was built.
struct File {
    /// Below the root, without a leading slash.
    path: &'static str,
    etag: &'static str,
    bytes: &'static [u8],
    /// The same, smaller.
    gzip: Option<&'static [u8]>,
}

/// Empty when npm was missing or failed while this binary was built.
const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/dashboard.rs"));

/// The page loads nothing from elsewhere, and nobody frames it.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Names below it change with their content.
const HASHED: &str = "assets/";

/// Whether this binary has the dashboard in it.
#[must_use]
pub const fn has_dashboard() -> bool {
    !FILES.is_empty()
}

/// What a person sees who opens the hub's address in a browser.
pub(crate) async fn front(headers: HeaderMap) -> Response {
    match find("index.html") {
        Some(file) => file.answer(&headers),
        None => Html(include_str!("without_dashboard.html")).into_response(),
    }
}

/// Everything at an address that is no route: a file of the page, or nothing.
pub(crate) async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().strip_prefix('/').unwrap_or_default();
    match find(path) {
        Some(file) if matches!(method, Method::GET | Method::HEAD) => file.answer(&headers),
        _ => {
            Failure::new(404, "no_such_address", "there is nothing at this address").into_response()
        }
    }
}

fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

impl File {
    fn answer(&self, asked: &HeaderMap) -> Response {
        let is_hashed = self.path.starts_with(HASHED);
        let keep = if is_hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
        let about = [
            (header::CACHE_CONTROL, keep),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::ETAG, self.etag),
            (header::VARY, "accept-encoding"),
        ];
        if names(asked, header::IF_NONE_MATCH, self.etag) {
            return (StatusCode::NOT_MODIFIED, about).into_response();
        }
        let kind = [(header::CONTENT_TYPE, content_type(self.path))];
        match self.gzip.filter(|_| names(asked, header::ACCEPT_ENCODING, "gzip")) {
            Some(gzip) => {
                let encoding = [(header::CONTENT_ENCODING, "gzip")];
                (about, kind, encoding, gzip).into_response()
            }
            None => (about, kind, self.bytes).into_response(),
        }
    }
}

/// Whether a list in a header has this among its items; one with a weight has, unless it is zero.
fn names(headers: &HeaderMap, name: header::HeaderName, wanted: &str) -> bool {
    let lists = headers.get_all(name);
    let mut items = lists
        .iter()
        .filter_map(|list| HeaderValue::to_str(list).ok())
        .flat_map(|list| list.split(','));
    items.any(|item| {
        let (item, weight) = item.split_once(';').unwrap_or((item, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok());
        item.trim() == wanted && weight.is_none_or(|weight: f32| weight > 0.0)
    })
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: File =
        File { path: "assets/a-1.js", etag: "W/\"1\"", bytes: b"let a", gzip: Some(b"smaller") };
    const PAGE: File = File { path: "index.html", etag: "W/\"2\"", bytes: b"<p>", gzip: None };

    fn answer(file: &File, asked: &[(header::HeaderName, &'static str)]) -> Response {
        let asked = asked.iter().cloned();
        file.answer(&asked.map(|(name, value)| (name, HeaderValue::from_static(value))).collect())
    }

    fn header(response: &Response, name: header::HeaderName) -> &str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn what_is_named_after_its_content_is_kept_and_the_page_is_asked_for_again() {
        let script = answer(&SCRIPT, &[]);
        assert!(header(&script, header::CACHE_CONTROL).ends_with("immutable"));
        assert_eq!(header(&script, header::CONTENT_TYPE), "text/javascript; charset=utf-8");
        let page = answer(&PAGE, &[]);
        assert_eq!(header(&page, header::CACHE_CONTROL), "no-cache");
        assert_eq!(header(&page, header::CONTENT_SECURITY_POLICY), POLICY);
    }

    #[test]
    fn whoever_has_it_already_gets_it_not_again() {
        let had = |tag| answer(&PAGE, &[(header::IF_NONE_MATCH, tag)]).status();
        assert_eq!(had("W/\"1\", W/\"2\""), StatusCode::NOT_MODIFIED);
        assert_eq!(had("W/\"1\""), StatusCode::OK);
    }

    #[test]
    fn the_smaller_one_is_for_those_who_can_read_it() {
        let encoding = |file, accepted| {
            let response = answer(file, &[(header::ACCEPT_ENCODING, accepted)]);
            header(&response, header::CONTENT_ENCODING).to_owned()
        };
        assert_eq!(encoding(&SCRIPT, "br, gzip;q=0.8"), "gzip");
        assert_eq!(encoding(&SCRIPT, "gzip;q=0"), "");
        assert_eq!(encoding(&SCRIPT, "br"), "");
        assert_eq!(encoding(&PAGE, "gzip"), "");
    }
}
