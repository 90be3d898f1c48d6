/**
 * Layout of a hash table of row numbers: open addressing with linear probing over cells, the number of which
 * is a power of two. The rows themselves lie elsewhere and stay where they are when the table grows.
 *
 * ```
 *  byte  0        4         8
 *        ┌────────┬─────────┐
 *  cell  │ hash   │ row + 1 │   the cell of a row is the first free one from (hash & mask) on
 *        └────────┴─────────┘
 * ```
 *
 * Both words are written by the home thread only, inside the version window of their shard. An empty cell
 * has row + 1 = 0; what its hash says means nothing. A removal shifts later cells back, so there are no
 * graves, and a probe ends at the first empty cell.
 */
import { assertLayout } from './assert.ts';

export const CELL_WORDS = 2;

/** The lower half of the row's hash, as a signed word. */
export const CELL_HASH = 0;
export const CELL_ROW_PLUS_1 = 1;

/**
 * A table grows when more than two thirds of its cells are used: linear probing then looks at two cells for
 * a hit and at five for a miss, on average.
 */
export const CELLS_PER_LOAD = 3;
export const ROWS_PER_LOAD = 2;

assertLayout(CELL_ROW_PLUS_1 === CELL_WORDS - 1, 'the row ends the cell');
assertLayout(ROWS_PER_LOAD < CELLS_PER_LOAD, 'a table always has an empty cell, where probes end');
