// Command client-go is a contender: informers of k8s.io/client-go, used as its documentation shows.
//
// Usage: client-go (client-go-typed | client-go-protobuf | client-go-dynamic) CONFIG
//
// It does what the runner says on stdin, one JSON object a line, and answers on stdout. What the words mean is in
// bench/suite/protocol.ts and bench/contender/answer.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Longest wait for events that are on their way; the runner is patient for longer.
const catchUpLimit = 120 * time.Second

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("expected the name of a contender and its config"))
	}
	var config Config
	if err := json.Unmarshal([]byte(os.Args[2]), &config); err != nil {
		fail(err)
	}
	contender := &contender{flavour: os.Args[1], config: config, tally: newTally(config)}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var command Command
		if err := json.Unmarshal(lines.Bytes(), &command); err != nil {
			fail(err)
		}
		if command.Cmd == "exit" {
			return
		}
		reply, err := contender.obey(command)
		if err != nil {
			fail(err)
		}
		text, err := json.Marshal(reply)
		if err != nil {
			fail(err)
		}
		fmt.Println(string(text))
	}
}

type contender struct {
	flavour string
	config  Config
	tally   *tally
	meters  meters
	library *library
	lookups *lookupLoop
}

func (c *contender) obey(command Command) (any, error) {
	switch command.Cmd {
	case "start":
		return c.start()
	case "arm":
		return c.arm(), nil
	case "await":
		return c.catchUp(command)
	case "report":
		return c.report()
	}
	return nil, fmt.Errorf("unknown command %q", command.Cmd)
}

func (c *contender) start() (any, error) {
	c.meters.begin()
	begin := time.Now()
	library, err := newLibrary(c.flavour, c.config, c.tally)
	if err != nil {
		return nil, err
	}
	c.library = library
	isTold := c.tally.reached(c.config.Objects, 0)
	library.start()
	<-isTold
	wall := time.Since(begin)
	_, _, calls := c.tally.phase()
	return PhaseReply{Event: "synced", WallMs: ms(wall), Meters: c.meters.end(), Calls: calls}, nil
}

func (c *contender) arm() any {
	c.tally.arm()
	if c.config.Indexes && c.config.LookupsPerSecond > 0 {
		c.lookups = startLookups(c.library, c.config.LookupsPerSecond)
	}
	c.meters.begin()
	return map[string]string{"event": "armed"}
}

func (c *contender) catchUp(command Command) (any, error) {
	version, err := strconv.ParseUint(command.RV, 10, 64)
	if err != nil {
		return nil, err
	}
	gaveUp := false
	select {
	case <-c.tally.reached(command.Calls, version):
	case <-time.After(catchUpLimit):
		gaveUp = true
	}
	if c.lookups != nil {
		c.lookups.stop()
	}
	first, last, calls := c.tally.phase()
	reply := PhaseReply{Event: "caught-up", WallMs: ms(last.Sub(first)), Meters: c.meters.end(), Calls: calls}
	reply.GaveUp = gaveUp
	return reply, nil
}

func (c *contender) report() (any, error) {
	memory, err := memoryNow()
	if err != nil {
		return nil, err
	}
	if err := c.tally.writeTimes(c.config.ReceiveTimesFile); err != nil {
		return nil, err
	}
	answer := c.tally.answer()
	answer.Objects, answer.Hash = c.library.hash()
	answer.Errors = c.library.complaints()
	if c.lookups != nil && c.lookups.done > 0 && c.lookups.found == 0 {
		answer.Errors = append(answer.Errors, "no lookup found anything")
	}
	return ReportReply{Event: "report", Memory: memory, Answer: answer}, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func ms(duration time.Duration) float64 {
	return float64(duration) / float64(time.Millisecond)
}
