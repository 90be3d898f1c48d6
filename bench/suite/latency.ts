/** From the server's socket to the handler: joins both sides' times into an HDR histogram. */
import { createHistogram } from 'node:perf_hooks';
import type { LatencyFigures } from './results.ts';

export interface Latency {
  readonly figures: LatencyFigures | undefined;
  readonly problems: readonly string[];
}

/** A microsecond is finer than clocks of two processes agree. */
const UNITS_PER_MS = 1000;
const LARGEST_MS = 10 * 60 * 1000;
const SIGNIFICANT_FIGURES = 3;

/**
 * @param sent - pairs of resourceVersion and ms since the Unix epoch, versions without a gap
 * @param received - the same from the handler, in any order
 */
export function joinTimes(sent: Float64Array, received: Float64Array): Latency {
  const firstVersion = sent[0] ?? 0;
  const events = sent.length / 2;
  const histogram = createHistogram({
    lowest: 1,
    highest: LARGEST_MS * UNITS_PER_MS,
    figures: SIGNIFICANT_FIGURES,
  });
  const seen = new Uint8Array(events);
  const wrong = { unknown: 0, twice: 0, early: 0 };
  for (let at = 0; at + 1 < received.length; at += 2) {
    const event = received[at]! - firstVersion;
    // What was on the first list was received, too, and is not looked at.
    if (event < 0) continue;
    if (!(event < events)) wrong.unknown++;
    else if (seen[event] === 1) wrong.twice++;
    else {
      seen[event] = 1;
      const latency = Math.round((received[at + 1]! - sent[2 * event + 1]!) * UNITS_PER_MS);
      if (latency < 0) wrong.early++;
      // What took less than a microsecond is shown as one.
      histogram.record(Math.max(1, latency));
    }
  }
  const missing = events - seen.reduce((sum, one) => sum + one, 0);
  const problems = [
    say(wrong.unknown, 'times are of events that the server did not send'),
    say(wrong.twice, 'events were handled twice'),
    say(wrong.early, 'events were handled before they were sent: the clocks differ'),
    say(missing, 'events have no time'),
  ].filter((problem) => problem !== undefined);
  const percentile = (percent: number) => histogram.percentile(percent) / UNITS_PER_MS;
  const figures: LatencyFigures | undefined =
    histogram.count === 0
      ? undefined
      : {
          p50: percentile(50),
          p90: percentile(90),
          p99: percentile(99),
          p999: percentile(99.9),
          max: histogram.max / UNITS_PER_MS,
        };
  return { figures, problems };
}

function say(count: number, what: string): string | undefined {
  return count === 0 ? undefined : `${count} ${what}`;
}
