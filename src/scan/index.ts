/**
 * The scanner: finds the objects in the bytes of a list or watch, takes identity and fields out of them and
 * says what to cut, without parsing. Runs in reflector workers, one engine per worker.
 */
export {
  type LoadedProgram,
  ScanEngine,
  type ScanEngineOptions,
} from './engine.ts';
export { isTrap, ScanMemoryError, ScannerMissingError, ScanSpecError } from './errors.ts';
export type { ScanFilter, ScanFilters } from './filters.ts';
export { ListFramer, type ListHead } from './list-framer.ts';
export { scannerModule } from './module.ts';
export { checkScanSpec } from './program.ts';
export { fieldText, identityText, keyText } from './result.ts';
export { MAX_PATH_STEPS, type PathStep, type ScanSpec } from './spec.ts';
export { type FramerOptions, type ScanProblem, type ScanProblemReason, Step } from './step.ts';
export { wasmUrl } from './wasm-url.ts';
export { WatchFramer } from './watch-framer.ts';
export type { WasmModule } from './webassembly.ts';
