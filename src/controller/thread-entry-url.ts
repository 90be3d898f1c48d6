import { moduleUrl } from '../module-url.ts';

/** What piscina loads in each reconcile thread. */
export const THREAD_ENTRY_URL = moduleUrl('./reconcile/thread-entry', import.meta.url);
