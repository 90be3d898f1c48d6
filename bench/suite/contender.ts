/** What the runner knows of a contender; `bench/contenders/` has them. */
import type { StartCommand } from './contender-process.ts';
import type { Mode, ScenarioName } from './protocol.ts';

export interface Contender {
  readonly name: string;
  readonly label: string;
  readonly modes: readonly Mode[];
  readonly scenarios: readonly ScenarioName[];
  /** @returns undefined when it can run, else why not, in a sentence */
  available(): Promise<string | undefined>;
  /** Does nothing when it is built already. */
  build(log: (line: string) => void): Promise<void>;
  command(): StartCommand;
  versions(): Promise<Readonly<Record<string, string>>>;
}

/** The one that is measured against the others. */
export const OURS = 'kubering';

/** Whether this is kubering, with its defaults or, as `kubering-drop`, with options that users may choose. */
export function isOurs(name: string): boolean {
  return name === OURS || name.startsWith(`${OURS}-`);
}
