/** The simulation, for its tests and for `npm run sim`. */
export { type Shrunk, shrink } from './shrink.ts';
export { type Outcome, simulate } from './simulate.ts';
