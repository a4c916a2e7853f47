//! Under which name, and from which page, the hub may be called.
//!
//! A page on the internet can make a browser call 127.0.0.1, and can make its own name point there.
//! The first shows in `Origin`, the second in `Host`.

use axum::http::{HeaderMap, Uri, header};
use handraise_wire::v1::Problem;

use crate::Config;

pub(crate) struct Gate {
    hosts: Vec<String>,
    /// Names that count with any port.
    names: Vec<String>,
    origins: Vec<String>,
}

impl Gate {
    pub(crate) fn new(config: &Config) -> Self {
        let own = config.url.strip_prefix("http://").unwrap_or(&config.url);
        let own_port = own.rsplit_once(':').map_or("80", |(_, port)| port);
        let mut hosts: Vec<String> =
            ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{own_port}")).into();
        hosts.push(own.to_ascii_lowercase());
        // Browsers leave the usual port out.
        let bare: Vec<_> =
            hosts.iter().filter_map(|host| host.strip_suffix(":80")).map(str::to_owned).collect();
        hosts.extend(bare);
        let allowed = config.allow_hosts.iter().map(|host| host.to_ascii_lowercase());
        let (names, allowed): (Vec<_>, Vec<_>) = allowed.partition(|host| port(host).is_none());
        hosts.extend(allowed.clone());
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
        origins.extend(allowed.iter().map(|host| format!("https://{host}")));
        origins.extend(config.allow_origins.iter().map(|origin| origin.to_ascii_lowercase()));
        Self { hosts, names, origins }
    }

    fn is_named(&self, host: &str) -> bool {
        let name = port(host).map_or(host, |port| &host[..host.len() - port.len() - 1]);
        self.names.iter().any(|known| known == name)
    }

    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let only = |name| {
            let mut values = headers.get_all(name).iter();
            let first =
                values.next().map(|value| value.to_str().unwrap_or("").to_ascii_lowercase());
            // Two of them could be read differently by different parts: as good as a foreign one.
            if values.next().is_some() { Some(String::new()) } else { first }
        };
        let is_ours = |host: String| self.hosts.contains(&host) || self.is_named(&host);
        // A request may name the hub in its first line as well, and that name is the one that counts.
        let named = uri.authority().map(|name| name.as_str().to_ascii_lowercase());
        if !only(header::HOST).is_some_and(is_ours) || !named.is_none_or(is_ours) {
            return Err(Problem::new(403, "foreign_host", "this hub is not called that")
                .detail("use its address, or add the name to allow_hosts in config.toml"));
        }
        let is_welcome = |origin: String| {
            let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            self.origins.contains(&origin) || host.is_some_and(|host| self.is_named(host))
        };
        if !only(header::ORIGIN).is_none_or(is_welcome) {
            return Err(Problem::new(403, "foreign_origin", "pages from there may not call it")
                .detail("to let that page in, add it to allow_origins in config.toml"));
        }
        if headers.get_all(header::AUTHORIZATION).iter().nth(1).is_some() {
            return Err(Problem::new(401, "two_tokens", "one Authorization header is taken"));
        }
        Ok(())
    }
}

/// The port of a host, if it names one.
fn port(host: &str) -> Option<&str> {
    let (name, port) = host.rsplit_once(':')?;
    let is_port = !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
    // An IPv6 address has colons of its own, and stands in brackets if a port follows.
    (is_port && (!name.contains(':') || name.ends_with(']'))).then_some(port)
}

#[cfg(test)]
mod tests {
    use handraise_wire::v1::WatchJson;

    use super::*;
    use crate::Limits;

    fn gate() -> Gate {
        gate_at("http://127.0.0.1:4731")
    }

    fn gate_at(url: &str) -> Gate {
        Gate::new(&Config {
            url: url.into(),
            allow_hosts: vec!["Hub.Example:443".into(), "Desk.Example".into()],
            allow_origins: vec!["http://localhost:5173".into()],
            person: "ann".into(),
            starter: std::sync::Arc::new(crate::NoStarter),
            workspaces: std::sync::Arc::new(crate::NoWorkspaces),
            watch: tokio::sync::watch::channel(WatchJson::default()).1,
            limits: Limits::default(),
        })
    }

