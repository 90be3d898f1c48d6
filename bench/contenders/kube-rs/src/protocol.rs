//! What the runner and this process say to each other.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The last argument of the process.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    pub server: String,
    pub ca_file: Option<PathBuf>,
    pub token: String,
    pub resource: Resource,
    pub resources: Option<Vec<Resource>>,
    pub mode: Mode,
    pub indexes: bool,
    pub objects: u64,
    #[serde(default)]
    pub handler_delay_us: u64,
    #[serde(default)]
    pub lookups_per_second: u32,
    pub receive_times_file: Option<PathBuf>,
    pub page_limit: Option<u32>,
}

impl Config {
    /// All resources to watch.
    pub fn all(&self) -> Vec<Resource> {
        self.resources.clone().unwrap_or_else(|| vec![self.resource.clone()])
    }
}

/// One collection to list and watch.
#[derive(Clone, Deserialize)]
pub struct Resource {
    pub group: String,
    pub version: String,
    pub plural: String,
    pub kind: String,
}

/// What the handler reads.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    Keys,
    TwoFields,
    DecodeAll,
}

#[derive(Deserialize)]
#[serde(tag = "cmd", rename_all = "kebab-case")]
pub enum Command {
    Start,
    Arm,
    Await { rv: String, calls: u64 },
    Report,
    Exit,
}

#[derive(Serialize)]
pub struct Armed {
    pub event: &'static str,
}

/// Ends a phase.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    pub event: &'static str,
    pub wall_ms: f64,
    pub meters: Meters,
    pub calls: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gave_up: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meters {
    pub cpu_ms: f64,
}

/// Ends a sample.
#[derive(Serialize)]
pub struct Report {
    pub event: &'static str,
    pub memory: Memory,
    pub answer: Answer,
}

/// In 10^6 bytes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    pub rss_mb: f64,
    pub rss_peak_mb: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_mb: Option<f64>,
}

/// What is compared with what the server knows.
#[derive(Serialize)]
pub struct Answer {
    pub objects: u64,
    pub hash: String,
    #[serde(flatten)]
    pub counts: Counts,
    pub merged: u64,
    pub errors: Vec<String>,
}

#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    pub adds: u64,
    pub updates: u64,
    pub deletes: u64,
    pub out_of_order: u64,
}
