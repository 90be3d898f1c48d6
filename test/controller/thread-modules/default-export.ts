export { reconcile as default } from './reconcile.ts';
