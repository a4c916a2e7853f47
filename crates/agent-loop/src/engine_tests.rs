//! A model that says what a test says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use handraise_question::{AnswerForm, Resolution};
use serde_json::json;

use crate::*;

pub(crate) struct Fake(Arc<Mutex<VecDeque<Turn>>>);

#[async_trait]
impl Model for Fake {
    async fn turn(&self, _: &Request<'_>, said: &Said) -> Result<Turn, ModelError> {
        let turn = self.0.lock().unwrap().pop_front().expect("the script is over");
        said.text(&turn.text);
        Ok(turn)
    }
}

#[tokio::test]
async fn a_question_is_asked_answered_and_read() {
    let ask = Call {
        id: "toolu_1".into(),
        name: "AskUserQuestion".into(),
        input: json!({"questions": [{"question": "Which?", "header": "H", "multiSelect": false, "options": [
            {"label": "a", "description": "A"}, {"label": "b", "description": "B"}]}]}),
    };
    let turns = [
        Turn { text: "First:".into(), calls: vec![ask], ..Turn::default() },
        Turn { text: "Done.".into(), ..Turn::default() },
    ];
    let model = Fake(Arc::new(Mutex::new(turns.into())));
    let agent = Agent::new(model).tool(AskUserQuestion);
    let mut run = agent.run(History::new("go"));
    let mut told = vec![];
    while let Some(event) = run.next().await {
        told.push(serde_json::to_value(&event).unwrap());
        if let Event::AskUser { id, ask, .. } = event {
            let form = AnswerForm { selected: vec!["b".into()], ..AnswerForm::default() };
            run.answer(&id, &Resolution::Answered(ask.check(vec![form]).unwrap())).unwrap();
        }
    }
    println!("{told:#?}");
    let history = run.into_history().unwrap();
    println!("{:#?}", history.entries());
    assert_eq!(told.last().unwrap(), &json!({"type": "done", "text": "Done."}));
}
