//! Where another device, a phone above all, can open the dashboard.

use std::net::{IpAddr, SocketAddr};

use crate::config::Config;

/// Why no other device can open a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreachable {
    /// The hub listens on this computer only.
    Loopback,
    /// The hub listens on every address of this computer, and accepts only the names it knows.
    Unnamed,
}

/// The same link under an address that other devices can open.
pub(crate) fn for_other_devices(url: &str, config: &Config) -> Result<String, Unreachable> {
    let (own, path) = split(url);
    let address: Option<SocketAddr> = own.parse().ok();
    let ip = address.map(|address| address.ip());
    if !ip.is_some_and(|ip| ip.is_loopback() || ip.is_unspecified()) {
        return Ok(url.to_owned());
    }
    let host = config.allow_hosts.iter().find(|host| !is_local(host));
    match host {
        Some(host) => {
            let port = address.map(|address| address.port());
            Ok(format!("{}{path}", origin(host, port, &config.allow_origins)))
        }
        None if ip.is_some_and(|ip| ip.is_unspecified()) => Err(Unreachable::Unnamed),
        None => Err(Unreachable::Loopback),
    }
}

/// Host and port of a URL, and what follows.
fn split(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

/// The origin that a host in `allow_hosts` is opened under. The hub itself speaks HTTP; what is in
/// front of it should speak TLS.
fn origin(host: &str, own_port: Option<u16>, origins: &[String]) -> String {
    let is_its = |origin: &&String| {
        origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://")) == Some(host)
    };
    if let Some(origin) = origins.iter().find(is_its) {
        return origin.clone();
    }
    let is_own_port = own_port.is_some_and(|port| host.ends_with(&format!(":{port}")));
    let scheme = if is_own_port { "http" } else { "https" };
    format!("{scheme}://{host}")
}

/// Whether a host leads to the device itself, whichever that is.
fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let name = bare.to_ascii_lowercase();
    let is_own = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
    name == "localhost" || name.ends_with(".localhost") || bare.parse().is_ok_and(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(url: &str, hosts: &[&str], origins: &[&str]) -> Result<String, Unreachable> {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let config =
            Config { allow_hosts: own(hosts), allow_origins: own(origins), ..Config::default() };
        for_other_devices(&format!("{url}/#login=x"), &config)
            .map(|link| link.strip_suffix("/#login=x").unwrap().to_owned())
    }

    #[test]
    fn an_address_that_others_can_open_stays() {
        for url in ["http://192.168.1.5:4731", "http://[2001:db8::1]:4731"] {
            assert_eq!(reach(url, &["hub.example"], &[]).as_deref(), Ok(url));
        }
    }

    #[test]
    fn an_allowed_host_takes_the_place_of_this_computer() {
        for url in ["http://127.0.0.1:4731", "http://[::1]:4731", "http://0.0.0.0:4731"] {
            assert_eq!(reach(url, &["hub.example"], &[]).as_deref(), Ok("https://hub.example"));
        }
        let url = "http://127.0.0.1:4731";
        let local =
            ["localhost", "LOCALHOST:80", "127.0.0.1:9", "[::1]:80", "a.localhost", "0.0.0.0"];
        assert_eq!(reach(url, &local, &[]), Err(Unreachable::Loopback));
        let hosts = ["localhost", "hub.example:8443"];
        assert_eq!(reach(url, &hosts, &[]).as_deref(), Ok("https://hub.example:8443"));
        // Forwarded as it is, for example through a VPN: the hub speaks no TLS.
        assert_eq!(reach(url, &["10.0.0.1:4731"], &[]).as_deref(), Ok("http://10.0.0.1:4731"));
        let origins = ["https://other.example", "http://hub.example"];
        assert_eq!(reach(url, &["hub.example"], &origins).as_deref(), Ok("http://hub.example"));
    }

    #[test]
    fn without_one_it_is_said_why() {
        assert_eq!(reach("http://127.0.0.1:4731", &[], &[]), Err(Unreachable::Loopback));
        assert_eq!(reach("http://[::1]:4731", &[], &[]), Err(Unreachable::Loopback));
        assert_eq!(reach("http://0.0.0.0:4731", &[], &[]), Err(Unreachable::Unnamed));
        assert_eq!(reach("http://[::]:4731", &[], &[]), Err(Unreachable::Unnamed));
    }
}
