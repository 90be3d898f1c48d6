export { Consumer, createRing, openRing, Producer, type Ring } from './ring.ts';
