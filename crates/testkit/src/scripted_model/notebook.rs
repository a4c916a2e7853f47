//! What the model has read, for a test to look at and to wait for.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::Value;

use super::conversation::ToolResult;
use crate::PATIENCE;

#[derive(Debug, Default)]
pub(super) struct Notebook {
    pages: Mutex<Pages>,
    written: Condvar,
}

#[derive(Debug, Default)]
struct Pages {
    requests: Vec<Value>,
    results: Vec<ToolResult>,
}

impl Notebook {
    /// Notes a request, and those of the results in it that no request held before: each request
    /// repeats the whole conversation.
    pub(super) fn note(&self, request: &Value, results: &[ToolResult]) {
        let mut pages = self.lock();
        pages.requests.push(request.clone());
        for result in results {
            if !pages.results.iter().any(|known| known.tool_use_id == result.tool_use_id) {
                pages.results.push(result.clone());
            }
        }
        drop(pages);
        self.written.notify_all();
    }

    pub(super) fn requests(&self) -> Vec<Value> {
        self.lock().requests.clone()
    }

    pub(super) fn results(&self) -> Vec<ToolResult> {
        self.lock().results.clone()
    }

    /// Waits until `find` finds something among the results.
    pub(super) fn wait<T>(&self, what: &str, find: impl Fn(&[ToolResult]) -> Option<T>) -> T {
        let start = Instant::now();
        let mut pages = self.lock();
        loop {
            if let Some(found) = find(&pages.results) {
                return found;
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            let (read, requests) = (&pages.results, pages.requests.len());
            assert!(!left.is_zero(), "no {what} after {requests} requests; read: {read:#?}");
            pages =
                self.written.wait_timeout(pages, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
