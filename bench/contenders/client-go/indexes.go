package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

const byNode = "byNode"

var indexers = cache.Indexers{
	byNode:      func(object any) ([]string, error) { return valueOf(nodeOf(object)), nil },
	"byApp":     labelIndex("app.kubernetes.io/name"),
	"byVersion": labelIndex("app.kubernetes.io/version"),
}

func labelIndex(label string) cache.IndexFunc {
	return func(object any) ([]string, error) {
		return valueOf(object.(metav1.Object).GetLabels()[label]), nil
	}
}

func nodeOf(object any) string {
	switch o := object.(type) {
	case *corev1.Pod:
		return o.Spec.NodeName
	case *unstructured.Unstructured:
		return stringAt(o, "spec", "nodeName")
	}
	return ""
}

func valueOf(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

const (
	lookupPeriod = 5 * time.Millisecond
	// After a stall the rest waits for the next turn.
	mostLookupsAtOnce = 50
)

// A lookupLoop looks objects up by node at a rate, in small batches, while events come.
type lookupLoop struct {
	done, found, letters int
	quit, ended          chan struct{}
}

func startLookups(library *library, perSecond int) *lookupLoop {
	loop := &lookupLoop{quit: make(chan struct{}), ended: make(chan struct{})}
	indexer := library.informers[0].GetIndexer()
	nodes := indexer.ListIndexFuncValues(byNode)
	go loop.run(indexer, nodes, perSecond)
	return loop
}

func (l *lookupLoop) stop() {
	close(l.quit)
	<-l.ended
}

func (l *lookupLoop) run(indexer cache.Indexer, nodes []string, perSecond int) {
	defer close(l.ended)
	ticker := time.NewTicker(lookupPeriod)
	defer ticker.Stop()
	begin := time.Now()
	for {
		select {
		case <-l.quit:
			return
		case <-ticker.C:
		}
		due := int(time.Since(begin).Seconds()*float64(perSecond)) - l.done
		for range min(due, mostLookupsAtOnce) {
			if len(nodes) == 0 {
				return
			}
			keys, _ := indexer.IndexKeys(byNode, nodes[l.done%len(nodes)])
			l.done++
			for _, key := range keys {
				l.found++
				l.letters += len(key)
			}
		}
	}
}
