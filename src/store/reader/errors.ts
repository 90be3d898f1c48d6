/** The thread that owns a store does not go on: a reader waited for it in vain. */
export class StoreStalledError extends Error {
  readonly code = 'STORE_STALLED';

  constructor(what: string, waitedMs: number) {
    super(
      `the thread that owns the store did not ${what} for ${Math.round(waitedMs)} ms: it is busy, or has ended. ` +
        'Try again, or attach to the handle of another store',
    );
    this.name = 'StoreStalledError';
  }
}

/** A handle that this version of kubering can't read. */
export class StoreHandleError extends Error {
  readonly code = 'STORE_HANDLE';

  constructor(message: string) {
    super(message);
    this.name = 'StoreHandleError';
  }
}

/** A reader was asked after `detach`. */
export class DetachedError extends Error {
  readonly code = 'DETACHED';

  constructor() {
    super('the lister was detached from its store: attach another one to the handle');
    this.name = 'DetachedError';
  }
}
