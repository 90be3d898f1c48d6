package main

import "k8s.io/apimachinery/pkg/runtime/schema"

// Config is the last argument of the process.
type Config struct {
	Server           string     `json:"server"`
	CAFile           string     `json:"caFile"`
	Token            string     `json:"token"`
	Resource         Resource   `json:"resource"`
	Resources        []Resource `json:"resources"`
	Mode             string     `json:"mode"`
	Indexes          bool       `json:"indexes"`
	Objects          int        `json:"objects"`
	HandlerDelayUs   int        `json:"handlerDelayUs"`
	LookupsPerSecond int        `json:"lookupsPerSecond"`
	ReceiveTimesFile string     `json:"receiveTimesFile"`
}

// Resource is one collection to list and watch.
type Resource struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Plural  string `json:"plural"`
}

func (r Resource) gvr() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Plural}
}

// All resources to watch.
func (c Config) all() []Resource {
	if len(c.Resources) > 0 {
		return c.Resources
	}
	return []Resource{c.Resource}
}

// Command is what the runner says.
type Command struct {
	Cmd   string `json:"cmd"`
	RV    string `json:"rv"`
	Calls int    `json:"calls"`
}

// PhaseReply ends a phase.
type PhaseReply struct {
	Event  string  `json:"event"`
	WallMs float64 `json:"wallMs"`
	Meters Meters  `json:"meters"`
	Calls  int     `json:"calls"`
	GaveUp bool    `json:"gaveUp,omitempty"`
}

// Meters is what a phase took.
type Meters struct {
	CPUMs    float64  `json:"cpuMs"`
	GCPauses GCPauses `json:"gcPauses"`
}

// GCPauses are the times at which all goroutines stood still.
type GCPauses struct {
	Count   int64   `json:"count"`
	TotalMs float64 `json:"totalMs"`
	MaxMs   float64 `json:"maxMs"`
}

// ReportReply ends a sample.
type ReportReply struct {
	Event  string `json:"event"`
	Memory Memory `json:"memory"`
	Answer Answer `json:"answer"`
}

// Memory in 10^6 bytes.
type Memory struct {
	RSSMb     float64 `json:"rssMb"`
	RSSPeakMb float64 `json:"rssPeakMb"`
	HeapMb    float64 `json:"heapMb"`
}

// Answer is what is compared with what the server knows.
type Answer struct {
	Objects    int      `json:"objects"`
	Hash       string   `json:"hash"`
	Adds       int      `json:"adds"`
	Updates    int      `json:"updates"`
	Deletes    int      `json:"deletes"`
	OutOfOrder int      `json:"outOfOrder"`
	Merged     int      `json:"merged"`
	Errors     []string `json:"errors"`
}
