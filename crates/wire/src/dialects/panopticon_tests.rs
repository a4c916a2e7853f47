//! One test for each shape of Panopticon's plan "AskUserQuestion Interception", and for each rule by
//! which its flat list of labels is understood.

use std::sync::Arc;

use handraise_broker::{AskId, Asker, Matter, Opened, Policy};
use handraise_question::{AnswerForm, Ask, Limits, Question, Select};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The plan's own sample of `input.questions`, with the white space it has there.
const QUESTIONS: &str = r#"[{
          "question": "Which work items should we import?",
          "header": "Work Items",
          "options": [
            {"label": "User Stories + Defects", "description": "Most common..."},
            {"label": "All except Features", "description": "Include Tasks..."}
          ],
          "multiSelect": false
        }]"#;
const SESSION: &str = "286e638d-add1-490d-b6f4-6b99c8514f58";
const CALL: &str = "toolu_017wfzbruBz63jsFiqrgkpbc";

fn record(session: Option<&str>, key: Option<&str>) -> Record {
    let asker = Asker { session: session.map(str::to_owned), ..Asker::default() };
    let opened = Opened {
        asker,
        key: key.map(str::to_owned),
        owner: None,
        matter: Matter::questions(RawValue::from_string(QUESTIONS.into()).unwrap()).unwrap(),
        policy: Policy::default(),
        rival_dialog: false,
        deadline_at: None,
    };
    let at: Timestamp = "2026-01-20T19:50:46.594999Z".parse().unwrap();
    Record::open(AskId::new(at, [7; 10]), Arc::new(opened), 1, at)
}

#[test]
fn panopticon_pending_question_is_the_call_with_its_session_time_and_questions() {
    let record = record(Some(SESSION), Some(&format!("{SESSION}/{CALL}")));
    let told = serde_json::to_string(&PendingResponse::new([&record])).unwrap();
    assert_eq!(
        told,
        format!(
            r#"{{"pending":true,"questions":[{{"toolId":"{CALL}","sessionId":"{SESSION}","timestamp":"2026-01-20T19:50:46.594Z","questions":{QUESTIONS}}}]}}"#
        ),
    );
}

