export { Subscribers } from './subscribers.ts';
export { type SubscribeOptions, Subscription, type SubscriptionHost } from './subscription.ts';
