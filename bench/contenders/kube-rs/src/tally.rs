//! What the handler was told, and when. Several reflectors may be on several threads.

use std::{
    fs,
    hint::spin_loop,
    io,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::protocol::{Config, Counts};

/// Room for a usual paced run.
const FIRST_TIMES: usize = 1 << 17;

#[derive(Clone, Copy)]
pub enum Call {
    Add,
    Update,
    Delete,
}

pub struct Tally {
    state: Mutex<State>,
    changed: Condvar,
    delay: Duration,
    /// The versions of several resources come in no order.
    is_ordered: bool,
    times_file: Option<PathBuf>,
    /// The same moment on both clocks.
    begin: Instant,
    begin_epoch_ms: f64,
}

struct State {
    counts: Counts,
    /// Adds up what handlers read, so that no compiler finds out that nobody wants it.
    sum: usize,
    calls: u64,
    first: Instant,
    last: Instant,
    highest_version: u64,
    is_armed: bool,
    last_version: u64,
    times: Vec<f64>,
    /// Calls and version that somebody waits for.
    awaited: Option<(u64, Option<u64>)>,
}

impl State {
    fn has_reached(&self, calls: u64, version: Option<u64>) -> bool {
        self.calls >= calls || version.is_some_and(|version| self.highest_version >= version)
    }
}

impl Tally {
    pub fn new(config: &Config) -> Self {
        let begin = Instant::now();
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let times = if config.receive_times_file.is_some() { FIRST_TIMES } else { 0 };
        Self {
            state: Mutex::new(State {
                counts: Counts::default(),
                sum: 0,
                calls: 0,
                first: begin,
                last: begin,
                highest_version: 0,
                is_armed: false,
                last_version: 0,
                times: Vec::with_capacity(times),
                awaited: None,
            }),
            changed: Condvar::new(),
            delay: Duration::from_micros(config.handler_delay_us),
            is_ordered: config.resources.is_none(),
            times_file: config.receive_times_file.clone(),
            begin,
            begin_epoch_ms: epoch.as_secs_f64() * 1e3,
        }
    }

    /// Counts from zero from now on: what comes is no first list.
    pub fn arm(&self) {
        let mut state = self.lock();
        state.calls = 0;
        state.is_armed = true;
    }

    /// Counts one call of a handler.
    pub fn handled(&self, call: Call, key: &str, resource_version: &str, read: usize) {
        let version: u64 = resource_version.parse().unwrap_or(0);
        let now = Instant::now();
        self.count(call, version, now, key.len() + read);
        if !self.delay.is_zero() {
            busy_wait(now + self.delay);
        }
        let state = self.lock();
        if state.awaited.is_some_and(|(calls, version)| state.has_reached(calls, version)) {
            self.changed.notify_all();
        }
    }

    /// Waits until handlers were called so often, or saw this resourceVersion. False when it took too long.
    pub fn wait(&self, calls: u64, version: Option<u64>, limit: Duration) -> bool {
        let version = version.filter(|_| self.is_ordered);
        let mut state = self.lock();
        state.awaited = Some((calls, version));
        let waits = |state: &mut State| !state.has_reached(calls, version);
        let (mut state, result) = self.changed.wait_timeout_while(state, limit, waits).expect("no handler panics");
        state.awaited = None;
        !result.timed_out()
    }

    pub fn calls(&self) -> u64 {
        self.lock().calls
    }

    pub fn first_to_last(&self) -> Duration {
        let state = self.lock();
        state.last - state.first
    }

    pub fn counts(&self) -> Counts {
        self.lock().counts.clone()
    }

    /// Writes pairs of float64, resourceVersion and ms since the Unix epoch, when they were asked for.
    pub fn write_times(&self) -> io::Result<()> {
        let Some(path) = &self.times_file else { return Ok(()) };
        let bytes: Vec<u8> = self.lock().times.iter().flat_map(|number| number.to_le_bytes()).collect();
        fs::write(path, bytes)
    }

    fn count(&self, call: Call, version: u64, now: Instant, read: usize) {
        let mut state = self.lock();
        let counts = &mut state.counts;
        match call {
            Call::Add => counts.adds += 1,
            Call::Update => counts.updates += 1,
            Call::Delete => counts.deletes += 1,
        }
        state.sum = state.sum.wrapping_add(read);
        if state.calls == 0 {
            state.first = now;
        }
        state.calls += 1;
        state.last = now;
        if state.is_armed {
            if self.times_file.is_some() {
                let epoch_ms = self.begin_epoch_ms + (now - self.begin).as_secs_f64() * 1e3;
                state.times.extend([version as f64, epoch_ms]);
            }
            if self.is_ordered && version <= state.last_version {
                state.counts.out_of_order += 1;
            }
            state.last_version = version;
        }
        state.highest_version = state.highest_version.max(version);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no handler panics")
    }
}

/// A slow handler is one that computes: sleeping would leave the processor to others.
fn busy_wait(until: Instant) {
    while Instant::now() < until {
        spin_loop();
    }
}
