/** More requests at once than this only wait for each other in a server on two processors. */
const AT_ONCE = 16;

/** Works on all items, some at a time. Rejects with the first failure, when what was begun has ended. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
