/** Watches, and what is left when the history is forgotten. */
import {
  CORE,
  GZIP,
  get,
  INITIAL,
  inAnotherOrder,
  MAPS,
  METADATA,
  type Question,
  SHORT,
  SORTED,
  WIDGETS,
  watch,
} from './question.ts';

export const WATCHES: readonly Question[] = [
  watch('watch from now', `${MAPS}?watch=1&${SHORT}`),
  watch('watch from any version', `${MAPS}?watch=1&resourceVersion=0&${SHORT}`),
  get('get one with the option of a watch', `${MAPS}/a?watch=1`),
  watch('watch custom resources', `${WIDGETS}?watch=1&resourceVersion=0&${SHORT}`),
  watch('watch metadata', `${MAPS}?watch=1&resourceVersion=0&${SHORT}`, { accept: METADATA }),
  watch('watch over gzip', `${MAPS}?watch=1&resourceVersion=0&${SHORT}`, GZIP),
  watch('watch from where the list was', `${MAPS}?watch=1&resourceVersion={version}&${SHORT}`),
  watch('watch with a version that is none', `${MAPS}?watch=1&resourceVersion=abc`),
  inAnotherOrder(
    watch('watch metadata of custom resources', `${WIDGETS}?watch=1&resourceVersion=0&${SHORT}`, {
      accept: METADATA,
    }),
    SORTED,
  ),
  watch('watch with initial events over gzip', `${MAPS}?watch=1&${INITIAL}&${SHORT}`, GZIP),
  watch('watch with initial events', `${MAPS}?watch=1&${INITIAL}&${SHORT}`),
  watch('watch custom resources with initial events', `${WIDGETS}?watch=1&${INITIAL}&${SHORT}`),
  watch('watch metadata with initial events', `${MAPS}?watch=1&${INITIAL}&${SHORT}`, { accept: METADATA }),
  watch('watch nothing with initial events', `${CORE}/endpoints?watch=1&${INITIAL}&${SHORT}`),
  watch(
    'watch with initial events from a version to come',
    `${MAPS}?watch=1&resourceVersion=99999999&${INITIAL}&${SHORT}`,
  ),
  watch('watch with initial events and no match', `${MAPS}?watch=1&sendInitialEvents=true&${SHORT}`),
  watch(
    'watch with a match and no initial events',
    `${MAPS}?watch=1&resourceVersion=5&resourceVersionMatch=NotOlderThan&${SHORT}`,
  ),
  watch('watch what has no such selector', `${MAPS}?watch=1&labelSelector=%3D%3D`),
];

/** Asked before the history is forgotten, so that there is a token. */
export const REMEMBERED: readonly Question[] = [get('list a page before', `${MAPS}?limit=1`)];

/** Asked after the history was forgotten. */
export const FORGOTTEN: readonly Question[] = [
  get('list the next page', `${MAPS}?limit=1&continue={token}`),
  get('list the rest with the new token', `${MAPS}?limit=1&continue={token}`),
  get('list exactly at', `${MAPS}?resourceVersion=1&resourceVersionMatch=Exact`),
  get('list exactly at, as old clients do', `${MAPS}?resourceVersion=1&limit=5`),
  watch('watch', `${MAPS}?watch=1&resourceVersion=1&${SHORT}`),
  watch('watch custom resources', `${WIDGETS}?watch=1&resourceVersion=1&${SHORT}`),
];
