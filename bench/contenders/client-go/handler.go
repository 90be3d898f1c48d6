package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

// What handlers do with each object, besides its key and resourceVersion.
func handler(mode string, tally *tally) cache.ResourceEventHandler {
	read := func(any) int { return 0 }
	switch mode {
	case "two-fields":
		read = twoFieldsOf
	case "decode-all":
		read = partsOf
	}
	handled := func(count *int, object any) {
		key, _ := cache.MetaNamespaceKeyFunc(object)
		tally.handled(count, key, object.(metav1.Object).GetResourceVersion(), read(object))
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { handled(&tally.adds, object) },
		UpdateFunc: func(_, object any) { handled(&tally.updates, object) },
		DeleteFunc: func(object any) {
			if unknown, is := object.(cache.DeletedFinalStateUnknown); is {
				object = unknown.Obj
			}
			handled(&tally.deletes, object)
		},
	}
}

func twoFieldsOf(object any) int {
	switch o := object.(type) {
	case *corev1.Pod:
		return len(o.Spec.NodeName) + len(o.Status.Phase)
	case *unstructured.Unstructured:
		return len(stringAt(o, "spec", "nodeName")) + len(stringAt(o, "status", "phase"))
	}
	return 0
}

func partsOf(object any) int {
	switch o := object.(type) {
	case *corev1.Pod:
		return len(o.Labels) + len(o.ManagedFields) + len(o.Spec.Containers) + len(o.Status.Conditions)
	case *corev1.ConfigMap:
		return len(o.Labels) + len(o.ManagedFields) + len(o.Data)
	case *unstructured.Unstructured:
		return countAt(o, "metadata", "labels") + countAt(o, "metadata", "managedFields") +
			countAt(o, "spec", "containers") + countAt(o, "status", "conditions") + countAt(o, "data")
	}
	return 0
}

func stringAt(object *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(object.Object, path...)
	return text
}

func countAt(object *unstructured.Unstructured, path ...string) int {
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
	switch v := value.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}
