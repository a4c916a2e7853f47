//! An agent with a tool of its own, which asks first. It always takes what is offered first.
#![expect(clippy::disallowed_methods, reason = "the environment is read here, at the edge")]
use handraise_agent_loop::{Agent, Api, ApiKey, ApiModel, AskUserQuestion, Event, History};
use handraise_agent_loop::{Tool, ToolContext, ToolResult};
use handraise_question::{AnswerForm, Resolution};
use serde_json::{Value, json};

struct Deploy;
#[async_trait::async_trait]
impl Tool for Deploy {
    fn name(&self) -> &'static str {
        "deploy"
    }
    fn description(&self) -> &'static str {
        "Deploys the app. Ask where to before you call it."
    }
    fn schema(&self) -> Value {
        json!({"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]})
    }
    async fn execute(&self, input: Value, _: &ToolContext) -> ToolResult {
        ToolResult::ok(format!("deployed to {}", input["to"]))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (url, key) = (std::env::var("MODEL_URL")?, ApiKey::new(std::env::var("MODEL_KEY")?));
    let model = ApiModel::new(Api::AnthropicMessages, &url, key, &std::env::var("MODEL")?)?;
    let agent = Agent::new(model).tool(AskUserQuestion).tool(Deploy);
    let mut run = agent.run(History::new(std::env::var("PROMPT")?));
    while let Some(event) = run.next().await {
        println!("{}", serde_json::to_string(&event)?);
        if let Event::AskUser { id, ask, .. } = event {
            let first = ask.questions().iter().map(|q| vec![q.options()[0].label().to_owned()]);
            let form = |selected| AnswerForm { selected, ..AnswerForm::default() };
            run.answer(&id, &Resolution::Answered(ask.check(first.map(form).collect())?))?;
        }
    }
    Ok(())
}
