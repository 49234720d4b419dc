//! The other side: what we send to it, and the answers it owes us.
//!
//! Sending never waits: messages go into a queue that a thread of its own writes out, so a client that
//! is slow to read holds nobody up.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Id, Response};
use tower_lsp::lsp_types::notification::{Notification, ShowMessage};
use tower_lsp::lsp_types::request::Request;
use tower_lsp::lsp_types::{MessageType, ShowMessageParams};

use crate::lsp::frames;

/// How long an answer may take. Some clients never answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A handle to the client; clones are the same client.
#[derive(Clone, Debug)]
pub struct Client {
    output: Sender<String>,
    waiting: Arc<Mutex<HashMap<i64, oneshot::Sender<Response>>>>,
    next_id: Arc<AtomicI64>,
}

impl Client {
    /// A client that reads what is put into `output`, one message body an entry.
    pub fn new(output: Sender<String>) -> Self {
        Self { output, waiting: Arc::default(), next_id: Arc::default() }
    }

    /// Sends a notification.
    pub fn notify<N: Notification>(&self, params: N::Params) {
        let params = serde_json::to_value(params).ok();
        self.send(&frames::request(N::METHOD.to_owned(), params, None));
    }

    /// Shows the person a message.
    pub fn show(&self, kind: MessageType, message: String) {
        self.notify::<ShowMessage>(ShowMessageParams { typ: kind, message });
    }

    /// Answers a request.
    pub fn respond(&self, response: &Response) {
        self.send(response);
    }

    /// Sends a request now. The future yields the answer; `None` when it is an error, of a wrong
    /// shape, or late. Await it in a task of its own, never in a handler.
    pub fn request<R: Request>(&self, params: R::Params) -> impl Future<Output = Option<R::Result>> + use<R> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        self.waiting().insert(id, sender);
        let params = serde_json::to_value(params).ok().filter(|params| !params.is_null());
        self.send(&frames::request(R::METHOD.to_owned(), params, Some(Id::Number(id))));
        let waiting = Arc::clone(&self.waiting);
        async move {
            let response = tokio::time::timeout(PATIENCE, receiver).await;
            waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            let (_, body) = response.ok()?.ok()?.into_parts();
            serde_json::from_value(body.ok()?).ok()
        }
    }

    /// Takes an answer in. One that nobody waits for is dropped.
    pub fn answered(&self, response: Response) {
        let Id::Number(id) = *response.id() else { return };
        if let Some(waiter) = self.waiting().remove(&id) {
            // The waiter may have given up: then nobody is interested.
            let _ = waiter.send(response);
        }
    }

    fn send(&self, message: &impl Serialize) {
        if let Ok(body) = serde_json::to_string(&message) {
            // Fails only when the output is gone, and then the process is about to end.
            let _ = self.output.send(body);
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<i64, oneshot::Sender<Response>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
