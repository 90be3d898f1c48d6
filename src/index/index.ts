export { compileAccessor } from './accessor.ts';
export { BytePath } from './byte-path.ts';
export { bytePathOf } from './compiled-paths.ts';
export { FieldPathError, type FieldPathErrorCode } from './field-path-error.ts';
export {
  type ColumnSpec,
  type ColumnType,
  type CompiledFields,
  checkFieldName,
  compileFields,
  type FieldOptions,
  FieldOptionsError,
  type FieldPlan,
  parseNamed,
} from './fields.ts';
export { indexBy } from './index-by.ts';
export { checkedValues, type IndexFunction, type IndexSpec, splitIndexers } from './index-function.ts';
export {
  isModuleFunction,
  isSameModuleExport,
  type ModuleExport,
  type ModuleFunction,
  moduleExportOf,
} from './module-function.ts';
export { parseFieldPath } from './parse.ts';
export { formatFieldPath, type PathStep } from './path-step.ts';
export { drop, isReadable, keep, type Projection } from './projection.ts';
export { literalText } from './value-text.ts';
