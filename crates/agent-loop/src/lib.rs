//! An agent loop that can ask: model in, tools in, events out.
