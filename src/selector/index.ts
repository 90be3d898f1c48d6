export { LabelSelector, type Requirement } from './label-selector.ts';
export { LabelSelectorError } from './label-selector-error.ts';
export { parseLabelSelector } from './parse.ts';
