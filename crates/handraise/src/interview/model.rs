//! Which model is talked to, and how: from the command line, the rest from the environment.

use clap::ValueEnum;
use handraise_agent_loop::{ApiKey, ApiModel};
use serde::{Deserialize, Serialize};

use crate::cli::InterviewArgs;
use crate::environment;
use crate::failure::{Exit, Failure};

/// What is asked when the command line names no model.
const USUAL_MODEL: &str = "claude-opus-5-5";

/// The form in which a model is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Api {
    /// Anthropic's Messages; the key is in `ANTHROPIC_API_KEY`
    Anthropic,
    /// Chat completions, as most others have them; the key is in `OPENAI_API_KEY`
    Openai,
}

impl Api {
    /// The variable that holds the key.
    fn key_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Openai => "OPENAI_API_KEY",
        }
    }

    fn url_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Openai => "OPENAI_BASE_URL",
        }
    }

    /// Where it is when nobody says otherwise.
    fn usual_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::Openai => "https://api.openai.com/v1",
        }
    }
}

/// What the command line says of the model.
pub(super) fn chosen(args: &InterviewArgs) -> Result<(Api, String), Failure> {
    let api = args.api.unwrap_or_else(|| match &args.model {
        Some(model) if !model.starts_with("claude") => Api::Openai,
        Some(_) => Api::Anthropic,
        None => {
            let set = |api: Api| environment::is_set(api.key_variable());
            if set(Api::Openai) && !set(Api::Anthropic) { Api::Openai } else { Api::Anthropic }
        }
    });
    let model = match (&args.model, api) {
        (Some(model), _) => model.clone(),
        (None, Api::Anthropic) => USUAL_MODEL.to_owned(),
        (None, Api::Openai) => {
            let error = anyhow::anyhow!("which model is not said");
            return Err(Failure::new(Exit::BadInput, error).hint("name it with --model NAME"));
        }
    };
    Ok((api, model))
}

/// Where the model is.
pub(super) fn url(api: Api, named: Option<&str>) -> String {
    let url = named.map(str::to_owned).or_else(|| environment::variable(api.url_variable()));
    url.unwrap_or_else(|| api.usual_url().to_owned())
}

/// The model an interview is held with.
pub(super) fn open(api: Api, model: &str, url: &str) -> Result<ApiModel, Failure> {
    let key = ApiKey::new(key(api)?);
    let spoken = match api {
        Api::Anthropic => handraise_agent_loop::Api::AnthropicMessages,
        Api::Openai => handraise_agent_loop::Api::ChatCompletions,
    };
    ApiModel::new(spoken, url, key, model).map_err(|error| Failure::new(Exit::BadInput, error))
}

/// The key, which is nowhere but in the environment.
fn key(api: Api) -> Result<String, Failure> {
    environment::variable(api.key_variable()).ok_or_else(|| {
        let name = api.key_variable();
        let error = anyhow::anyhow!("{name} is not set: the model needs a key");
        let hint = format!(
            "export {name}=…; for a model on this machine that wants none, any word will do"
        );
        Failure::new(Exit::BadInput, error).hint(hint)
    })
}
