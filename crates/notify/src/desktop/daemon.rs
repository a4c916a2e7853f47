//! The notification daemon of a desktop, over D-Bus.
//!
//! Spoken here and not through notify-rust: that makes a connection for each notification, and cannot
//! close one of which only the number is known, as after a crash.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use zbus::message::Type;
use zbus::zvariant::Value;
use zbus::{Connection, MatchRule, Message, MessageStream, fdo};

use crate::words::Words;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// How long a bus may take to let somebody in.
const PATIENCE: Duration = Duration::from_secs(10);
/// More signals than this that nobody has looked at are forgotten.
const MOST_SIGNALS: usize = 256;
/// Below critical: that would go over a presentation, and stay there.
const NORMAL: u8 = 1;
const NEVER: i32 = 0;
/// What is shown with the same of these replaces what was; also the name of the skill.
const TAG: &str = "x-dunst-stack-tag";
/// What a click on the notification itself is called.
const CLICK: &str = "default";

/// A line to the bus.
#[derive(Debug)]
pub(super) struct Bus {
    connection: Connection,
    /// Ends when the bus does.
    pub(super) signals: mpsc::Receiver<Signal>,
    _pump: AbortOnDropHandle<()>,
}

/// What is heard from the daemon, and of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// A notification is gone.
    Closed(u32),
    /// Somebody clicked on it.
    Clicked(u32),
    /// There is another daemon now, or none.
    Owner(Option<String>),
}

/// What the daemon can do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Skills {
    markup: bool,
    actions: bool,
    /// Whether what has the same tag replaces what was there: dunst and mako do that, GNOME and KDE not.
    pub(super) tags: bool,
}

/// Why something was not shown.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The bus cannot be reached.
    #[error("the session bus cannot be reached ({0})")]
    NoBus(String),
    /// Nobody shows notifications on it.
    #[error("no program on the session bus shows notifications")]
    NoDaemon,
    /// Something else.
    #[error("the notification daemon said: {0}")]
    Other(String),
}

impl From<zbus::Error> for Trouble {
    fn from(error: zbus::Error) -> Self {
        const NOBODY: [&str; 2] = [
            "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
        ];
        let said = if let zbus::Error::MethodError(name, ..) = &error { name.as_str() } else { "" };
        // A bus that could not start one says so in many ways.
        if NOBODY.contains(&said) || said.contains("DBus.Error.Spawn") {
            Self::NoDaemon
        } else if matches!(
            error,
            zbus::Error::InputOutput(_) | zbus::Error::Connection(..) | zbus::Error::Handshake(_)
        ) {
            Self::NoBus(error.to_string())
        } else {
            Self::Other(error.to_string())
        }
    }
}

impl Bus {
    pub(super) async fn connect(address: &str) -> Result<Self, Trouble> {
        let connect = async {
            let connection = zbus::connection::Builder::address(address)?.build().await?;
            let of_daemon =
                MatchRule::builder().msg_type(Type::Signal).interface(NAME)?.path(PATH)?;
            let of_owner = MatchRule::builder()
                .msg_type(Type::Signal)
                .sender("org.freedesktop.DBus")?
                .member("NameOwnerChanged")?
                .add_arg(NAME)?;
            let of_daemon =
                MessageStream::for_match_rule(of_daemon.build(), &connection, None).await?;
            let of_owner =
                MessageStream::for_match_rule(of_owner.build(), &connection, None).await?;
            Ok::<_, zbus::Error>((connection, of_daemon, of_owner))
        };
        let connected = timeout(PATIENCE, connect).await;
        let connected = connected.map_err(|_| Trouble::NoBus("it does not answer".into()))?;
        let (connection, of_daemon, of_owner) =
            connected.map_err(|error| Trouble::NoBus(error.to_string()))?;
        let (heard, signals) = mpsc::channel(MOST_SIGNALS);
        // The bus waits for whoever does not listen, and replies would wait behind the signals.
        let pump = tokio::spawn(async move {
            let mut all = futures_util::stream::select(of_daemon, of_owner);
            while let Some(Ok(message)) = all.next().await {
                if let Some(signal) = understand(&message) {
                    // Too many: they are about notifications of others, or nobody waits for them.
                    let _ = heard.try_send(signal);
                }
            }
        });
        Ok(Self { connection, signals, _pump: AbortOnDropHandle::new(pump) })
    }

