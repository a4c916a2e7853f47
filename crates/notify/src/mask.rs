//! Hiding what looks like a secret, before text goes to a place that others may see or keep.
//!
//! It knows secrets by their form: those that say what they are (`ghp_…`, `AKIA…`, `password=…`), and
//! long random ones. A short secret that looks like a word is not known by anything, and stays.

use handraise_question::hidden::remove_hidden;

/// What stands for a secret.
pub(crate) const HIDDEN: &str = "[hidden]";

/// How tokens begin that say what they are, and how much must follow.
const PREFIXES: [(&str, usize); 28] = [
    ("sk-", 16),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("pk_live_", 8),
    ("whsec_", 8),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 16),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxa-", 8),
    ("xapp-", 8),
    ("AKIA", 12),
    ("ASIA", 12),
    ("AIza", 20),
    ("ya29.", 16),
    ("hf_", 16),
    ("npm_", 16),
    ("pypi-", 16),
    ("dop_v1_", 16),
    ("SG.", 16),
    ("shpat_", 16),
    ("age-secret-key-", 16),
];

/// What a name ends with whose value is a secret.
const NAMES: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "private_key",
    "secret_key",
    "credentials",
];

/// A run of letters and digits that is this long is no word.
const LONG: usize = 32;

/// What the words before say of the one that comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Nothing.
    Anything,
    /// It is a secret, whatever it looks like: `--token`, `"password":`.
    Secret,
    /// It is one if it looks like one: of prose, `Bearer` is a part.
    Credential,
    /// It is one if it is quoted: `Token: which one?` hides nothing.
    QuotedSecret,
    /// A name was said whose value would be one: `password` and, perhaps, `=`.
    Assignment,
}

/// Returns `text` with everything hidden that looks like a secret.
///
/// A hidden character may tear a secret apart, so secrets are sought without them. Where one is
/// found, they are left out, and that is said.
#[must_use]
pub(crate) fn mask(text: &str) -> String {
    let bare = remove_hidden(text);
    let masked = mask_bare(&bare);
    if masked == bare {
        text.to_owned()
    } else if bare == text {
        masked
    } else {
        masked + " <hidden characters left out>"
    }
}

fn mask_bare(text: &str) -> String {
    let text = without_pem(text);
    let mut out = String::with_capacity(text.len());
    let mut expected = Expected::Anything;
    // A secret in quotes goes on until they end.
    let mut quote: Option<char> = None;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let space = &piece[word.len()..];
        if let Some(mark) = quote {
            if let Some((_, after)) = word.split_once(mark) {
                quote = None;
                out.push(mark);
                out.push_str(&mask_word(after));
                out.push_str(space);
            }
            continue;
        }
        if word.is_empty() {
            out.push_str(piece);
            continue;
        }
        if is_what_was_expected(word, expected) {
            quote = open_quote(word);
            out.push_str(&quote.map(String::from).unwrap_or_default());
            out.push_str(HIDDEN);
            expected = Expected::Anything;
        } else {
            let assigned = split_assignment(word).map(|(_, value)| value);
            quote = assigned.and_then(open_quote);
            out.push_str(&mask_word(word));
            expected = expects(word, expected);
        }
        if quote.is_none() {
            out.push_str(space);
        }
    }
    out
}

/// Whether the word is the secret that those before it announced.
fn is_what_was_expected(word: &str, expected: Expected) -> bool {
    let bare = word.trim_matches(['"', '\'', '`', ',']);
    let is_value = bare.chars().count() >= 4 && !word.starts_with(['<', '$', '{', '[']);
    let has = |is: fn(char) -> bool| bare.contains(is);
    match expected {
        Expected::Anything | Expected::Assignment => false,
        Expected::Secret => is_value,
        Expected::QuotedSecret => is_value && word.starts_with(['"', '\'']),
        Expected::Credential => {
            let is_mixed = has(|c| c.is_ascii_uppercase()) && has(|c| c.is_ascii_lowercase());
            let is_odd = has(|c| c.is_ascii_digit() || matches!(c, '=' | '.' | '_'));
            is_value && bare.len() >= 7 && (is_odd || is_mixed)
        }
    }
}

/// The quote that begins a word and does not end in it.
fn open_quote(word: &str) -> Option<char> {
    let mark = word.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    (!word[1..].contains(mark)).then_some(mark)
}

