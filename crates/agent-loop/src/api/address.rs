//! Where a server is.

use reqwest::Url;

use super::Api;
use crate::ModelError;

/// The address below which the API is, with a slash at its end.
pub(super) fn of(api: Api, base_url: &str) -> Result<String, ModelError> {
    let wrong = |what: &str| ModelError::Final { reason: format!("the base URL {what}") };
    let mut url = Url::parse(base_url.trim()).map_err(|_| wrong("is not a URL"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("must begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("must not hold a password: the key is given apart"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must end with its path"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    let version = match api {
        Api::AnthropicMessages if !path.ends_with("/v1") => "/v1/",
        Api::AnthropicMessages | Api::ChatCompletions => "/",
    };
    url.set_path(&format!("{path}{version}"));
    Ok(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_what_people_give_to_others_as_well() {
        for (api, given, address) in [
            (Api::AnthropicMessages, "https://api.anthropic.com", "https://api.anthropic.com/v1/"),
            (Api::AnthropicMessages, "https://a.example/v1/", "https://a.example/v1/"),
            (Api::AnthropicMessages, "http://[::1]:80/proxy", "http://[::1]/proxy/v1/"),
            (Api::ChatCompletions, "https://api.openai.com/v1", "https://api.openai.com/v1/"),
            (Api::ChatCompletions, "http://localhost:11434/v1/", "http://localhost:11434/v1/"),
        ] {
            assert_eq!(of(api, given).as_deref(), Ok(address), "{given}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_being_quoted() {
        for given in ["SECRET", "ftp://SECRET/", "https://u:SECRET@h/", "https://h/?k=SECRET"] {
            let error = of(Api::ChatCompletions, given).unwrap_err().to_string();
            assert!(error.starts_with("the base URL ") && !error.contains("SECRET"), "{error}");
        }
    }
}