    /// A name that the daemon shares with no other one, before or after it; `None` when there is none.
    pub(super) async fn daemon(&self) -> Result<Option<String>, Trouble> {
        let bus = fdo::DBusProxy::new(&self.connection).await?;
        let owner = match bus
            .get_name_owner(zbus::names::BusName::try_from(NAME).map_err(zbus::Error::from)?)
            .await
        {
            Ok(owner) => owner,
            Err(fdo::Error::NameHasNoOwner(_)) => return Ok(None),
            Err(error) => return Err(zbus::Error::from(error).into()),
        };
        let bus = bus.get_id().await.map_err(zbus::Error::from)?;
        Ok(Some(format!("{owner} {}", bus.as_str())))
    }

    pub(super) async fn skills(&self) -> Result<Skills, Trouble> {
        let skills = self.call("GetCapabilities", &()).await?;
        let skills: Vec<String> = skills.body().deserialize()?;
        let has = |name: &str| skills.iter().any(|skill| skill == name);
        Ok(Skills { markup: has("body-markup"), actions: has("actions"), tags: has(TAG) })
    }

    /// The daemon's own name.
    pub(super) async fn name(&self) -> Result<String, Trouble> {
        let about = self.call("GetServerInformation", &()).await?;
        let (name, ..): (String, String, String, String) = about.body().deserialize()?;
        Ok(name)
    }

    /// Shows it, and returns the daemon's number for it. With a tag it can be found again without.
    pub(super) async fn show(
        &self,
        words: &Words,
        replaces: Option<u32>,
        tag: Option<&str>,
        skills: Skills,
        clickable: bool,
    ) -> Result<u32, Trouble> {
        let body = if skills.markup { escape(&words.body) } else { words.body.clone() };
        let actions = if clickable && skills.actions { vec![CLICK, "Open"] } else { vec![] };
        let mut hints = HashMap::from([("urgency", Value::U8(NORMAL))]);
        hints.extend(tag.map(|tag| (TAG, Value::from(tag))));
        let (replaces, icon) = (replaces.unwrap_or(0), "");
        let all = ("Handraise", replaces, icon, &words.title, body, actions, hints, NEVER);
        Ok(self.call("Notify", &all).await?.body().deserialize()?)
    }

    /// Takes it down. That it is down already is as good.
    pub(super) async fn close(&self, id: u32) -> Result<(), Trouble> {
        match self.call("CloseNotification", &id).await {
            Ok(_) | Err(Trouble::Other(_)) => Ok(()),
            Err(trouble @ (Trouble::NoBus(_) | Trouble::NoDaemon)) => Err(trouble),
        }
    }

    async fn call<B>(&self, method: &str, body: &B) -> Result<Message, Trouble>
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
    {
        Ok(self.connection.call_method(Some(NAME), PATH, Some(NAME), method, body).await?)
    }
}

fn understand(message: &Message) -> Option<Signal> {
    let header = message.header();
    let body = message.body();
    match header.member()?.as_str() {
        "NotificationClosed" => {
            body.deserialize::<(u32, u32)>().ok().map(|(id, _)| Signal::Closed(id))
        }
        "ActionInvoked" => {
            let (id, action) = body.deserialize::<(u32, String)>().ok()?;
            (action == CLICK).then_some(Signal::Clicked(id))
        }
        "NameOwnerChanged" => {
            let (_, _, now) = body.deserialize::<(String, String, String)>().ok()?;
            Some(Signal::Owner(Some(now).filter(|now| !now.is_empty())))
        }
        _ => None,
    }
}

/// Bodies are markup where the daemon knows any.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_agents_is_text() {
        assert_eq!(escape("<b>a</b> & &lt;"), "&lt;b&gt;a&lt;/b&gt; &amp; &amp;lt;");
    }
}