/// What this word says of the next.
fn expects(word: &str, before: Expected) -> Expected {
    if before == Expected::Assignment && matches!(word, "=" | ":=") {
        return Expected::Secret;
    }
    let lower = word.to_ascii_lowercase();
    if matches!(lower.trim_matches(['"', '\'', '`']), "bearer" | "basic") {
        return Expected::Credential;
    }
    if let Some(option) = lower.strip_prefix("--") {
        return if is_secret_name(option) { Expected::Secret } else { Expected::Anything };
    }
    match lower.strip_suffix(':').or_else(|| lower.strip_suffix('=')) {
        Some(key) if !is_secret_name(key) => Expected::Anything,
        Some(key) if key.ends_with(['"', '\'']) || lower.ends_with('=') => Expected::Secret,
        Some(_) => Expected::QuotedSecret,
        None if is_secret_name(&lower) => Expected::Assignment,
        None => Expected::Anything,
    }
}

fn mask_word(word: &str) -> String {
    if let Some((name, rest)) = split_assignment(word) {
        let quotes: String = rest.chars().take_while(|c| matches!(c, '"' | '\'')).collect();
        return if rest.len() > quotes.len() {
            format!("{name}{quotes}{HIDDEN}")
        } else {
            word.into()
        };
    }
    let word = without_userinfo(word);
    if word.split(['"', '\'', '`', ',', '=']).any(is_cloud_key) {
        return HIDDEN.into();
    }
    let mut out = String::with_capacity(word.len());
    let mut run = String::new();
    for c in word.chars() {
        // What tokens are made of; with dots, because those of JWTs have them.
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '~') {
            run.push(c);
            continue;
        }
        out.push_str(if is_secret(&run) { HIDDEN } else { &run });
        run.clear();
        out.push(c);
    }
    out.push_str(if is_secret(&run) { HIDDEN } else { &run });
    out
}

/// `password=` and `hunter2`, where the name says that the value is a secret.
fn split_assignment(word: &str) -> Option<(&str, &str)> {
    // The first one that says so: an address may have others before it.
    word.match_indices(['=', ':']).find_map(|(place, _)| {
        let (name, rest) = word.split_at(place);
        let quoted = name.ends_with(['"', '\'']);
        let is_value = !rest[1..].is_empty() && !rest[1..].starts_with("//");
        let says_so = is_secret_name(&name.to_ascii_lowercase());
        (says_so && is_value && (quoted || !rest.starts_with("::")))
            .then(|| word.split_at(place + 1))
    })
}

fn is_secret_name(name: &str) -> bool {
    let name = name.trim_matches(['"', '\'', '`']);
    NAMES.iter().any(|secret| name.ends_with(secret))
}

/// `https://user:password@host` without the part before the `@`.
fn without_userinfo(word: &str) -> String {
    let mut parts = word.split("://");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        let end = rest.find(['/', '?', '#', ',']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        out.push_str("://");
        match authority.rsplit_once('@') {
            Some((_, host)) => out.extend([HIDDEN, "@", host, path]),
            None => out.push_str(rest),
        }
    }
    out
}

fn is_secret(run: &str) -> bool {
    // A sentence may end here.
    let run = run.trim_matches(['.', '-']);
    let begins = |(prefix, least): &(&str, usize)| {
        run.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            && run.len() >= prefix.len() + least
            && run[prefix.len()..].contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase())
    };
    let is_jwt = run.starts_with("eyJ") && run.matches('.').count() >= 2;
    is_jwt || PREFIXES.iter().any(begins) || run.split('.').any(is_random)
}

/// Long, and with so many capitals, small letters and digits that nobody named anything so; or of the
/// length of this hub's own tokens.
fn is_random(run: &str) -> bool {
    let count = |is: fn(&char) -> bool| run.chars().filter(is).count();
    let digits = count(char::is_ascii_digit);
    let (upper, lower) = (count(char::is_ascii_uppercase), count(char::is_ascii_lowercase));
    let is_token = run.len() == 64 && run.chars().all(|c| c.is_ascii_hexdigit());
    is_token || run.len() >= LONG && digits >= 3 && upper >= 3 && lower >= 3
}

/// Forty characters of Base64 with a slash among them: the secret half of an access key.
fn is_cloud_key(word: &str) -> bool {
    let count = |is: fn(&char) -> bool| word.chars().filter(is).count();
    word.len() == 40
        && word.contains('/')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '+' | '='))
        && count(char::is_ascii_uppercase) >= 8
        && count(char::is_ascii_lowercase) >= 8
        && count(char::is_ascii_digit) >= 1
}

