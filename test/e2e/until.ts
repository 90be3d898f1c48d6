/** Waits until something holds that nobody announces. Fails after ten seconds with what it waited for. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const endMs = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`waited for 10 s until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