#[test]
fn panopticon_nothing_pending_is_false_and_an_empty_list() {
    let told = serde_json::to_string(&PendingResponse::new([])).unwrap();
    assert_eq!(told, r#"{"pending":false,"questions":[]}"#);
}

/// The interface has them as strings, so they are never absent.
#[test]
fn panopticon_fields_are_strings_also_where_the_agent_named_none() {
    let record = record(None, None);
    let told = json!(PendingResponse::new([&record]));
    assert_eq!(told["questions"][0]["toolId"], json!(record.id.to_string()));
    assert_eq!(told["questions"][0]["sessionId"], json!(""));
}

#[test]
fn panopticon_time_always_has_milliseconds() {
    let mut record = record(None, None);
    record.asked_at = "2026-01-20T19:50:46Z".parse().unwrap();
    let told = json!(PendingResponse::new([&record]));
    assert_eq!(told["questions"][0]["timestamp"], "2026-01-20T19:50:46.000Z");
}

#[test]
fn panopticon_answers_are_an_array_of_labels() {
    let sent = r#"{"answers": ["User Stories + Defects"], "agentId": "agent-pan-1"}"#;
    let AnswerParams { answers } = serde_json::from_str(sent).unwrap();
    assert_eq!(answers, ["User Stories + Defects"]);
    for sent in [r#"{"answers": "JWT"}"#, r#"{"answers": [1]}"#, r#"{"answers": [["a"]]}"#, "{}"] {
        assert!(serde_json::from_str::<AnswerParams>(sent).is_err(), "{sent}");
    }
}

#[test]
fn panopticon_success_and_failure_have_the_shapes_of_the_plan() {
    assert_eq!(json!(AnswerResponse::TAKEN), json!({"success": true}));
    assert_eq!(
        json!(FailureResponse::because("nothing is pending")),
        json!({"error": "Failed to send answer", "reason": "nothing is pending"})
    );
}

/// A question by its options; `true` makes it a multi-select.
type Form<'a> = (bool, &'a [&'a str]);

fn ask(questions: &[Form<'_>]) -> Ask {
    let question = |(number, (multi, labels)): (usize, &Form<'_>)| {
        let options: Vec<_> = labels.iter().map(|label| json!({"label": label})).collect();
        json!({"question": format!("Question {number}?"), "multiSelect": multi, "options": options})
    };
    let questions: Vec<Value> = questions.iter().enumerate().map(question).collect();
    let json = json!({"questions": questions}).to_string();
    Ask::read(json.as_bytes(), &Limits::WIDE).unwrap().ask
}

fn numbered(asks: Vec<Ask>) -> Vec<(AskId, Ask)> {
    let id = |number| AskId::new(Timestamp::UNIX_EPOCH, [number; 10]);
    asks.into_iter().zip(0..).map(|(ask, number)| (id(number), ask)).collect()
}

/// What each question of each ask gets, or why nothing is given to any.
fn given(asks: &[&[Form<'_>]], answers: &[&str]) -> Result<Vec<Vec<AnswerForm>>, String> {
    let asks = numbered(asks.iter().map(|questions| ask(questions)).collect());
    let answers: Vec<_> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    let given = assign(&asks, &answers).map_err(|violation| violation.to_string())?;
    for ((id, _), (known, _)) in given.iter().zip(&asks) {
        assert_eq!(id, known);
    }
    Ok(given.into_iter().map(|(_, forms)| forms).collect())
}

fn chosen(labels: &[&str]) -> AnswerForm {
    let selected = labels.iter().map(|label| (*label).to_owned()).collect();
    AnswerForm { selected, ..AnswerForm::default() }
}

fn with_words(labels: &[&str], words: &str) -> AnswerForm {
    AnswerForm { words: Some(words.into()), ..chosen(labels) }
}

const AB: Form<'_> = (false, &["a", "b"]);
const CD: Form<'_> = (false, &["c", "d"]);
const MANY_AB: Form<'_> = (true, &["a", "b"]);
const MANY_CD: Form<'_> = (true, &["c", "d"]);

#[test]
fn labels_of_several_questions_are_given_out_from_left_to_right() {
    assert_eq!(given(&[&[AB]], &["b"]), Ok(vec![vec![chosen(&["b"])]]));
    assert_eq!(given(&[&[AB, AB]], &["b", "a"]), Ok(vec![vec![chosen(&["b"]), chosen(&["a"])]]));
    assert_eq!(
        given(&[&[AB, MANY_CD, AB]], &["a", "d", "c", "b"]),
        Ok(vec![vec![chosen(&["a"]), chosen(&["d", "c"]), chosen(&["b"])]])
    );
    assert_eq!(
        given(&[&[MANY_AB, MANY_CD]], &["a", "c", "d"]),
        Ok(vec![vec![chosen(&["a"]), chosen(&["c", "d"])]])
    );
}

#[test]
fn the_first_asks_are_answered_each_of_them_whole() {
    let asks: &[&[Form<'_>]] = &[&[AB], &[CD, AB]];
    assert_eq!(given(asks, &["a"]), Ok(vec![vec![chosen(&["a"])]]));
    assert_eq!(
        given(asks, &["a", "c", "b"]),
        Ok(vec![vec![chosen(&["a"])], vec![chosen(&["c"]), chosen(&["b"])]])
    );
    let missing = "questions[1].questions[1]: no answer, one at least needed";
    assert_eq!(given(asks, &["a", "c"]), Err(missing.into()));
}

#[test]
fn what_is_no_label_is_own_words() {
    assert_eq!(given(&[&[AB]], &["x"]), Ok(vec![vec![with_words(&[], "x")]]));
    assert_eq!(
        given(&[&[MANY_AB, CD]], &["x", "b", "c"]),
        Ok(vec![vec![with_words(&["b"], "x"), chosen(&["c"])]])
    );
    let open: Form<'_> = (false, &[]);
    assert_eq!(
        given(&[&[open, AB]], &["x", "a"]),
        Ok(vec![vec![with_words(&[], "x"), chosen(&["a"])]])
    );
}

/// Somebody left the first question out: its place must not be taken by the answer to the second.
#[test]
fn a_label_of_another_question_is_never_own_words() {
    let stray =
        "answers[0]: an option of another question, an answer to questions[0].questions[0] needed";
    assert_eq!(given(&[&[AB, CD]], &["c"]), Err(stray.into()));
    assert_eq!(given(&[&[AB], &[CD]], &["c"]), Err(stray.into()));
}

/// Beside the words a person may always say, it offers nothing.
#[test]
fn the_agents_own_other_is_words_as_in_every_dialect() {
    let other: Form<'_> = (false, &["a", "Other"]);
    assert_eq!(given(&[&[other]], &["Other"]), Ok(vec![vec![with_words(&[], "Other")]]));
    assert!(ask(&[other]).check(vec![with_words(&[], "Other")]).is_ok());
}

#[test]
fn blank_elements_are_left_to_the_rules_of_the_question() {
    assert_eq!(given(&[&[AB]], &[""]), Ok(vec![vec![with_words(&[], "")]]));
    assert!(ask(&[AB]).check(vec![with_words(&[], "")]).is_err());
}

#[test]
fn what_fits_in_two_ways_is_refused_as_that() {
    let ambiguous = "answers: they fit the questions in more than one way, \
                     labels that fit in one way only needed";
    let cases: [(&[&[Form<'_>]], &[&str]); 3] = [
        // Own words of the first, or of the second.
        (&[&[MANY_AB, MANY_CD]], &["a", "x", "c"]),
        // One label that both questions have.
        (&[&[MANY_AB, MANY_AB]], &["a", "b", "a"]),
        // Two of the first ask, or one of each.
        (&[&[MANY_AB], &[AB]], &["a", "b"]),
    ];
    for (asks, answers) in cases {
        assert_eq!(given(asks, answers), Err(ambiguous.into()), "{answers:?}");
    }
}

#[test]
fn what_fits_in_no_way_is_refused_with_where_it_ends() {
    let refused = |asks, answers: &[&str]| given(asks, answers).unwrap_err();
    assert_eq!(refused(&[&[AB]], &[]), "answers: none, one for each question needed");
    assert_eq!(refused(&[], &["a"]), "answers[0]: left over, nothing more needed");
    assert_eq!(refused(&[&[AB]], &["a", "b"]), "answers[1]: left over, nothing more needed");
    assert_eq!(refused(&[&[MANY_AB]], &["a", "a"]), "answers[1]: left over, nothing more needed");
    assert_eq!(refused(&[&[MANY_AB]], &["x", "y"]), "answers[1]: left over, nothing more needed");
    assert_eq!(
        refused(&[&[AB, CD]], &["a"]),
        "questions[0].questions[1]: no answer, one at least needed"
    );
    assert_eq!(
        refused(&[&[AB, CD]], &["a", "b"]),
        "answers[1]: an option of another question, an answer to questions[0].questions[1] needed"
    );
    let many: Vec<_> = (0..1001).map(|_| "a").collect();
    assert_eq!(refused(&[&[AB]], &many), "answers: 1001 elements, 1–1000 needed");
}

/// Tried one after the other, the ways to cut these would outlive everybody.
#[test]
fn a_list_that_fits_in_endless_ways_is_refused_at_once() {
    let labels: Vec<_> = (0..50).map(|number| format!("l{number}")).collect();
    let labels: Vec<_> = labels.iter().map(String::as_str).collect();
    let questions: Vec<Form<'_>> = (0..20).map(|_| (true, labels.as_slice())).collect();
    let asks: Vec<_> = (0..50).map(|_| questions.as_slice()).collect();
    let answers: Vec<_> = labels.iter().copied().cycle().take(1000).collect();
    assert!(given(&asks, &answers).unwrap_err().contains("more than one way"));
    let twice: Vec<_> = std::iter::repeat_n("l1", 999).collect();
    assert!(given(&asks, &twice).unwrap_err().contains("no answer"));
}

/// Every way to cut the answers, found by trying all of them.
fn every_way(
    questions: &[(bool, &Question)],
    labels: &[&str],
    answers: &[&str],
) -> Vec<Vec<usize>> {
    let Some(((is_last, question), others)) = questions.split_first() else { return vec![] };
    let mut ways = vec![];
    for length in 1..=answers.len() {
        let (run, rest) = answers.split_at(length);
        let (known, words): (Vec<&str>, Vec<&str>) =
            run.iter().copied().partition(|answer| labels.contains(answer));
        let mut apart = known.clone();
        apart.sort_unstable();
        apart.dedup();
        let are_its_own = known.iter().all(|label| question.choice(label).is_some());
        let fits = are_its_own
            && match question.select() {
                Select::Single => length == 1,
                Select::Multi => apart.len() == known.len() && words.len() <= 1,
            };
        if !fits {
            continue;
        }
        if rest.is_empty() && *is_last {
            ways.push(vec![length]);
        }
        let further = every_way(others, labels, rest).into_iter();
        ways.extend(further.map(|way| [vec![length], way].concat()));
    }
    ways
}

fn any_questions() -> impl Strategy<Value = Vec<(bool, Vec<&'static str>)>> {
    let labels = proptest::sample::subsequence(vec!["a", "b", "c", "d"], 0..=3);
    prop::collection::vec((any::<bool>(), labels), 1..=3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_given_out_if_and_only_if_there_is_one_way(
        asks in prop::collection::vec(any_questions(), 1..=3),
        answers in prop::collection::vec(
            prop::sample::select(vec!["a", "b", "c", "d", "x", "y"]), 0..=7),
    ) {
        let forms: Vec<Vec<Form<'_>>> = asks.iter()
            .map(|ask| ask.iter().map(|(multi, labels)| (*multi, labels.as_slice())).collect())
            .collect();
        let read: Vec<Ask> = forms.iter().map(|questions| ask(questions)).collect();
        let labels: Vec<&str> = asks.iter().flatten().flat_map(|(_, labels)| labels).copied().collect();
        let questions: Vec<_> = read.iter().flat_map(|ask| {
            let last = ask.questions().len() - 1;
            ask.questions().iter().enumerate().map(move |(i, question)| (i == last, question))
        }).collect();
        let ways = every_way(&questions, &labels, &answers);
        let slices: Vec<_> = forms.iter().map(Vec::as_slice).collect();
        match (given(&slices, &answers), ways.as_slice()) {
            (Ok(given), [way]) => {
                let lengths: Vec<_> = given.iter().flatten()
                    .map(|form| form.selected.len() + usize::from(form.words.is_some()))
                    .collect();
                prop_assert_eq!(&lengths, way);
                let mut left = answers.iter().copied();
                for form in given.iter().flatten() {
                    let length = form.selected.len() + usize::from(form.words.is_some());
                    let run: Vec<_> = left.by_ref().take(length).collect();
                    let chosen: Vec<_> = run.iter().filter(|it| labels.contains(it)).collect();
                    prop_assert!(form.selected.iter().eq(chosen));
                    let words = run.iter().find(|it| !labels.contains(it));
                    prop_assert_eq!(form.words.as_deref(), words.copied());
                }
                for (ask, forms) in read.iter().zip(given) {
                    prop_assert!(ask.check(forms).is_ok());
                }
            }
            (Err(reason), []) => prop_assert!(!reason.contains("more than one way"), "{}", reason),
            (Err(reason), [_, _, ..]) => prop_assert!(reason.contains("more than one way"), "{}", reason),
            (given, ways) => prop_assert!(false, "{given:?} although {ways:?}"),
        }
    }
}
