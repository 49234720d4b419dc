//! A thread that works off jobs: one analyses, another reads the disk.
//!
//! It has a large stack and takes jobs in order. A job with a key replaces a waiting job with the
//! same key, so that a burst of changes to a document is analysed once, in its newest state.

use std::collections::VecDeque;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::analysis::STACK_BYTES;

type Job = Box<dyn FnOnce() + Send>;

/// A handle to the thread; clones are the same thread.
#[derive(Clone, Default)]
pub struct Worker {
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue {
    jobs: Mutex<VecDeque<(Option<String>, Job)>>,
    arrived: Condvar,
}

impl Worker {
    /// Starts a thread of this name.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(name: &str) -> io::Result<Self> {
        let worker = Self::default();
        let queue = Arc::clone(&worker.queue);
        thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(move || queue.work())?;
        Ok(worker)
    }

    /// Adds a job at the end.
    pub fn add(&self, job: impl FnOnce() + Send + 'static) {
        self.queue.push(None, Box::new(job));
    }

    /// Adds a job that makes a waiting job with the same key pointless. It takes that job's place, so
    /// that a document which changes all the time does not keep the others waiting.
    pub fn replace(&self, key: String, job: impl FnOnce() + Send + 'static) {
        self.queue.push(Some(key), Box::new(job));
    }
}

impl Queue {
    fn push(&self, key: Option<String>, job: Job) {
        let mut jobs = self.jobs();
        let waiting = jobs.iter_mut().find(|(other, _)| key.is_some() && *other == key);
        match waiting {
            Some((_, old)) => *old = job,
            None => jobs.push_back((key, job)),
        }
        drop(jobs);
        self.arrived.notify_one();
    }

    fn work(&self) {
        loop {
            let job = self.next();
            // The hook has reported it; whoever waits for the job's answer sees that none comes.
            let _ = panic::catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn next(&self) -> Job {
        let mut jobs = self.jobs();
        loop {
            if let Some((_, job)) = jobs.pop_front() {
                return job;
            }
            jobs = self.arrived.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn jobs(&self) -> MutexGuard<'_, VecDeque<(Option<String>, Job)>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn the_newest_of_a_kind_runs_in_the_place_of_the_oldest() {
        let (sender, receiver) = mpsc::channel();
        let worker = Worker::default();
        let say = |word: &'static str| {
            let sender = sender.clone();
            move || sender.send(word).unwrap_or_default()
        };
        worker.replace("a".to_owned(), say("old a"));
        worker.replace("b".to_owned(), say("b"));
        worker.add(say("once"));
        worker.replace("a".to_owned(), say("new a"));
        worker.add(say("twice"));
        let queue = Arc::clone(&worker.queue);
        thread::spawn(move || queue.work());
        let said: Vec<_> = receiver.iter().take(4).collect();
        assert_eq!(said, ["new a", "b", "once", "twice"]);
    }

    #[test]
    fn a_job_that_panics_does_not_end_the_thread() {
        let (sender, receiver) = mpsc::channel();
        let worker = Worker::start("test").unwrap_or_default();
        worker.add(|| panic!("on purpose"));
        worker.add(move || sender.send(()).unwrap_or_default());
        assert_eq!(receiver.recv(), Ok(()));
    }
}
