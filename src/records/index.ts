/**
 * Records: bodies of objects in a compact form, made of JSON bytes in a worker (`Transcoder`) and made into objects on
 * any thread (`RecordDecoder`), by means of dictionaries that the threads share. See docs/records.md.
 */
export { RecordDecoder } from './decoder.ts';
export { DictionaryTable } from './dictionary-table.ts';
export { RecordError, UnknownEpochError } from './errors.ts';
export { epochOf, isRecord } from './loaded-record.ts';
export { transcoderModule } from './module.ts';
export { Transcoder, type TranscoderOptions } from './transcoder.ts';
