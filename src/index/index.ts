export { compileAccessor } from './accessor.ts';
export { drop, type Projection } from './drop.ts';
export { FieldPathError, type FieldPathErrorCode } from './field-path-error.ts';
export {
  type CompiledFields,
  compileFields,
  type FieldOptions,
  FieldOptionsError,
  type FieldPlan,
} from './fields.ts';
export { indexBy } from './index-by.ts';
export { parseFieldPath } from './parse.ts';
export { formatFieldPath, type PathStep } from './path-step.ts';
