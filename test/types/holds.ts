/** Claims about types, checked by `npm run check:types`: a claim that does not hold does not compile. */

/** True when both are the same type, `any` and optional properties included. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** `holds<Same<Json<string>, string>>()` compiles when the claim is true. Does nothing at run time. */
export function holds<Claim extends true>(..._claims: Claim[]): void {}
