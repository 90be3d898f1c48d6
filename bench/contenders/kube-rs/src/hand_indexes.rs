//! Three indexes as users of a library without any keep them: by hand, in the handler.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard},
};

use crate::objects::{APP_LABEL, BenchObject, VERSION_LABEL};

#[derive(Default)]
pub struct HandIndexes(Mutex<Indexes>);

#[derive(Default)]
struct Indexes {
    by_node: HandIndex,
    by_app: HandIndex,
    by_version: HandIndex,
}

impl HandIndexes {
    pub fn set(&self, object: &impl BenchObject) {
        let key = object.key();
        let labels = object.labels();
        let mut indexes = self.lock();
        indexes.by_node.set(&key, object.node());
        indexes.by_app.set(&key, labels.get(APP_LABEL).map(String::as_str));
        indexes.by_version.set(&key, labels.get(VERSION_LABEL).map(String::as_str));
    }

    pub fn delete(&self, object: &impl BenchObject) {
        let key = object.key();
        let mut indexes = self.lock();
        indexes.by_node.delete(&key);
        indexes.by_app.delete(&key);
        indexes.by_version.delete(&key);
    }

    pub fn nodes(&self) -> Vec<String> {
        self.lock().by_node.keys.keys().cloned().collect()
    }

    /// Keys of the objects on a node.
    pub fn on_node(&self, node: &str) -> Vec<String> {
        self.lock().by_node.keys.get(node).into_iter().flatten().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Indexes> {
        self.0.lock().expect("no handler panics")
    }
}

#[derive(Default)]
struct HandIndex {
    keys: HashMap<String, HashSet<String>>,
    /// What each object had, to take it out again.
    values: HashMap<String, String>,
}

impl HandIndex {
    fn set(&mut self, key: &str, value: Option<&str>) {
        if self.values.get(key).map(String::as_str) == value {
            return;
        }
        self.delete(key);
        if let Some(value) = value {
            self.values.insert(key.to_string(), value.to_string());
            self.keys.entry(value.to_string()).or_default().insert(key.to_string());
        }
    }

    fn delete(&mut self, key: &str) {
        let Some(value) = self.values.remove(key) else { return };
        if let Some(keys) = self.keys.get_mut(&value) {
            keys.remove(key);
            if keys.is_empty() {
                self.keys.remove(&value);
            }
        }
    }
}
