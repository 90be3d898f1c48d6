package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const (
	typeJSON     = "application/json"
	typeProtobuf = "application/vnd.kubernetes.protobuf"

	// Of what informers complain about: the first words are the ones that matter.
	mostErrors = 20
)

// A library lists and watches resources, and tells a tally what its handlers saw.
type library struct {
	informers     []cache.SharedIndexInformer
	registrations []cache.ResourceEventHandlerRegistration

	mutex  sync.Mutex
	errors []string
}

func newLibrary(flavour string, config Config, tally *tally) (*library, error) {
	informerFor, err := factoryFor(flavour, restConfig(flavour, config))
	if err != nil {
		return nil, err
	}
	l := &library{errors: []string{}}
	for _, resource := range config.all() {
		informer, err := informerFor(resource)
		if err != nil {
			return nil, fmt.Errorf("%s has no informer of %s: %w", flavour, resource.Plural, err)
		}
		if config.Indexes {
			if err := informer.AddIndexers(indexers); err != nil {
				return nil, err
			}
		}
		if err := informer.SetWatchErrorHandlerWithContext(l.complain); err != nil {
			return nil, err
		}
		registration, err := informer.AddEventHandler(handler(config.Mode, tally))
		if err != nil {
			return nil, err
		}
		l.informers = append(l.informers, informer)
		l.registrations = append(l.registrations, registration)
	}
	return l, nil
}

// Returns when all caches are complete and handlers were told of all that is in them.
func (l *library) start() {
	for _, informer := range l.informers {
		go informer.RunWithContext(context.Background())
	}
	for _, registration := range l.registrations {
		<-registration.HasSyncedChecker().Done()
	}
}

// How many objects there are, and their hash as bench/contender/answer.md defines it.
func (l *library) hash() (int, string) {
	objects := 0
	var sum uint64
	for _, informer := range l.informers {
		for _, object := range informer.GetStore().List() {
			key, _ := cache.MetaNamespaceKeyFunc(object)
			hash := fnv.New32a()
			hash.Write([]byte(key + "\x00" + object.(metav1.Object).GetResourceVersion()))
			sum += uint64(hash.Sum32())
			objects++
		}
	}
	return objects, strconv.FormatUint(sum, 10)
}

func (l *library) complaints() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.errors
}

func (l *library) complain(_ context.Context, _ *cache.Reflector, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.errors) < mostErrors {
		l.errors = append(l.errors, err.Error())
	}
}

func restConfig(flavour string, config Config) *rest.Config {
	c := &rest.Config{
		Host:            config.Server,
		BearerToken:     config.Token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: config.CAFile},
		// The default of 5 requests a second would be all that is measured with 20 informers.
		QPS: -1,
	}
	c.ContentType = typeJSON
	if flavour == "client-go-protobuf" {
		c.ContentType = typeProtobuf
		c.AcceptContentTypes = typeProtobuf + "," + typeJSON
	}
	return c
}

// Factories make informers with their defaults, without resync.
func factoryFor(flavour string, config *rest.Config) (func(Resource) (cache.SharedIndexInformer, error), error) {
	switch flavour {
	case "client-go-typed", "client-go-protobuf":
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := informers.NewSharedInformerFactory(client, 0)
		return func(resource Resource) (cache.SharedIndexInformer, error) {
			informer, err := factory.ForResource(resource.gvr())
			if err != nil {
				return nil, err
			}
			return informer.Informer(), nil
		}, nil
	case "client-go-dynamic":
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		return func(resource Resource) (cache.SharedIndexInformer, error) {
			return factory.ForResource(resource.gvr()).Informer(), nil
		}, nil
	}
	return nil, fmt.Errorf("there is no contender %q", flavour)
}
