//! What an address below `/dialects` means.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use handraise_wire::dialects::{ALL, Dialect, Scope, named};

use crate::app::App;
use crate::problem::Failure;

/// The longest name of a session.
const LONGEST_NAME: usize = 500;

/// `/dialects/{dialect}` or `/dialects/{dialect}/{session}`.
pub(super) struct Address {
    pub(super) dialect: &'static dyn Dialect,
    pub(super) session: Option<String>,
}

impl FromRequestParts<App> for Address {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let names = Path::<Vec<(String, String)>>::from_request_parts(parts, app).await;
        let Path(names) = names.map_err(|_| nowhere())?;
        let mut names = names.into_iter().map(|(_, name)| name);
        let dialect = names.next().and_then(|name| named(&name)).ok_or_else(nowhere)?;
        match (names.next(), dialect.manners().scope) {
            (Some(name), _) if name.len() > LONGEST_NAME => {
                Err(Failure::new(404, "no_such_session", "no session has a name that long"))
            }
            (None, Scope::Session) => {
                let title = format!("name a session: /dialects/{}/SESSION", dialect.name());
                Err(Failure::new(404, "no_session", &title))
            }
            (session, Scope::Session | Scope::Any) => Ok(Self { dialect, session }),
        }
    }
}

fn nowhere() -> Failure {
    let names: Vec<_> = ALL.iter().map(|dialect| dialect.name()).collect();
    let title = format!("there is no such dialect; there are: {}", names.join(", "));
    Failure::new(404, "no_such_dialect", &title)
}