    fn code(host: Option<&str>, origin: Option<&str>) -> Option<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in [(header::HOST, host), (header::ORIGIN, origin)] {
            if let Some(value) = value {
                headers.insert(name, value.parse().unwrap());
            }
        }
        gate().check(&Uri::from_static("/"), &headers).err().map(|problem| problem.code)
    }

    #[test]
    fn loopback_names_come_in_with_and_without_an_origin() {
        for host in ["127.0.0.1:4731", "LOCALHOST:4731", "[::1]:4731", "hub.example:443"] {
            assert_eq!(code(Some(host), None), None, "{host}");
        }
        assert_eq!(code(Some("localhost:4731"), Some("http://localhost:4731")), None);
        assert_eq!(code(Some("localhost:4731"), Some("http://localhost:5173")), None);
        assert_eq!(code(Some("hub.example:443"), Some("https://hub.example:443")), None);
    }

    #[test]
    fn a_name_without_a_port_counts_with_any() {
        for host in ["desk.example", "DESK.example:4731", "desk.example:80"] {
            assert_eq!(code(Some(host), None), None, "{host}");
            assert_eq!(code(Some(host), Some(&format!("https://{host}"))), None, "{host}");
        }
        for host in ["desk.example:", "desk.example:x", "desk.example.evil", "a.desk.example"] {
            assert_eq!(code(Some(host), None).as_deref(), Some("foreign_host"), "{host}");
        }
    }

    #[test]
    fn other_names_ports_and_pages_do_not() {
        for host in [None, Some(""), Some("evil.example:4731"), Some("127.0.0.1:80")] {
            assert_eq!(code(host, None).as_deref(), Some("foreign_host"), "{host:?}");
        }
        for origin in ["null", "https://evil.example", "http://127.0.0.1:8080", ""] {
            let found = code(Some("127.0.0.1:4731"), Some(origin));
            assert_eq!(found.as_deref(), Some("foreign_origin"), "{origin}");
        }
    }

    #[test]
    fn a_hub_at_the_usual_port_need_not_be_called_with_it() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "localhost".parse().unwrap());
        headers.insert(header::ORIGIN, "http://localhost".parse().unwrap());
        let path = Uri::from_static("/");
        assert!(gate_at("http://127.0.0.1:80").check(&path, &headers).is_ok());
        assert!(gate_at("http://127.0.0.1:8080").check(&path, &headers).is_err());
    }

    #[test]
    fn two_hosts_are_none() {
        let mut headers = HeaderMap::new();
        headers.append(header::HOST, "127.0.0.1:4731".parse().unwrap());
        headers.append(header::HOST, "evil.example".parse().unwrap());
        assert!(gate().check(&Uri::from_static("/"), &headers).is_err());
    }

    #[test]
    fn a_name_in_the_first_line_counts_beside_the_host() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "127.0.0.1:4731".parse().unwrap());
        let code = |uri| gate().check(&uri, &headers).err().map(|problem| problem.code);
        for ours in ["http://127.0.0.1:4731/", "http://LOCALHOST:4731/x", "http://desk.example/"] {
            assert_eq!(code(Uri::from_static(ours)), None, "{ours}");
        }
        for foreign in ["http://evil.example/", "http://evil@127.0.0.1:4731/", "evil.example:443"] {
            let found = code(Uri::from_static(foreign));
            assert_eq!(found.as_deref(), Some("foreign_host"), "{foreign}");
        }
    }

    #[test]
    fn two_tokens_are_none() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "127.0.0.1:4731".parse().unwrap());
        headers.append(header::AUTHORIZATION, "Bearer a".parse().unwrap());
        assert!(gate().check(&Uri::from_static("/"), &headers).is_ok());
        headers.append(header::AUTHORIZATION, "Bearer a".parse().unwrap());
        let refused = gate().check(&Uri::from_static("/"), &headers).unwrap_err();
        assert_eq!((refused.status, refused.code.as_str()), (401, "two_tokens"));
    }
}
