//! Reflectors of kube-rs, one a resource, each a task of the runtime.

use std::{
    error::Error,
    fmt::Debug,
    hash::Hash,
    sync::{Arc, Mutex},
};

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{
    Api, Client, Resource as KubeResource,
    api::{ApiResource, DynamicObject},
    config::{KubeConfigOptions, Kubeconfig},
    runtime::{
        WatchStreamExt, reflector,
        reflector::{Store, store::Writer},
        watcher,
    },
};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::{
    hand_indexes::HandIndexes,
    objects::BenchObject,
    protocol::{Config, Mode, Resource},
    tally::{Call, Tally},
};

/// The first words of a complaint are the ones that matter.
const MOST_ERRORS: usize = 20;

pub struct Library {
    runtime: Runtime,
    caches: Vec<Box<dyn Cache>>,
    pub indexes: Option<Arc<HandIndexes>>,
    errors: Arc<Mutex<Vec<String>>>,
}

impl Library {
    pub fn start(config: Arc<Config>, tally: Arc<Tally>) -> Result<Self, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let client = runtime.block_on(connect(&config))?;
        let indexes = config.indexes.then(Arc::<HandIndexes>::default);
        let errors = Arc::<Mutex<Vec<String>>>::default();
        let mut caches: Vec<Box<dyn Cache>> = Vec::new();
        for resource in config.all() {
            let handler = Handler { mode: config.mode, tally: tally.clone(), indexes: indexes.clone() };
            let task = Task { runtime: &runtime, config: &config, handler, errors: errors.clone() };
            caches.push(match (resource.group.as_str(), resource.plural.as_str()) {
                ("", "pods") => task.reflect::<Pod>(Api::all(client.clone()), ()),
                ("", "configmaps") => task.reflect::<ConfigMap>(Api::all(client.clone()), ()),
                _ => {
                    let kind = api_resource(&resource);
                    task.reflect::<DynamicObject>(Api::all_with(client.clone(), &kind), kind)
                }
            });
        }
        Ok(Self { runtime, caches, indexes, errors })
    }

    pub fn wait_until_ready(&self) {
        for cache in &self.caches {
            cache.wait_until_ready(&self.runtime);
        }
    }

    /// How many objects there are, and their hash as bench/contender/answer.md defines it.
    pub fn hash(&self) -> (u64, u64) {
        let sums = self.caches.iter().map(|cache| cache.hash());
        sums.fold((0, 0), |(objects, hash), (more, other)| (objects + more, hash + other))
    }

    pub fn complaints(&self) -> Vec<String> {
        self.errors.lock().expect("no task panics").clone()
    }
}

async fn connect(config: &Config) -> Result<Client, Box<dyn Error>> {
    let kubeconfig = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "bench",
        "clusters": [{ "name": "bench", "cluster": { "server": config.server, "certificate-authority": config.ca_file } }],
        "users": [{ "name": "bench", "user": { "token": config.token } }],
        "contexts": [{ "name": "bench", "context": { "cluster": "bench", "user": "bench" } }],
    });
    let kubeconfig: Kubeconfig = serde_json::from_value(kubeconfig)?;
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

fn api_resource(resource: &Resource) -> ApiResource {
    let Resource { group, version, plural, kind } = resource.clone();
    let api_version = if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
    ApiResource { group, version, api_version, kind, plural }
}

/// A store of any kind of objects.
trait Cache {
    fn wait_until_ready(&self, runtime: &Runtime);
    fn hash(&self) -> (u64, u64);
}

impl<K> Cache for Store<K>
where
    K: BenchObject + Clone + Send + Sync + 'static,
    K::DynamicType: Eq + Hash + Clone + Send + Sync,
{
    fn wait_until_ready(&self, runtime: &Runtime) {
        // It only fails when the reflector is gone, and those here never are.
        runtime.block_on(Store::wait_until_ready(self)).expect("the reflector runs");
    }

    fn hash(&self) -> (u64, u64) {
        let objects = self.state();
        let hashes = objects.iter().map(|object| fnv1a(&format!("{}\0{}", object.key(), object.version())));
        (objects.len() as u64, hashes.map(u64::from).sum())
    }
}

fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

struct Task<'a> {
    runtime: &'a Runtime,
    config: &'a Config,
    handler: Handler,
    errors: Arc<Mutex<Vec<String>>>,
}

impl Task<'_> {
    fn reflect<K>(self, api: Api<K>, kind: K::DynamicType) -> Box<dyn Cache>
    where
        K: BenchObject + KubeResource + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Eq + Hash + Clone + Send + Sync + Unpin,
    {
        let writer = Writer::<K>::new(kind);
        let reader = writer.as_reader();
        let mut options = watcher::Config::default();
        if let Some(limit) = self.config.page_limit {
            options.page_size = (limit > 0).then_some(limit);
        }
        let Self { handler, errors, .. } = self;
        let stream = reflector(writer, watcher(api, options).default_backoff());
        self.runtime.spawn(async move {
            let mut stream = std::pin::pin!(stream);
            while let Some(event) = stream.next().await {
                match event {
                    Ok(event) => handler.handle(&event),
                    Err(error) => complain(&errors, &error),
                }
            }
        });
        Box::new(reader)
    }
}

fn complain(errors: &Mutex<Vec<String>>, error: &watcher::Error) {
    let mut errors = errors.lock().expect("no task panics");
    if errors.len() < MOST_ERRORS {
        errors.push(error.to_string());
    }
}

struct Handler {
    mode: Mode,
    tally: Arc<Tally>,
    indexes: Option<Arc<HandIndexes>>,
}

impl Handler {
    fn handle<K: BenchObject>(&self, event: &watcher::Event<K>) {
        match event {
            watcher::Event::InitApply(object) => self.set(Call::Add, object),
            watcher::Event::Apply(object) => self.set(Call::Update, object),
            watcher::Event::Delete(object) => {
                if let Some(indexes) = &self.indexes {
                    indexes.delete(object);
                }
                self.count(Call::Delete, object);
            }
            watcher::Event::Init | watcher::Event::InitDone => {}
        }
    }

    fn set(&self, call: Call, object: &impl BenchObject) {
        if let Some(indexes) = &self.indexes {
            indexes.set(object);
        }
        self.count(call, object);
    }

    fn count(&self, call: Call, object: &impl BenchObject) {
        let read = match self.mode {
            Mode::Keys => 0,
            Mode::TwoFields => object.two_fields(),
            Mode::DecodeAll => object.all_parts(),
        };
        self.tally.handled(call, &object.key(), object.version(), read);
    }
}
