//! What stands between the wire and the framework, and owns what the framework gets wrong.
//!
//! A notification that changes state is applied inside [`Front::call`], so the order of arrival is the
//! order of effect. A request runs in a task of its own: its panic is an error response, and a
//! cancellation answers it at once whatever it is doing. The framework routes requests to handlers,
//! and sees ids of our own, so that an id the client uses again cannot confuse it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{self, Future};
use std::panic::{self, AssertUnwindSafe};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response, Result};
use tower_lsp::lsp_types::MessageType;
use tower_lsp::{ExitedError, LspService};

use crate::lsp::handlers::Handlers;
use crate::lsp::server::Server;
use crate::lsp::{Ending, frames, profile};
use crate::texts::text;

/// The service that takes every message of the client.
pub struct Front {
    framework: LspService<Handlers>,
    server: Arc<Server>,
    stage: Stage,
    running: Running,
    next_id: i64,
}

/// How far the session has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Started,
    Initialized,
    ShutDown,
}

/// The requests that have no answer yet, and how to cancel each.
#[derive(Clone, Default)]
struct Running(Arc<Mutex<HashMap<Id, oneshot::Sender<()>>>>);

type Answer = Pin<Box<dyn Future<Output = std::result::Result<Option<Response>, Infallible>> + Send>>;
type Handled = std::result::Result<Option<Response>, ExitedError>;

impl Service<Request> for Front {
    type Response = Option<Response>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Answer {
        let (method, id, params) = request.into_parts();
        match id {
            None => {
                self.notified(&method, params.unwrap_or_default());
                ready(None)
            }
            Some(id) => self.requested(&method, id, params),
        }
    }
}

impl Front {
    /// A front before the first message.
    pub fn new(server: Arc<Server>) -> Self {
        let handlers = Handlers::new(Arc::clone(&server));
        let framework = handlers.into_service();
        Self { framework, server, stage: Stage::Started, running: Running::default(), next_id: 0 }
    }

    /// How the process ends when the session ends now.
    pub fn ending(&self) -> Ending {
        if self.stage == Stage::ShutDown { Ending::Orderly } else { Ending::Abrupt }
    }

    fn notified(&mut self, method: &str, params: Value) {
        if method == "$/cancelRequest" {
            self.running.cancel(&params);
        } else if self.stage == Stage::Initialized {
            let apply = || self.server.notified(method, params);
            if panic::catch_unwind(AssertUnwindSafe(apply)).is_err() {
                let sentence = text("lsp-internal-error", &[("method", method)]);
                self.server.client.show(MessageType::ERROR, sentence);
            }
        }
    }

    fn requested(&mut self, method: &str, id: Id, params: Option<Value>) -> Answer {
        match (self.stage, method) {
            (Stage::Started, "initialize") => self.initialize(id, &params.unwrap_or_default()),
            (Stage::Started, _) => answered(id, Err(not_initialized())),
            (Stage::Initialized, "initialize") | (Stage::ShutDown, _) => {
                answered(id, Err(Error::invalid_request()))
            }
            (Stage::Initialized, "shutdown") => {
                self.stage = Stage::ShutDown;
                let handled = self.handle_now("shutdown", None);
                answered(id, handled)
            }
            (Stage::Initialized, _) => self.handle(method, id, params),
        }
    }

    /// Answers `initialize` before anything that follows it is looked at, also for a client that does
    /// not wait for the answer.
    fn initialize(&mut self, id: Id, params: &Value) -> Answer {
        self.server.initialize(params);
        // We have read what we need; the framework's strict reading must not turn anybody away.
        let mut handled = self.handle_now("initialize", Some(json!({ "capabilities": {} })));
        if let Ok(result) = &mut handled {
            self.stage = Stage::Initialized;
            self.name_encoding(params, result);
        }
        answered(id, handled)
    }

    /// Tells a client from before encodings were in the protocol, in the field that such clients read.
    fn name_encoding(&self, params: &Value, result: &mut Value) {
        let encoding = self.server.profile().encoding.kind();
        let old =
            params.pointer(profile::OLD_ENCODINGS).is_some() && params.pointer(profile::ENCODINGS).is_none();
        if let (Some(result), true) = (result.as_object_mut(), old) {
            result.insert("offsetEncoding".to_owned(), json!(encoding));
        }
    }

    /// Runs a handler that never waits.
    fn handle_now(&mut self, method: &str, params: Option<Value>) -> Result<Value> {
        let handling = pin!(self.pass_on(method, params));
        let mut context = Context::from_waker(Waker::noop());
        match panic::catch_unwind(AssertUnwindSafe(|| handling.poll(&mut context))) {
            Ok(Poll::Ready(handled)) => body(handled),
            Ok(Poll::Pending) | Err(_) => Err(Error::internal_error()),
        }
    }

    /// Runs a handler in a task of its own.
    fn handle(&mut self, method: &str, id: Id, params: Option<Value>) -> Answer {
        let Some(cancelled) = self.running.begin(&id) else {
            return answered(id, Err(Error::invalid_request()));
        };
        let handling = self.pass_on(method, params);
        let task = self.server.tasks.spawn(handling);
        let running = self.running.clone();
        Box::pin(async move {
            let body = outcome(task, cancelled).await;
            running.end(&id);
            Ok(Some(Response::from_parts(id, body)))
        })
    }

    fn pass_on(
        &mut self,
        method: &str,
        params: Option<Value>,
    ) -> impl Future<Output = Handled> + Send + use<> {
        self.next_id += 1;
        let id = Some(Id::Number(self.next_id));
        self.framework.call(frames::request(method.to_owned(), params, id))
    }
}

impl Running {
    /// Notes a request; the receiver hears of its cancellation. `None` when the id is in use.
    fn begin(&self, id: &Id) -> Option<oneshot::Receiver<()>> {
        let mut requests = self.requests();
        if requests.contains_key(id) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        requests.insert(id.clone(), sender);
        Some(receiver)
    }

    fn end(&self, id: &Id) {
        self.requests().remove(id);
    }

    fn cancel(&self, params: &Value) {
        let id = params.get("id").and_then(|id| serde_json::from_value::<Id>(id.clone()).ok());
        let waiting = id.and_then(|id| self.requests().remove(&id));
        if let Some(waiting) = waiting {
            // Fails only when the answer is on its way already.
            let _ = waiting.send(());
        }
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<Id, oneshot::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a handler's task comes to, or its cancellation if that is sooner.
async fn outcome(mut task: JoinHandle<Handled>, cancelled: oneshot::Receiver<()>) -> Result<Value> {
    tokio::select! {
        biased;
        Ok(()) = cancelled => {
            task.abort();
            Err(Error::request_cancelled())
        }
        // A panic; the hook has written where.
        handled = &mut task => handled.map_or_else(|_| Err(Error::internal_error()), body),
    }
}

/// The framework leaves some requests without an answer; they get one all the same.
fn body(handled: Handled) -> Result<Value> {
    let response = handled.map_err(|_| Error::invalid_request())?;
    response.map_or_else(|| Err(Error::method_not_found()), |response| response.into_parts().1)
}

fn answered(id: Id, body: Result<Value>) -> Answer {
    ready(Some(Response::from_parts(id, body)))
}

fn ready(response: Option<Response>) -> Answer {
    Box::pin(future::ready(Ok(response)))
}

fn not_initialized() -> Error {
    Error { code: ErrorCode::from(-32002), message: "Server not initialized".into(), data: None }
}
