//! Hiding what looks like a secret, before text goes to a place that others may see or keep.
//!
//! It knows secrets by their form: those that say what they are (`ghp_…`, `AKIA…`, `password=…`), and
//! long random ones. A short secret that looks like a word is not known by anything, and stays.

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

/// Returns `text` with everything hidden that looks like a secret.
#[must_use]
pub(crate) fn mask(text: &str) -> String {
    let text = without_pem(text);
    let mut out = String::with_capacity(text.len());
    // What follows is a secret whatever it looks like: the word before said so.
    let mut announced = false;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let space = &piece[word.len()..];
        let bare = word.trim_matches(['"', '\'', '`', ',']);
        if word.is_empty() {
            out.push_str(piece);
            continue;
        }
        if announced && bare.chars().count() >= 4 && !word.starts_with(['<', '$', '{', '[']) {
            out.push_str(HIDDEN);
            announced = false;
        } else {
            out.push_str(&mask_word(word));
            announced = announces(word);
        }
        out.push_str(space);
    }
    out
}

/// Whether a secret comes after this word: `"password":`, `--token`, `Bearer`.
fn announces(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    if matches!(lower.trim_matches(['"', '\'', '`']), "bearer" | "basic") {
        return true;
    }
    if let Some(option) = lower.strip_prefix("--") {
        return is_secret_name(option);
    }
    // Of prose, a colon and a space are a part: `Token: which one?` hides nothing.
    let key = lower.strip_suffix(':').or_else(|| lower.strip_suffix('='));
    key.is_some_and(|key| key.ends_with(['"', '\'']) && is_secret_name(key))
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
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{HIDDEN}@{host}{path}"),
        None => word.to_owned(),
    }
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
            "日本語 שלום 👨‍👩‍👧",
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