/// Hides what stands between the lines that begin and end a key.
fn without_pem(text: &str) -> String {
    const BEGIN: &str = "-----BEGIN ";
    const END: &str = "-----END ";
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(BEGIN) {
        out.push_str(&rest[..start]);
        out.push_str(HIDDEN);
        let inside = &rest[start + BEGIN.len()..];
        // Cut short is hidden, too.
        rest = inside.find(END).map_or("", |end| {
            let after = &inside[end + END.len()..];
            after.find("-----").map_or("", |dashes| &after[dashes + 5..])
        });
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_looks_like_a_secret_is_hidden() {
        // Put together here, so that nobody takes this file for a leak.
        let token = |prefix: &str| format!("{prefix}{}", "a1B2c3D4e5F6g7H8i9J0");
        for (text, masked) in [
            (format!("use {} now", token("sk-ant-api03-")), "use [hidden] now"),
            (format!("use {}.", token("ghp_")), "use [hidden]"),
            (format!("({})", token("github_pat_")), "([hidden])"),
            (format!("AKIA{}", "IOSFODNN7EXAMPLE"), "[hidden]"),
            (format!("{}.{}.sig-nature_", "eyJhbGciOi", "eyJzdWIi"), "[hidden]"),
            ("password=hunter2 --force".into(), "password=[hidden] --force"),
            ("DB_PASSWORD='hunter2'".into(), "DB_PASSWORD='[hidden]"),
            ("{\"apiKey\": \"abcd\"}".into(), "{\"apiKey\": [hidden]"),
            ("{\"token\":\"abcd\"}".into(), "{\"token\":\"[hidden]"),
            ("--password hunter2 x".into(), "--password [hidden] x"),
            ("Authorization: Bearer abc.def".into(), "Authorization: Bearer [hidden]"),
            ("https://ann:pw@host.example/x?y".into(), "https://[hidden]@host.example/x?y"),
            ("https://host/?access_token=abc&b=1".into(), "https://host/?access_token=[hidden]"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nand".into(),
                "[hidden]\nand",
            ),
            ("-----BEGIN PRIVATE KEY----- MIIE".into(), "[hidden]"),
            (format!("wJalrXUtnFEMI7K7MDENG{}", "bPxRfiCYEXAMPLEKEY12"), "[hidden]"),
            ("0123456789abcdef".repeat(4), "[hidden]"),
            (format!("wJalrXUtnFEMI/K7MDENG/{}", "bPxRfiCYEXAMPLEKEY"), "[hidden]"),
            ("password=\"correct horse battery\" x".into(), "password=\"[hidden]\" x"),
            ("{\"password\": \"hunter two\"}".into(), "{\"password\": \"[hidden]\"}"),
            ("DB_PASSWORD = hunter22".into(), "DB_PASSWORD = [hidden]"),
            ("PASSWORD: \"hunter22\"".into(), "PASSWORD: [hidden]"),
            (
                "https://a:pw1@h1,https://b:pw2@h2/x".into(),
                "https://[hidden]@h1,https://[hidden]@h2/x",
            ),
            (
                format!("ghp_abcd\u{200d}{}", "EFGH1234ijkl5678mnop"),
                "[hidden] <hidden characters left out>",
            ),
            (
                format!("ghp_a\u{2065}bcd\u{e0fff}{}", "EFGH1234ijkl5678mnop"),
                "[hidden] <hidden characters left out>",
            ),
        ] {
            assert_eq!(mask(&text), masked, "{text}");
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in [
            "Which database should we use?",
            "Token: which one should we use?",
            "Should passwords be hashed with argon2id or bcrypt?",
            "Use the sk-learn pipeline, or task-oriented-architecture-everywhere?",
            "See https://example.com/a/b?c=d#e, or mail ann@example.com.",
            "Revert 3f786850e387550fdab836ed7e6dc881de23001b?",
            "Delete 019a8f2e-7c1b-7000-8000-000000000001?",
            "std::token::Kind, password policy: strict",
            "crates/handraise/src/very/long/path/to/some/module_with_a_name.rs",
            "Use basic authentication or OAuth?",
            "Bearer tokens or cookies?",
            "Is the password \"strong\" enough = good?",
            "docs/RFC/2019/http2/frames/overview-of-all",
            "日本語 שלום 👨‍👩‍👧",
            "g\u{200b}it status",
            "",
            " a \n b ",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in any::<String>()) {
            let _ = mask(&text);
        }

        #[test]
        fn a_token_is_hidden_wherever_it_stands(
            before in "[ -~]{0,20}", secret in "ghp_[a-z0-9]{15}[0-9]{5}", after in "[ \"',)\\]]{0,1}",
        ) {
            let text = format!("{before} {secret}{after}");
            prop_assert!(!mask(&text).contains(&secret), "{text}");
        }
    }
}
