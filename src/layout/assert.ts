/**
 * Layouts prove themselves when they are loaded: a mistake would be silent corruption later.
 *
 * @throws Error when a layout contradicts itself; then nothing of the module can be used
 */
export function assertLayout(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`a shared-memory layout is broken: ${claim}`);
}
