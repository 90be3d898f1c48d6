import { setPriority } from 'node:os';

/**
 * Where cores are few, the home thread must not wait for other threads of ours. Beside a busy server on two cores, a
 * list was synced a tenth sooner with reflector workers at this priority, and stalls were a seventh shorter. Reconcile
 * threads have the same, or they would take from the workers nine tenths of a core that both want.
 */
const NICENESS = 10;

/**
 * Has the calling thread give way to the home thread. Linux keeps priorities per thread; elsewhere this would slow down
 * the whole process, so nothing is done there.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(NICENESS);
  } catch {
    // A sandbox may forbid it. Only the worst case of a busy machine depends on it.
  }
}
