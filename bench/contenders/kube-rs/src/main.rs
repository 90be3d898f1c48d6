//! A contender: the reflector of kube-rs, used as its documentation shows. Its one argument is the config.
//!
//! It does what the runner says on stdin, one JSON object a line, and answers on stdout. What the words mean is in
//! bench/suite/protocol.ts and bench/contender/answer.md.

mod hand_indexes;
mod library;
mod lookups;
mod memory;
mod objects;
mod protocol;
mod tally;

use std::{
    error::Error,
    io::stdin,
    process::exit,
    sync::Arc,
    thread::sleep,
    time::{Duration, Instant},
};

use serde::Serialize;

use library::Library;
use lookups::Lookups;
use protocol::{Answer, Armed, Command, Config, Meters, Phase, Report};
use tally::Tally;

/// Longest wait for events that are on their way; the runner is patient for longer.
const CATCH_UP: Duration = Duration::from_secs(120);

/// The runner gives up long before, but not at the same moment.
const LIST: Duration = Duration::from_secs(3600);

/// Work goes on for a moment after the last event: the same for all contenders.
const SETTLE: Duration = Duration::from_millis(20);

fn main() {
    if let Err(error) = serve() {
        eprintln!("{error}");
        exit(1);
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let config: Config = serde_json::from_str(&std::env::args().next_back().unwrap_or_default())?;
    let mut contender = Contender {
        tally: Arc::new(Tally::new(&config)),
        config: Arc::new(config),
        library: None,
        lookups: None,
        cpu: Duration::ZERO,
    };
    for line in stdin().lines() {
        match serde_json::from_str(&line?)? {
            Command::Start => say(&contender.start()?)?,
            Command::Arm => say(&contender.arm())?,
            Command::Await { rv, calls } => say(&contender.catch_up(rv.parse()?, calls))?,
            Command::Report => say(&contender.report()?)?,
            Command::Exit => break,
        }
    }
    // Its tasks never end by themselves.
    exit(0)
}

fn say(reply: &impl Serialize) -> Result<(), Box<dyn Error>> {
    println!("{}", serde_json::to_string(reply)?);
    Ok(())
}

struct Contender {
    config: Arc<Config>,
    tally: Arc<Tally>,
    library: Option<Library>,
    lookups: Option<Lookups>,
    cpu: Duration,
}

impl Contender {
    fn start(&mut self) -> Result<Phase, Box<dyn Error>> {
        self.cpu = memory::cpu();
        let begin = Instant::now();
        let library = Library::start(self.config.clone(), self.tally.clone())?;
        self.tally.wait(self.config.objects, None, LIST);
        library.wait_until_ready();
        self.library = Some(library);
        let wall = begin.elapsed();
        Ok(self.phase("synced", wall, false))
    }

    fn arm(&mut self) -> Armed {
        self.tally.arm();
        let indexes = self.library.as_ref().and_then(|library| library.indexes.clone());
        self.lookups = indexes.map(|indexes| Lookups::start(indexes, self.config.lookups_per_second));
        self.cpu = memory::cpu();
        Armed { event: "armed" }
    }

    fn catch_up(&mut self, version: u64, calls: u64) -> Phase {
        let gave_up = !self.tally.wait(calls, Some(version), CATCH_UP);
        if let Some(lookups) = &self.lookups {
            lookups.stop();
        }
        self.phase("caught-up", self.tally.first_to_last(), gave_up)
    }

    fn phase(&self, event: &'static str, wall: Duration, gave_up: bool) -> Phase {
        let calls = self.tally.calls();
        sleep(SETTLE);
        let cpu_ms = ms(memory::cpu() - self.cpu);
        Phase { event, wall_ms: ms(wall), meters: Meters { cpu_ms }, calls, gave_up }
    }

    fn report(&self) -> Result<Report, Box<dyn Error>> {
        let memory = memory::now()?;
        self.tally.write_times()?;
        let library = self.library.as_ref().ok_or("asked for a report before the start")?;
        let (objects, hash) = library.hash();
        let mut errors = library.complaints();
        if self.lookups.as_ref().is_some_and(Lookups::found_nothing) {
            errors.push("no lookup found anything".to_string());
        }
        let counts = self.tally.counts();
        let answer = Answer { objects, hash: hash.to_string(), counts, merged: 0, errors };
        Ok(Report { event: "report", memory, answer })
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
