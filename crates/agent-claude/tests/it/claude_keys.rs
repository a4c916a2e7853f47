//! Dialogs that are hard to read. Every other is answered in the tests of `handraise watch`.

use serde_json::{Value, json};

use crate::scene::{Scene, auth, database, features, layout};

/// A question whose dialog is taller than a small window: its top is out of sight.
fn tall(several: bool) -> Value {
    let about = "which goes over several lines in a narrow window, for it says much more of this \
                 option than anybody needs to know about it";
    let option = |label: &str| json!({"label": label, "description": about});
    let options = ["First", "Second", "Third", "Fourth"].map(option);
    json!({"question": "Which of these shall it be, all things considered, and why?",
        "header": "Tall", "multiSelect": several,
        "options": options})
}

#[test]
fn a_dialog_taller_than_its_window_is_answered() {
    let scene = Scene::of_size((60, 16));
    let read =
        |question: Value, answer: Value| scene.answer(&scene.ask(&[question]), json!([answer]));
    let text = read(tall(false), json!({"selected": ["First"]}));
    assert!(text.contains(r#"="First""#), "{text}");
    let text = read(tall(true), json!({"selected": ["First", "Third"], "words": "more"}));
    assert!(text.contains(r#"="First, Third, more""#), "{text}");
    let long = "many words ".repeat(900) + "end";
    let text = read(tall(false), json!({"words": long}));
    assert!(text.contains(&long));
    let text = read(database(), json!({"words": "line\n".repeat(60) + "end"}));
    assert!(text.contains("line\nline\nend"));
}

#[test]
fn a_dialog_below_what_the_shell_has_said_is_answered() {
    let scene = Scene::below_the_shell((80, 24));
    let asked = scene.ask(&[database(), features(), layout(), auth()]);
    let answers = json!([{"words": "x"}, {"selected": ["Auth"], "words": "y"},
        {"selected": ["Sidebar"], "notes": "wide"}, {"selected": ["JWT"]}]);
    let text = scene.answer(&asked, answers);
    for part in [r#"="x""#, r#"="Auth, y""#, r#"="Sidebar""#, "notes: wide", r#"="JWT""#] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}
