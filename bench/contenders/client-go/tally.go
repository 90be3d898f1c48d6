package main

import (
	"encoding/binary"
	"math"
	"os"
	"strconv"
	"sync"
	"time"
)

// A tally counts what handlers were told. Several informers have a goroutine for their handler each.
type tally struct {
	mutex                              sync.Mutex
	adds, updates, deletes, outOfOrder int
	// Adds up what handlers read, so that no compiler finds out that nobody wants it.
	sum            int
	calls          int
	first, last    time.Time
	highestVersion uint64

	delay       time.Duration
	isOrdered   bool
	keepsTimes  bool
	isArmed     bool
	lastVersion uint64
	times       []float64
	awaited     *awaited
}

type awaited struct {
	calls   int
	version uint64
	done    chan struct{}
}

// Room for a usual paced run.
const firstTimes = 1 << 17

func newTally(config Config) *tally {
	t := &tally{
		delay:      time.Duration(config.HandlerDelayUs) * time.Microsecond,
		isOrdered:  len(config.Resources) == 0,
		keepsTimes: config.ReceiveTimesFile != "",
	}
	if t.keepsTimes {
		t.times = make([]float64, 0, firstTimes)
	}
	return t
}

// Counts from zero from now on: what comes is no first list.
func (t *tally) arm() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.calls = 0
	t.isArmed = true
}

// Counts one call of a handler in one of the three counts.
func (t *tally) handled(count *int, key, resourceVersion string, read int) {
	version, _ := strconv.ParseUint(resourceVersion, 10, 64)
	now := time.Now()
	t.mutex.Lock()
	*count++
	t.sum += len(key) + read
	if t.calls == 0 {
		t.first = now
	}
	t.calls++
	t.last = now
	if t.isArmed {
		if t.keepsTimes {
			t.times = append(t.times, float64(version), float64(now.UnixNano())/1e6)
		}
		if t.isOrdered && version <= t.lastVersion {
			t.outOfOrder++
		}
		t.lastVersion = version
	}
	t.highestVersion = max(t.highestVersion, version)
	t.mutex.Unlock()
	if t.delay > 0 {
		busyWait(now.Add(t.delay))
	}
	t.check()
}

// Closes its channel when handlers were called so often, or saw this resourceVersion (0 for none). With several
// resources, whose versions come in no order, only calls count.
func (t *tally) reached(calls int, version uint64) <-chan struct{} {
	if version == 0 || !t.isOrdered {
		version = math.MaxUint64
	}
	done := make(chan struct{})
	t.mutex.Lock()
	t.awaited = &awaited{calls, version, done}
	t.mutex.Unlock()
	t.check()
	return done
}

func (t *tally) check() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.awaited == nil || (t.calls < t.awaited.calls && t.highestVersion < t.awaited.version) {
		return
	}
	close(t.awaited.done)
	t.awaited = nil
}

// First and last call of this phase, and how many there were.
func (t *tally) phase() (time.Time, time.Time, int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.first, t.last, t.calls
}

func (t *tally) answer() Answer {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return Answer{Adds: t.adds, Updates: t.updates, Deletes: t.deletes, OutOfOrder: t.outOfOrder}
}

// Writes pairs of float64, resourceVersion and ms since the Unix epoch, when they were asked for.
func (t *tally) writeTimes(path string) error {
	if path == "" {
		return nil
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	bytes := make([]byte, 0, 8*len(t.times))
	for _, number := range t.times {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(number))
	}
	return os.WriteFile(path, bytes, 0o644)
}

// A slow handler is one that computes: sleeping would leave the processor to others.
func busyWait(until time.Time) {
	for time.Now().Before(until) {
	}
}
