/** One contender at one case, in a process of its own. Prints one JSON line. */
import { CASES } from './cases.ts';

const [title, contender, items] = process.argv.slice(2) as [string, string, string];
const run = CASES.find((other) => other.title === title)?.contenders[contender];
if (run === undefined) throw new Error(`there is no ${contender} at '${title}'`);

// Once to compile, once to count.
await run(Number(items) / 10);
const figures = await run(Number(items));
// The unit is kilobytes.
const peakRssMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ ...figures, peakRssMb }));
