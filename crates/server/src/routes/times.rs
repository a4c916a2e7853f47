//! How long agents waited.

use axum::Json;
use axum::extract::State;
use handraise_broker::Days;
use handraise_question::{Violation, Violations};
use handraise_wire::v1::{Problem, TimesResponse};
use jiff::tz::Offset;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::authenticated::Authenticated;
use crate::body::Params;
use crate::problem::Failure;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TimesParams {
    /// How many days, the last of which is today: 1 to 366, 14 when absent.
    #[param(minimum = 1, maximum = 366)]
    days: Option<u16>,
    /// How many minutes your clock is ahead of UTC, which says when days begin: -1440 to 1440, 0 when
    /// absent. It holds for all of the days, also where clocks were changed in between.
    #[param(minimum = -1440, maximum = 1440)]
    offset: Option<i16>,
}

/// How long agents waited, and how long people took
///
/// By project and by day. An ask counts as waited for from when it was asked until it ended, or until
/// now; what falls into several days is split at midnight. What retention has dropped is not counted.
#[utoipa::path(
    get, path = "/api/v1/times", tag = "both", params(TimesParams),
    responses((status = 200, description = "times, day by day", body = TimesResponse),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn get(
    State(app): State<App>,
    _: Authenticated,
    Params(params): Params<TimesParams>,
) -> Result<Json<TimesResponse>, Failure> {
    let (days, offset) = (days(params.days)?, offset(params.offset)?);
    Ok(Json(app.broker.times(days, offset).await?.into()))
}

fn days(wanted: Option<u16>) -> Result<u16, Violations> {
    match wanted.unwrap_or(14) {
        days @ 1..=Days::MOST => Ok(days),
        other => Err(Violation::new("days", other.to_string(), format!("1–{}", Days::MOST)).into()),
    }
}

/// An offset and no name: no database of time zones has to be there, and each browser knows its own.
fn offset(wanted: Option<i16>) -> Result<Offset, Violations> {
    let minutes = wanted.unwrap_or(0);
    let known = Some(minutes).filter(|minutes| (-1440..=1440).contains(minutes));
    known.and_then(|minutes| Offset::from_seconds(i32::from(minutes) * 60).ok()).ok_or_else(|| {
        Violation::new("offset", minutes.to_string(), "-1440 to 1440 minutes").into()
    })
}
