//! `handraise link`, `device list`, `device add`, `device revoke`: who may come in.

use handraise_broker::{Power, Token, is_agent_name};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use handraise_wire::v1::{DeviceJson, DevicesResponse};
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

use crate::cli::{AddArgs, JsonArgs, LinkArgs};
use crate::config::Config;
use crate::failure::{Exit, Failure, say};
use crate::home::{data_option, failure, hub};
use crate::reach::{self, Unreachable};
use crate::table::{self, Table};
use crate::{environment, inside_agent, output, runtime};

pub(crate) fn link(home: &Home, args: LinkArgs) -> Result<Exit, Failure> {
    let (hub, runtime) = person(home, "link")?;
    let link = runtime.block_on(hub.link(None)).map_err(failure)?;
    if args.json {
        output::print_json(&link)?;
        return Ok(Exit::Answered);
    }
    let mut url = link.url;
    if args.qr {
        match reach::for_other_devices(&url, &Config::read(home)?) {
            Ok(reachable) => {
                output::print(&drawn(&reachable)?)?;
                url = reachable;
            }
            Err(why) => say_unreachable(home, why),
        }
    }
    output::print(&url)?;
    say("It works once, within ten minutes. Whoever opens it can answer for you.");
    Ok(Exit::Answered)
}

/// Says why there is no code for a camera, and how to get one.
fn say_unreachable(home: &Home, why: Unreachable) {
    let config = home.config();
    let config = config.display();
    match why {
        Unreachable::Loopback => {
            say(
                "No phone can open this link, so no QR code is drawn: the hub listens on this computer only.",
            );
            say(&format!(
                "hint: put a reverse proxy with TLS or a VPN in front of the hub, add its name to {config}, \
                 for example allow_hosts = [\"hub.example.com\"], and restart the hub"
            ));
        }
        Unreachable::Unnamed => {
            say(
                "No phone can open this link, so no QR code is drawn: the hub does not know the name of this computer.",
            );
            say(&format!(
                "hint: add the address that the phone uses to {config}, for example \
                 allow_hosts = [\"192.168.1.5:4731\"], and restart the hub"
            ));
        }
    }
}

/// Two modules in one character, the lower half block: a camera does not mind, and it fits a screen.
fn drawn(url: &str) -> Result<String, Failure> {
    let code = QrCode::new(url).map_err(|error| Failure::new(Exit::Internal, error))?;
    Ok(code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build())
}

pub(crate) fn list(home: &Home, args: JsonArgs) -> Result<Exit, Failure> {
    let (hub, runtime) = person(home, "device list")?;
    let devices = runtime.block_on(hub.devices()).map_err(failure)?;
    if args.json {
        output::print_json(&DevicesResponse { devices })?;
        return Ok(Exit::Answered);
    }
    let mut table = Table::new(&["ID", "MAY", "SINCE", "NAME"]);
    for device in devices {
        let may = match device.power {
            Power::Agent => "ask",
            Power::Person => "answer",
        };
        let since = device.added_at.to_zoned(environment::zone()).strftime("%Y-%m-%d %H:%M");
        table.row(vec![device.id.to_string(), may.into(), since.to_string(), device.name]);
    }
    output::show(&table.text(table::width()))?;
    Ok(Exit::Answered)
}

pub(crate) fn add(home: &Home, args: &AddArgs) -> Result<Exit, Failure> {
    if let Some(agent) = &args.agent {
        return add_agent(home, agent, args);
    }
    let name = args.name.as_deref().unwrap_or_default();
    if name.trim().is_empty() {
        return Err(Failure::new(Exit::BadInput, anyhow::anyhow!("NAME: nothing, a name needed")));
    }
    let (hub, runtime) = person(home, "device add")?;
    let added = runtime.block_on(hub.add_device(name)).map_err(failure)?;
    if args.json {
        output::print_once(&output::json(&added)?)?;
    } else {
        output::print_once(&added.token)?;
        let (data, id) = (data_option(home), added.device.id);
        say(&format!(
            "It is shown once. Whoever has it can answer for you, until: handraise device revoke{data} {id}"
        ));
    }
    Ok(Exit::Answered)
}

fn add_agent(home: &Home, agent: &str, args: &AddArgs) -> Result<Exit, Failure> {
    let name = args.host.as_ref().map_or_else(|| agent.into(), |host| format!("{agent}@{host}"));
    if !is_agent_name(&name) {
        let error = anyhow::anyhow!("{name:?} cannot be the name of an agent");
        let allowed = "use 1–100 of a–z, A–Z, 0–9, -, _, . and @, a letter or digit first";
        return Err(Failure::new(Exit::BadInput, error).hint(allowed));
    }
    let (hub, runtime) = person(home, "device add")?;
    let added = runtime.block_on(hub.add_agent(&name)).map_err(|error| {
        let devices = runtime.block_on(hub.devices()).unwrap_or_default();
        let is_known = |device: &DeviceJson| {
            device.power == Power::Agent && device.name.eq_ignore_ascii_case(&name)
        };
        match devices.iter().find(|device| is_known(device)) {
            Some(known) => failure(error).hint(replace_hint(home, known)),
            None => failure(error),
        }
    })?;
    let id = added.device.id;
    if args.host.is_none()
        && let Err(error) = home.keep_agent_token(&name, &Token::presented(&added.token))
    {
        // A token that is kept nowhere must not count.
        let _ = runtime.block_on(hub.revoke(&id.to_string()));
        return Err(Failure::unwritable(&home.agent_token_file(&name), error));
    }
    if args.json {
        output::print_once(&output::json(&added)?)?;
        return Ok(Exit::Answered);
    }
    output::print_once(&added.token)?;
    let kept = match &args.host {
        None => format!(
            "It is shown once, and kept in {}: to use it, set HANDRAISE_AGENT={name}.",
            home.agent_token_file(&name).display()
        ),
        Some(_) => "It is shown once.".to_owned(),
    };
    let data = data_option(home);
    say(&format!(
        "{kept} It can ask, and not answer; to end that: handraise device revoke{data} {id}"
    ));
    Ok(Exit::Answered)
}

/// How to get another token for an agent: this command may have been killed before it kept the first.
fn replace_hint(home: &Home, agent: &DeviceJson) -> String {
    let file = home.agent_token_file(&agent.name);
    let kept = if file.exists() {
        format!("its token should be in {}", file.display())
    } else {
        "its token is in no file here".to_owned()
    };
    let (data, id) = (data_option(home), agent.id);
    format!("{kept}; to replace it: handraise device revoke{data} {id}, then this command again")
}

pub(crate) fn revoke(home: &Home, id: &str, args: JsonArgs) -> Result<Exit, Failure> {
    let (hub, runtime) = person(home, "device revoke")?;
    let device = runtime.block_on(hub.revoke(id)).map_err(failure)?;
    if args.json {
        output::print_json(&device)?;
    } else {
        output::print(&format!("✔ Revoked: {}", device.name))?;
    }
    Ok(Exit::Answered)
}

fn person(home: &Home, command: &str) -> Result<(RemoteHub, tokio::runtime::Runtime), Failure> {
    inside_agent::refuse(command, home)?;
    let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
    Ok((hub(home, Surface::Api)?, runtime))
}
