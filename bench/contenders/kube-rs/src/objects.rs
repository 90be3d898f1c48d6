//! What handlers read of objects.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{ResourceExt, api::DynamicObject};
use serde_json::Value;

pub const APP_LABEL: &str = "app.kubernetes.io/name";
pub const VERSION_LABEL: &str = "app.kubernetes.io/version";

pub trait BenchObject: ResourceExt {
    fn node(&self) -> Option<&str>;
    /// What `two-fields` adds up.
    fn two_fields(&self) -> usize;
    /// What `decode-all` adds up, besides labels and managed fields.
    fn parts(&self) -> usize;

    fn key(&self) -> String {
        let meta = self.meta();
        let name = meta.name.as_deref().unwrap_or_default();
        match meta.namespace.as_deref() {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_string(),
        }
    }

    fn version(&self) -> &str {
        self.meta().resource_version.as_deref().unwrap_or_default()
    }

    fn all_parts(&self) -> usize {
        self.labels().len() + self.managed_fields().len() + self.parts()
    }
}

impl BenchObject for Pod {
    fn node(&self) -> Option<&str> {
        self.spec.as_ref()?.node_name.as_deref()
    }

    fn two_fields(&self) -> usize {
        let phase = self.status.as_ref().and_then(|status| status.phase.as_deref());
        length(self.node()) + length(phase)
    }

    fn parts(&self) -> usize {
        let containers = self.spec.as_ref().map_or(0, |spec| spec.containers.len());
        let conditions = self.status.as_ref().and_then(|status| status.conditions.as_ref());
        containers + conditions.map_or(0, Vec::len)
    }
}

impl BenchObject for ConfigMap {
    fn node(&self) -> Option<&str> {
        None
    }

    fn two_fields(&self) -> usize {
        0
    }

    fn parts(&self) -> usize {
        self.data.as_ref().map_or(0, |data| data.len())
    }
}

impl BenchObject for DynamicObject {
    fn node(&self) -> Option<&str> {
        self.data["spec"]["nodeName"].as_str()
    }

    fn two_fields(&self) -> usize {
        length(self.node()) + length(self.data["status"]["phase"].as_str())
    }

    fn parts(&self) -> usize {
        let data = &self.data;
        count(&data["spec"]["containers"]) + count(&data["status"]["conditions"]) + count(&data["data"])
    }
}

fn length(text: Option<&str>) -> usize {
    text.map_or(0, str::len)
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    }
}
