/** What the conformance tests run against. Staging modules of Kubernetes v1.X.Y are published as v0.X.Y. */
export const KUBERNETES_VERSION = '1.37.2';
export const ETCD_VERSION = '3.7.3';
