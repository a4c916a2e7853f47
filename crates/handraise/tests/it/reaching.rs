//! Under which address the hub is found: the port it takes, and links for other devices.

use std::net::TcpListener;
use std::path::Path;

use handraise_testkit::{HubProcess, Program};
use rustix::process::Signal;

use crate::watched_hub::WatchedHub;

const BINARY: &str = env!("CARGO_BIN_EXE_handraise");

fn link(config: &str, listen: &str) -> (String, String, String) {
    let hub = WatchedHub::with(listen, config, "warn");
    let ended = hub.run(&["link", "--qr"]);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    let stdout = String::from_utf8(ended.stdout).unwrap();
    let url = stdout.lines().last().unwrap().to_owned();
    hub.keep_secret(url.split_once("#login=").unwrap().1);
    (stdout, url, String::from_utf8(ended.stderr).unwrap())
}

#[test]
fn a_link_that_no_phone_can_open_is_not_drawn_but_explained() {
    for (listen, why) in [
        ("127.0.0.1:0", "the hub listens on this computer only"),
        ("0.0.0.0:0", "the hub does not know the name of this computer"),
    ] {
        for config in ["", "allow_hosts = ['localhost', '127.0.0.1:80']"] {
            let (stdout, url, stderr) = link(config, listen);
            assert_eq!(stdout.lines().count(), 1, "{stdout}");
            assert!(url.starts_with("http://"), "{url}");
            assert!(stderr.contains("No phone can open this link"), "{stderr}");
            assert!(stderr.contains(why), "{stderr}");
            assert!(stderr.contains("hint: ") && stderr.contains("allow_hosts = ["), "{stderr}");
        }
    }
}

#[test]
fn a_link_for_a_phone_leads_to_the_first_name_others_can_open() {
    let config = "allow_hosts = ['localhost', 'hub.example.com', 'other.example.com']";
    let (stdout, url, stderr) = link(config, "127.0.0.1:0");
    assert!(url.starts_with("https://hub.example.com/#login="), "{url}");
    assert!(stdout.lines().count() > 10 && stdout.contains('█'), "{stdout}");
    assert!(!stderr.contains("No phone"), "{stderr}");
}

/// The hub of a home that is told nothing about its port, from its start to its end: where it listened,
/// and what it said.
fn serve(hub: &HubProcess) -> (String, String) {
    let mut line = hub.command();
    let serving = Program::spawn(line.arg("serve"), "");
    serving.wait_stdout("the greeting", |text| text.contains("is up."));
    let url = hub.home().hub().unwrap().url;
    serving.signal(Signal::TERM);
    (url, serving.wait_exit().stderr)
}

#[test]
fn a_hub_that_cannot_take_its_port_says_which_one_it_took() {
    let mut hub = HubProcess::start(Path::new(BINARY));
    let before = hub.url().to_owned();
    hub.stop();
    let place = before.strip_prefix("http://").unwrap();
    let taken = TcpListener::bind(place).unwrap();
    let (after, stderr) = serve(&hub);
    assert_ne!(after, before);
    let warning = format!(
        "warning: cannot listen on {place} (another program listens there); listening on {} instead. \
         To choose the port: handraise serve --listen 127.0.0.1:PORT",
        after.strip_prefix("http://").unwrap()
    );
    assert!(stderr.lines().any(|line| line == warning), "{stderr}");
    drop(taken);
}

#[test]
fn a_hub_that_gets_the_port_it_had_says_nothing_of_it() {
    let mut hub = HubProcess::start(Path::new(BINARY));
    let before = hub.url().to_owned();
    hub.stop();
    let (after, stderr) = serve(&hub);
    assert_eq!(after, before);
    assert!(!stderr.contains("warning"), "{stderr}");
}
