//! Looks objects up by node at a rate, in small batches, while events come.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use crate::hand_indexes::HandIndexes;

const PERIOD: Duration = Duration::from_millis(5);

/// After a stall the rest waits for the next turn.
const MOST_AT_ONCE: usize = 50;

#[derive(Clone, Default)]
pub struct Lookups(Arc<Progress>);

#[derive(Default)]
struct Progress {
    is_stopped: AtomicBool,
    done: AtomicUsize,
    found: AtomicUsize,
    letters: AtomicUsize,
}

impl Lookups {
    pub fn start(indexes: Arc<HandIndexes>, per_second: u32) -> Self {
        let lookups = Self::default();
        let Self(progress) = lookups.clone();
        thread::spawn(move || progress.run(&indexes, per_second));
        lookups
    }

    pub fn stop(&self) {
        self.0.is_stopped.store(true, Relaxed);
    }

    pub fn found_nothing(&self) -> bool {
        self.0.done.load(Relaxed) > 0 && self.0.found.load(Relaxed) == 0
    }
}

impl Progress {
    fn run(&self, indexes: &HandIndexes, per_second: u32) {
        let nodes = indexes.nodes();
        let begin = Instant::now();
        while !self.is_stopped.load(Relaxed) && !nodes.is_empty() {
            thread::sleep(PERIOD);
            let done = self.done.load(Relaxed);
            let due = (begin.elapsed().as_secs_f64() * f64::from(per_second)) as usize;
            let batch = due.saturating_sub(done).min(MOST_AT_ONCE);
            for number in done..done + batch {
                let keys = indexes.on_node(&nodes[number % nodes.len()]);
                self.found.fetch_add(keys.len(), Relaxed);
                self.letters.fetch_add(keys.iter().map(String::len).sum(), Relaxed);
            }
            self.done.store(done + batch, Relaxed);
        }
    }
}
