package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

const mb = 1e6

// Work goes on for a moment after the last event: the same for all contenders.
const settle = 20 * time.Millisecond

type meters struct {
	cpu time.Duration
	gc  debug.GCStats
}

func (m *meters) begin() {
	debug.ReadGCStats(&m.gc)
	m.cpu = cpuNow()
}

// Ends a phase a moment from now. What is timed has to be noted before.
func (m *meters) end() Meters {
	time.Sleep(settle)
	cpu := cpuNow() - m.cpu
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	pauses := GCPauses{Count: gc.NumGC - m.gc.NumGC, TotalMs: ms(gc.PauseTotal - m.gc.PauseTotal)}
	// Newest first; Go remembers the last 256.
	for i := range min(int(pauses.Count), len(gc.Pause)) {
		pauses.MaxMs = max(pauses.MaxMs, ms(gc.Pause[i]))
	}
	return Meters{CPUMs: ms(cpu), GCPauses: pauses}
}

func cpuNow() time.Duration {
	usage := rusage()
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func rusage() syscall.Rusage {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	return usage
}

// RSS as it stands, then the heap behind a collection that is forced: comes after all that is timed.
func memoryNow() (Memory, error) {
	rss, err := rssNow()
	if err != nil {
		return Memory{}, err
	}
	peak := rusage().Maxrss * 1024
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return Memory{RSSMb: rss / mb, RSSPeakMb: float64(peak) / mb, HeapMb: float64(stats.HeapAlloc) / mb}, nil
}

func rssNow() (float64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("RSS can be read on Linux only: %w", err)
	}
	var size, resident int
	if _, err := fmt.Fscan(strings.NewReader(string(text)), &size, &resident); err != nil {
		return 0, err
	}
	return float64(resident) * float64(os.Getpagesize()), nil
}
