export { Consumer, createRing, openRing, Producer } from './ring.ts';
