/**
 * Long enough for a busy machine and three delays in a row (1.6, 3.2 and 6.4 s with their jitter), short enough to end a
 * test that waits for nothing.
 */
const LIMIT_MS = 30_000;

/** Waits until something holds that nobody announces. Fails after a while with what it waited for. */
export async function until(what: string, holds: () => boolean, limitMs = LIMIT_MS): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`waited for ${limitMs / 1000} s until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
