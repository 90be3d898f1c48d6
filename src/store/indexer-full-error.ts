/** A shard of an Indexer is at one of its limits. The object was not put in; all else stays as it was. */
export class IndexerFullError extends Error {
  readonly code = 'INDEXER_FULL';

  constructor(what: string, limit: number, options?: ErrorOptions) {
    super(
      `a shard of the Indexer is full: it can't have more than ${limit} ${what}; use more shards, or fewer ` +
        'objects or index values',
      options,
    );
    this.name = 'IndexerFullError';
  }
}
