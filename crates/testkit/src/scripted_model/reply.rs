//! A reply of the model: one JSON document, or the same as a stream of events.

use serde_json::{Value, json};

use super::block::Block;
use crate::Chance;

/// So many characters come in one event: few enough that no word of importance comes in one.
const PIECE: usize = 12;

/// A reply in the form of the Messages API.
#[derive(Debug)]
pub(super) struct Reply {
    message: Value,
}

impl Reply {
    /// The turn `step` of `script`, said by `model`.
    pub(super) fn new(model: &Value, script: &str, step: usize, turn: &[Block]) -> Self {
        let content = turn.iter().enumerate().filter_map(|(at, block)| match block {
            Block::Text(text) => Some(json!({ "type": "text", "text": text })),
            Block::ToolUse { name, input } => {
                let id = format!("toolu_{script}_{step}_{at}_{:08x}", Chance::any_seed());
                let input = match turn.get(at + 1) {
                    Some(Block::CutOff) => half(input),
                    _ => input.clone(),
                };
                Some(json!({ "type": "tool_use", "id": id, "name": name, "input": input }))
            }
            Block::CutOff => None,
        });
        let calls = turn.iter().any(|block| matches!(block, Block::ToolUse { .. }));
        let stop_reason = match turn.last() {
            Some(Block::CutOff) => "max_tokens",
            _ if calls => "tool_use",
            _ => "end_turn",
        };
        Self {
            message: json!({
                "id": format!("msg_{:08x}{:08x}", Chance::any_seed(), Chance::any_seed()),
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": content.collect::<Vec<_>>(),
                "stop_reason": stop_reason,
                "stop_sequence": null,
                "usage": {
                    "input_tokens": 10,
                    "output_tokens": 20,
                    "cache_creation_input_tokens": 0,
                    "cache_read_input_tokens": 0,
                },
            }),
        }
    }

    pub(super) fn whole(self) -> Value {
        self.message
    }

    /// The events, each with its name in `type`.
    pub(super) fn events(&self) -> Vec<Value> {
        let mut opening = self.message.clone();
        opening["content"] = json!([]);
        opening["stop_reason"] = Value::Null;
        opening["usage"]["output_tokens"] = json!(1);
        let mut events = vec![json!({ "type": "message_start", "message": opening })];
        events.push(json!({ "type": "ping" }));
        let blocks = self.message["content"].as_array().into_iter().flatten();
        for (index, block) in blocks.enumerate() {
            let (opening, deltas) = in_pieces(block);
            let start =
                json!({ "type": "content_block_start", "index": index, "content_block": opening });
            events.push(start);
            events.extend(deltas.into_iter().map(
                |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta }),
            ));
            events.push(json!({ "type": "content_block_stop", "index": index }));
        }
        events.push(json!({
            "type": "message_delta",
            "delta": { "stop_reason": self.message["stop_reason"], "stop_sequence": null },
            "usage": { "output_tokens": 20 },
        }));
        events.push(json!({ "type": "message_stop" }));
        events
    }
}

/// A block with nothing in it yet, and the deltas that fill it.
fn in_pieces(block: &Value) -> (Value, Vec<Value>) {
    let mut opening = block.clone();
    if block["type"] == "tool_use" {
        opening["input"] = json!({});
        let whole = block["input"].to_string();
        let deltas = pieces(block["input"].as_str().unwrap_or(&whole))
            .map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }))
            .collect();
        (opening, deltas)
    } else {
        opening["text"] = json!("");
        let deltas = pieces(block["text"].as_str().unwrap_or_default())
            .map(|piece| json!({ "type": "text_delta", "text": piece }))
            .collect();
        (opening, deltas)
    }
}

/// Half of a call's input: a text that is no JSON.
fn half(input: &Value) -> Value {
    let text = input.to_string();
    let half = text.chars().count() / 2;
    json!(text.chars().take(half).collect::<String>())
}

pub(super) fn pieces(text: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = text.chars().collect();
    // A text of megabytes comes in larger pieces: nobody has time for so many events.
    letters
        .chunks(PIECE.max(letters.len() / 1000))
        .map(String::from_iter)
        .collect::<Vec<_>>()
        .into_iter()
}
